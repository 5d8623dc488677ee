#include "launch/slurm.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <limits>
#include <map>

#include "base/files.h"
#include "base/getenv.h"
#include "base/temporary_directory.h"
#include "launch/runner.h"

namespace lockstep::launch {
namespace {

namespace fs = std::filesystem;

// A Slurm whose one job is in $STATE with $CODE, from the first look on.
class FakeSlurm {
 public:
  FakeSlurm() {
    program("sbatch", "[ -z \"$REFUSAL\" ] || { echo \"$REFUSAL\"; exit 1; } >&2; echo '12;here'");
    program("scancel", "");
    program("scontrol",
            "printf 'JobId=12\\n   JobState=%s Reason=None\\n   ExitCode=%s\\n' $STATE $CODE");
  }

  Command submission_with(std::map<std::string, std::string> environment) const {
    Command command = submission(
        {.name = "lockstep-7", .directory = "/", .log = "/log", .command = {}}, "/script");
    environment["PATH"] = directory_.path().string() + ":" + process_getenv("PATH");
    command.environment = std::move(environment);
    return command;
  }

 private:
  void program(const char* name, const char* line) const {
    const fs::path path = directory_.path() / name;
    write_file(path, fmt::format("#!/bin/sh\n{}\n", line));
    fs::permissions(path, fs::perms::owner_all);
  }

  TemporaryDirectory directory_;
};

TEST(SlurmSubmission, EndsAsItsJobDoes) {
  const FakeSlurm slurm;
  const std::map<std::string, int> codes = {{"COMPLETED 0:0", 0},
                                            {"FAILED 5:0", 5},
                                            {"FAILED 143:0", 143},
                                            {"CANCELLED 0:15", 143},
                                            {"TIMEOUT 0:0", 1}};
  std::vector<Command> commands;
  for (const auto& [job, code] : codes) {
    const std::size_t blank = job.find(' ');
    commands.push_back(
        slurm.submission_with({{"STATE", job.substr(0, blank)}, {"CODE", job.substr(blank + 1)}}));
    commands.back().name = job;
  }
  const Outcome outcome =
      run(commands, {.time_limit = 20, .grace = std::numeric_limits<double>::infinity()});
  EXPECT_FALSE(outcome.timed_out);
  std::map<std::string, int> ended;
  for (const Ended& one : outcome.processes) ended[one.name] = one.exit_code;
  EXPECT_EQ(ended, codes);
}

TEST(SlurmSubmission, SaysWhyAJobWasNotTaken) {
  const FakeSlurm slurm;
  const Outcome outcome = run(
      std::vector{slurm.submission_with({{"REFUSAL", "invalid partition"}})}, {.time_limit = 20});
  ASSERT_NE(outcome.first_failure(), nullptr);
  EXPECT_EQ(outcome.first_failure()->exit_code, 1);
  EXPECT_EQ(outcome.first_failure()->tail, "invalid partition");
}

}  // namespace
}  // namespace lockstep::launch
