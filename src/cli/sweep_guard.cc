#include "cli/sweep_guard.h"

#include <algorithm>
#include <optional>

#include "base/files.h"
#include "cli/command_line.h"
#include "cli/whole_environment.h"
#include "doctor/hosts.h"
#include "doctor/judge.h"
#include "doctor/look.h"
#include "result/environment.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using doctor::Examination;

Examination here(const Place& place, const machine::Environment& environment,
                 const fs::path& directory) {
  const spec::Hosts& hosts = place.site.hosts;
  const auto own = std::ranges::find_if(hosts, &spec::Host::here);
  Examination examination{.host = own == hosts.end() ? environment.host_name : own->name,
                          .here = true,
                          .environment = result::to_json(environment),
                          .findings = {}};
  if (!hosts.empty() && own == hosts.end()) {  // it takes part with its disk alone
    examination.findings = {doctor::judge_disk(machine::disk(directory))};
    return examination;
  }
  const bool meet_here =
      hosts.empty() ? place.site.processes : !place.launcher->by_mpi && hosts.front().here;
  const auto port = meet_here ? std::optional(place.site.port) : std::nullopt;
  examination.findings = doctor::glance(environment, {.result_dir = directory, .port = port});
  return examination;
}

bool ssh_reaches_hosts(const Place& place) {
  return !place.site.hosts.empty() &&
         (place.launcher->by_ssh || !place.site.remote_dir.empty());  // the program went that way
}

}  // namespace

std::vector<std::string> guard(const Place& place, const std::string& program,
                               const machine::Environment& environment, const fs::path& directory) {
  std::vector<Examination> examinations = {here(place, environment, directory)};
  if (ssh_reaches_hosts(place)) {
    doctor::glance_at_hosts(
        {.site = place.site, .program = program, .result_dir = directory, .quick = true},
        examinations);
  }
  write_file(directory / "doctor.json", doctor::to_json(examinations).dump(2) + '\n');
  std::vector<std::string> warnings = doctor::warnings(examinations);
  for (const std::string& warning : warnings) print_warning(warning);
  return warnings;
}

}  // namespace lockstep::cli
