#include "launch/slurm.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "launch/ranks.h"
#include "launch/remote.h"

namespace lockstep::launch {
namespace {

// "02:03:04"; Slurm counts whole minutes, and rounds up.
std::string slurm_time(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  return fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

// Names of files are patterns to sbatch.
std::string literal(std::string_view path) {
  std::string text;
  for (const char c : path) text += c == '%' ? "%%" : std::string(1, c);
  return text;
}

}  // namespace

std::vector<Command> slurm(const Job& job, const Site& site) {
  if (site.hosts.empty()) {
    throw Error(ExitCode::usage, "srun needs an allocation, and there is none",
                "start this within salloc or sbatch");
  }
  // A name for each task, in the order of ranks.
  std::vector<std::string> tasks;
  for (const Rank& rank : ranks(placement(job, site.hosts, site), {})) {
    tasks.push_back(site.hosts[rank.host].address);
  }
  std::vector<std::string> names = tasks;
  std::ranges::sort(names);
  const auto hosts = std::ranges::unique(names).begin() - names.begin();
  // One that fails ends the others; ranks pin themselves.
  std::vector<std::string> words = {"srun",
                                    "--kill-on-bad-exit=1",
                                    "--mpi=pmix",
                                    "--cpu-bind=none",
                                    "--overcommit",
                                    fmt::format("--nodes={}", hosts),
                                    fmt::format("--ntasks={}", tasks.size()),
                                    "--distribution=arbitrary",
                                    "--nodelist=" + join(tasks, ",")};
  words.insert(words.end(), site.extra.begin(), site.extra.end());
  const std::vector<std::string> run = run_command(job, job.program, 1, job.result_dir);
  words.insert(words.end(), run.begin(), run.end());
  return {{.name = "srun", .argv = std::move(words), .failure = kFailure}};
}

std::string sbatch_script(const Batch& batch) {
  std::string script = "#!/bin/sh\n";
  const auto option = [&](const std::string& text) { script += "#SBATCH " + text + "\n"; };
  option("--job-name=" + batch.name);
  option(fmt::format("--nodes={}", batch.hosts));
  if (batch.tasks_per_host > 0) option(fmt::format("--ntasks-per-node={}", batch.tasks_per_host));
  if (batch.time_limit > 0) option("--time=" + slurm_time(batch.time_limit));
  for (const std::string& text : batch.options) option(text);
  return script + "exec " + shell_line(batch.command) + "\n";
}

Command submission(const Batch& batch, const std::string& script_path) {
  std::vector<std::string> submit = {"sbatch", "--wait", "--chdir=" + batch.directory};
  if (!batch.output.empty()) submit.push_back("--output=" + literal(batch.output));
  submit.push_back((batch.output.empty() ? "--output=" : "--error=") + literal(batch.log));
  submit.push_back(script_path);
  // sbatch leaves the job alone when it is ended itself, and does not wait for the processes of one
  // that was cancelled.
  const std::string script = fmt::format(
      "exec 3<&0; {0} 3<&- & job=$!; {{ cat <&3; scancel --name={1}; }} >/dev/null & "
      "watch=$!; exec 3<&-; wait $job; code=$?; "
      "while [ \"$(squeue --noheader --name={1})\" ]; do sleep 1; done; "
      "kill $watch; exit $code",
      shell_line(submit), shell_quoted(batch.name));
  return {.name = "sbatch", .argv = {"sh", "-c", script}, .ends_with_input = true};
}

}  // namespace lockstep::launch
