#include "cli/sweep_batch.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "base/file_name.h"
#include "base/files.h"
#include "base/streams.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/follow.h"
#include "cli/interrupt.h"
#include "cli/sweep_directory.h"
#include "launch/process.h"
#include "launch/runner.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

// Seconds for a job that was cancelled: Slurm gives it 30 by default to end by itself.
constexpr double kPatience = 45;

// One that no other job has: it is cancelled by its name. Blanks would end it in the script, and
// commas in the list of names to cancel.
std::string job_name(std::string_view sweep) {
  return fmt::format("lockstep-{}-{}", file_name(sweep), getpid());
}

std::string script_path(const fs::path& directory) {
  return (directory / "batch.sh").string();
}

bool is_of_a_sweep(int code) {
  constexpr ExitCode kCodes[] = {
      ExitCode::ok,          ExitCode::usage,    ExitCode::environment, ExitCode::launch,
      ExitCode::rank_failed, ExitCode::unstable, ExitCode::interrupted, ExitCode::terminated};
  return std::ranges::count(kCodes, static_cast<ExitCode>(code)) > 0;
}

// What came of the job. `log` is there if it began.
ExitCode judge(const launch::Outcome& outcome, const fs::path& log) {
  const launch::Ended& sbatch = outcome.processes.front();
  if (outcome.stopped) {
    return Interrupt::signal() == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
  }
  if (!fs::exists(log)) {
    throw Error(ExitCode::launch, fmt::format("the batch job did not run: {}", sbatch.tail),
                "--sbatch_args takes what the job needs, such as --partition or --account");
  }
  if (is_of_a_sweep(sbatch.exit_code)) return static_cast<ExitCode>(sbatch.exit_code);
  throw Error(ExitCode::rank_failed, fmt::format("the batch job failed: {}", sbatch.tail),
              fmt::format("see {}", log.string()));
}

}  // namespace

launch::Batch batch_of(const Place::Batch& place, const Launching& launching,
                       const fs::path& directory) {
  launch::Batch batch{
      .name = job_name(launching.sweep),
      .hosts = place.hosts,
      .tasks_per_host = place.tasks_per_host,
      .directory = fs::current_path().string(),
      .output = (directory / "batch.out").string(),
      .log = (directory / "batch.log").string(),
      .options = place.options,
      .command = {launching.program, "sweep", "--resume", "--result_dir=" + directory.string()}};
  if (launching.live) batch.command.emplace_back("--live");
  return batch;
}

std::string submission_text(const launch::Batch& batch, const fs::path& directory) {
  const std::string script = script_path(directory);
  return fmt::format("# {}\n{}\n{}\n", script, launch::sbatch_script(batch),
                     launch::shell_line(launch::submission(batch, script)));
}

ExitCode submit(const launch::Batch& batch, const spec::Sweep& sweep, const fs::path& directory,
                bool resume) {
  launch::executable({.name = "sbatch", .argv = {"sbatch"}});
  { const SweepDirectory made(directory, sweep, resume); }  // the job is who works in it
  const std::string script = script_path(directory);
  write_file(script, launch::sbatch_script(batch));
  for (const std::string& old : {batch.output, batch.log}) fs::remove(old);

  Interrupt::listen();
  print_note(fmt::format("the sweep is a batch job, {}; its log is {}", batch.name, batch.log));
  const launch::Outcome outcome = [&] {
    const Follow log(batch.log, stderr);
    return launch::run(std::vector{launch::submission(batch, script)},
                       {.stop = &Interrupt::asked(), .patience = kPatience});
  }();
  if (fs::exists(batch.output)) print_output("{}", read_file(batch.output));
  if (outcome.stopped) print_note("the batch job is cancelled; --resume goes on with its sweep");
  return judge(outcome, batch.log);
}

}  // namespace lockstep::cli
