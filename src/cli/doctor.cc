#include "cli/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/streams.h"
#include "base/terminal.h"
#include "cli/doctor_options.h"
#include "cli/doctor_report.h"
#include "cli/mpi_program.h"
#include "cli/sweep_site.h"
#include "cli/whole_environment.h"
#include "doctor/hosts.h"
#include "doctor/look.h"
#include "launch/here.h"
#include "result/environment.h"

namespace lockstep::cli {
namespace {

using doctor::Examination;

void tell(const std::string& what) {
  if (isatty(STDERR_FILENO) == 1) print_note("looking at " + what);
}

Place whereabouts(const DoctorOptions& options) {
  Place place = place_of(options.sweep, process_getenv, launch::own_names());
  if (place.launcher->allocation != nullptr) {
    print_note(
        fmt::format("the hosts of an allocation need not be open to ssh: on each of them, "
                    "{} lockstep doctor --launcher=local looks at it",
                    place.launcher->on_each_host));
    place.site.hosts.clear();
  }
  return place;
}

// What this machine goes by among the hosts.
std::string own_name(const launch::Site& site, const machine::Environment& environment) {
  const auto here = std::ranges::find_if(site.hosts, &spec::Host::here);
  return here == site.hosts.end() ? environment.host_name : here->name;
}

Examination examine_here(const doctor::Rounds& rounds) {
  tell("this machine");
  const machine::Environment environment = whole_environment();
  Examination examination{
      .host = own_name(rounds.site, environment),
      .here = true,
      .environment = result::to_json(environment),
      .findings = doctor::glance(environment, {rounds.result_dir, rounds.site.port})};
  if (rounds.quick) return examination;
  for (machine::Finding& finding : doctor::measured_findings(environment)) {
    examination.findings.push_back(std::move(finding));
  }
  return examination;
}

}  // namespace

ExitCode doctor(Arguments arguments, Transports) {
  const DoctorOptions options = parse_doctor(arguments, process_getenv);
  const Place place = whereabouts(options);
  doctor::Rounds rounds{.site = place.site,
                        .program = this_program(),
                        .result_dir = std::filesystem::absolute(options.result_dir),
                        .quick = options.quick,
                        .tell = tell};
  std::vector<Examination> examinations = {examine_here(rounds)};
  if (!rounds.site.hosts.empty()) {
    if (!rounds.site.remote_dir.empty()) {
      rounds.bundle = launch::bundle_of_this_program(false);
      rounds.site.build = rounds.bundle->build();
    }
    doctor::examine_hosts(rounds, examinations);
  }
  if (place.launcher->needs_mpirun) doctor::require_mpi(examinations);
  if (options.json) {
    print_output("{}\n", doctor::to_json(examinations).dump(2));
  } else {
    print_output("{}", doctor_table(examinations, wants_colour(stdout), output_width()));
  }
  return doctor::worst(examinations) == machine::Level::problem ? ExitCode::environment
                                                                : ExitCode::ok;
}

}  // namespace lockstep::cli
