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
constexpr std::string_view kOfSweep[] = {"hosts",    "hosts_file", "ssh_hosts_file", "remote_dir",
                                         "ssh_user", "ssh_key",    "ssh_port",       "ssh_config",
                                         "launcher", "port",       "result_dir"};

const Flag& json_flag() {
  static const Flag flag = {.name = "json",
                            .group = "Output",
                            .type = {.kind = spec::Kind::boolean},
                            .help = "one JSON document"};
  return flag;
}

std::vector<const Flag*> all_flags() {
  std::vector<const Flag*> flags;
  for (const spec::SweepFlag& own : spec::sweep_flags()) {
    if (std::ranges::count(kOfSweep, own.flag.name) > 0) flags.push_back(&own.flag);
  }
  flags.push_back(&json_flag());
  return flags;
}

void apply(DoctorOptions& options, const spec::Given& given) {
  const spec::Value value = parse_value(given.flag->type, given.text, given.shown);
  if (given.flag == &json_flag()) {
    options.json = std::get<bool>(value);
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
  const spec::Vocabulary vocabulary("doctor", all_flags());
  DoctorOptions options;
  for (const spec::Given& given : vocabulary.read_environment(getenv)) apply(options, given);
  for (const spec::Given& given : vocabulary.read_arguments(arguments)) apply(options, given);
  return options;
}

std::string doctor_help(bool) {
  std::string out =
      "usage: lockstep doctor [--flag=value ...]\n\n"
      "Looks for what would spoil a measurement: on this machine, on every host that is named, "
      "and\n"
      "between them. Each finding is ok, a warning (figures are worse or less certain than they\n"
      "could be) or a problem (runs will fail), with what to do about it. Takes some seconds, in\n"
      "which all cores are busy.\n\n"
      "examples:\n"
      "  lockstep doctor\n"
      "      this machine\n"
      "  lockstep doctor --hosts=node1,node2 --remote_dir=/tmp/lockstep\n"
      "      two hosts, which get the program if they do not have it, and the network between "
      "them\n"
      "  lockstep doctor --json\n"
      "      for programs\n";
  std::string_view group;
  for (const Flag* flag : all_flags()) {
    if (flag->group != group) out += fmt::format("\n{}:\n", group = flag->group);
    out += flag_help(*flag);
  }
  return out +
         "\nDashes and underscores are equal; a default stands in brackets. LOCKSTEP_HOSTS=node1 "
         "in "
         "the\nenvironment stands for --hosts=node1; the command line wins.\n"
         "\nexit codes: 0 no problem, 2 wrong usage, 3 a problem\n";
}

}  // namespace lockstep::cli
