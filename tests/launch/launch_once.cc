// Launches one job as a sweep does, for launch_test.py: brings the program to the hosts, runs it,
// collects what it wrote. Prints how long each took and how each process ended.
//
// launch_once LAUNCHER HOSTS_FILE DEVICES SERVERS REMOTE_DIR RESULT_DIR TIME_LIMIT FILES FLAG...
// FILES: the program and what it brings with it, separated by colons. LAUNCHER may be sbatch: this
// very program is then run with the launcher slurm, in a batch job.

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "launch/here.h"
#include "launch/launchers.h"
#include "launch/runner.h"
#include "launch/slurm.h"
#include "launch/staging.h"

namespace lockstep::launch {
namespace {

std::atomic<bool> g_stop = false;

void print(std::string_view what, const Outcome& outcome, double started) {
  fmt::print("{} {:.2f}s{}{}\n", what, now() - started, outcome.stopped ? " stopped" : "",
             outcome.timed_out ? " timed_out" : "");
  for (const Ended& ended : outcome.processes) {
    fmt::print("{} {}\n", ended.name, ended.exit_code);
  }
  if (const Ended* failed = outcome.first_failure()) {
    fmt::print(stderr, "{} failed with {}: {}\n", failed->name, failed->exit_code, failed->tail);
  }
}

ExitCode submit(std::vector<std::string> arguments) {
  const std::string directory = arguments.at(6);
  const auto hosts = spec::read_hosts_file(arguments.at(2), process_getenv).size();
  arguments[1] = "slurm";
  const Batch batch = {.name = fmt::format("lockstep-{}", getpid()),
                       .hosts = static_cast<int>(hosts),
                       .time_limit = std::stod(arguments.at(7)),
                       .directory = "/",
                       .log = directory + "/batch.log",
                       .command = arguments};
  std::filesystem::create_directories(directory);
  write_file(directory + "/batch.sh", sbatch_script(batch));
  const double started = now();
  const Outcome outcome =
      run(std::vector{submission(batch, directory + "/batch.sh")}, {.stop = &g_stop});
  print("submitted", outcome, started);
  return outcome.ok() ? ExitCode::ok : ExitCode::rank_failed;
}

ExitCode launch_once(const std::vector<std::string>& arguments) {
  const LauncherRow& launcher = find_launcher(arguments.at(1));
  Site site;
  site.hosts = spec::read_hosts_file(arguments.at(2), process_getenv);
  site.remote_dir = arguments.at(5);
  site.root = geteuid() == 0;
  if (site.remote_dir == "-") site.remote_dir.clear();
  spec::mark_here(site.hosts, own_names());

  Bundle bundle;
  for (const std::string& file : split(arguments.at(8), ':')) bundle.files.emplace_back(file);
  bundle.sum = checksum(bundle.files);
  site.build = bundle.build();
  const Job job = {.id = fmt::format("job.{}", getpid()),
                   .program = bundle.files.front(),
                   .flags = {arguments.begin() + 9, arguments.end()},
                   .devices = std::stoi(arguments.at(3)),
                   .servers = std::stoi(arguments.at(4)),
                   .result_dir = arguments.at(6)};
  RunOptions options = {.log_dir = job.result_dir + "/logs", .stop = &g_stop};
  const std::vector<Command> commands = launcher.commands(job, site);

  double started = now();
  stage(site, bundle, options);
  fmt::print("staged {:.2f}s\n", now() - started);

  started = now();
  options.time_limit = std::stod(arguments.at(7));
  const Outcome outcome = run(commands, options);
  print("ran", outcome, started);

  started = now();
  options.stop = nullptr;
  print("collected", run(launcher.collect(job, site), options), started);
  return outcome.ok() ? ExitCode::ok : ExitCode::rank_failed;
}

}  // namespace
}  // namespace lockstep::launch

int main(int argc, char** argv) {
  std::signal(SIGTERM, [](int) { lockstep::launch::g_stop = true; });
  try {
    const std::vector<std::string> arguments(argv, argv + argc);
    return static_cast<int>(arguments.at(1) == "sbatch" ? lockstep::launch::submit(arguments)
                                                        : lockstep::launch::launch_once(arguments));
  } catch (const lockstep::Error& error) {
    fmt::print(stderr, "error: {}\n  hint: {}\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
}
