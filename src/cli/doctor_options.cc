#include "cli/doctor_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/help.h"
#include "spec/sweep_flags.h"
#include "spec/vocabulary.h"

namespace lockstep::cli {
namespace {

using spec::Flag;

// The flags of a sweep that say where it runs.
constexpr std::string_view kOfSweep[] = {"hosts",      "hosts_file", "ssh_hosts_file",
                                         "remote_dir", "ssh_user",   "ssh_key",
                                         "ssh_port",   "ssh_config", "port"};

constexpr std::string_view kWhat = "What to look at";

std::vector<const Flag*> doctor_flags() {
  static const std::vector<Flag> own = {
      {.name = "launcher",
       .group = kWhat,
       .type = {.kind = spec::Kind::text},
       .help = "what starts the ranks, one of lockstep list launchers; not set: "
               "local, with other hosts ssh"},
      {.name = "result_dir",
       .group = kWhat,
       .type = {.kind = spec::Kind::text, .default_text = "results"},
       .help = "directory for results: can it be written, does it have room?"},
      {.name = "quick",
       .group = kWhat,
       .type = {.kind = spec::Kind::boolean},
       .help = "leave out what takes measurements, as before a sweep"},
      {.name = "json",
       .group = "Output",
       .type = {.kind = spec::Kind::boolean},
       .help = "one JSON document, see docs/formats.md"},
  };
  std::vector<const Flag*> flags;
  for (const spec::SweepFlag& row : spec::sweep_flags()) {
    if (std::ranges::count(kOfSweep, row.flag.name) > 0) flags.push_back(&row.flag);
  }
  for (const Flag& flag : own) flags.push_back(&flag);
  return flags;
}

void apply(DoctorOptions& options, const spec::Given& given) {
  const spec::Value value = parse_value(given.flag->type, given.text, given.shown);
  if (given.flag->name == "json") {
    options.json = std::get<bool>(value);
  } else if (given.flag->name == "quick") {
    options.quick = std::get<bool>(value);
  } else if (given.flag->name == "result_dir") {
    options.result_dir = given.text;
  } else if (given.flag->name == "launcher") {
    options.sweep.launcher = given.text;
  } else {
    options.sweep.site[std::string(given.flag->name)] = given.text;
  }
}

}  // namespace

DoctorOptions parse_doctor(std::span<const std::string> arguments, const Getenv& getenv) {
  const spec::Vocabulary vocabulary("doctor", doctor_flags());
  DoctorOptions options;
  for (const spec::Given& given : vocabulary.read_environment(getenv)) apply(options, given);
  for (const spec::Given& given : vocabulary.read_arguments(arguments)) apply(options, given);
  return options;
}

std::string doctor_help(bool) {
  const std::string out =
      "usage: lockstep doctor [--flag=value ...]\n\n"
      "Checks this machine, every named host and the network between them for anything that would\n"
      "distort measurements. Each finding is ok, a warning (figures are worse or less certain than "
      "they\n"
      "could be) or a problem (runs will fail), with what to do about it. Takes some seconds, in\n"
      "which all cores are busy. What needs no measurement is also looked at before every sweep.\n"
      "\n"
      "a machine   versions, cores, affinity, load, governor, turbo, CPU quota, memory, huge "
      "pages,\n"
      "            clock, disk, port, MPI\n"
      "measured    memory bandwidth, peak FLOP/s, all-core scaling of it, timing noise\n"
      "a host      the same, and: ssh, build, clock offset, whether it is like the first one\n"
      "two hosts   bandwidth and round trip between them\n"
      "docs/measurement.md defines every figure and every limit.\n\n"
      "examples:\n"
      "  lockstep doctor\n"
      "      this machine\n"
      "  lockstep doctor --hosts=node1,node2 --remote_dir=/tmp/lockstep\n"
      "      two hosts, which get the program if they do not have it, and the network between "
      "them\n"
      "  lockstep doctor --quick --json\n"
      "      for programs, in a fraction of a second\n";
  return out + flags_help(doctor_flags()) +
         "\nDashes and underscores are equal; a default stands in brackets. LOCKSTEP_HOSTS=node1 "
         "in "
         "the\nenvironment stands for --hosts=node1; the command line wins.\n"
         "\nexit codes: 0 no problem, 2 wrong usage, 3 a problem\n";
}

}  // namespace lockstep::cli
