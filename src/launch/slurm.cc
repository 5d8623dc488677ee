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

// The states of a job of which nothing runs any more.
const std::vector<std::string> kFinal = {"COMPLETED", "CANCELLED", "FAILED",
                                         "TIMEOUT",   "NODE_FAIL", "PREEMPTED",
                                         "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY"};

// Of the name of a job, the command that hands it in, and the final states. sbatch --wait looks
// after a job ever more rarely (one of 5 s is noticed after 10), and does not wait for the
// processes of one that was cancelled. Cancelled is twice, lest the job was only about to be handed
// in the first time. A code of 0 is good of a job that completed, and of no other.
constexpr const char* kSubmission = R"(exec 3<&0
{{ cat <&3; scancel --name={0}; sleep 2; scancel --name={0}; }} >/dev/null 2>&1 &
watch=$!
id=$({1} 3<&-) || {{ kill $watch 2>/dev/null; exit 1; }}
id=${{id%%;*}}
exec 3<&-
while sleep 1; do
  job=$(scontrol show job "$id" 2>&1)
  case $job in
    *"Invalid job id"*) kill $watch 2>/dev/null; echo "job $id is gone"; exit 1;;
    *JobState={2}*) break;;
  esac
done
kill $watch 2>/dev/null
state=${{job#*JobState=}}; state=${{state%%[!A-Z_]*}}
code=${{job#*ExitCode=}}; code=${{code%%[!0-9:]*}}
echo "job $id: $state"
case $code in
  0:0) [ "$state" = COMPLETED ]; exit;;
  *:0) exit "${{code%:0}}";;
  *) exit $((128 + ${{code#*:}}));;
esac)";

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
  std::vector<std::string> submit = {"sbatch", "--parsable", "--chdir=" + batch.directory};
  if (!batch.output.empty()) submit.push_back("--output=" + literal(batch.output));
  submit.push_back((batch.output.empty() ? "--output=" : "--error=") + literal(batch.log));
  submit.push_back(script_path);
  const std::string script = fmt::format(kSubmission, shell_quoted(batch.name), shell_line(submit),
                                         join(kFinal, "*|*JobState="));
  return {.name = "sbatch", .argv = {"sh", "-c", script}, .ends_with_input = true};
}

}  // namespace lockstep::launch
