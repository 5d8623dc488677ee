#include "cli/sweep_batch.h"

#include <gmock/gmock.h>

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

launch::Batch batch(bool live) {
  const Launching launching{.launcher = launch::find_launcher("slurm"),
                            .site = {},
                            .program = "/opt/lockstep",
                            .sweep = "my, sweep_7.1",
                            .live = live};
  return batch_of({.hosts = 3, .tasks_per_host = 2, .options = {"--partition=gpu"}}, launching,
                  "/home/me/my, sweep_7.1");
}

TEST(SweepBatch, GoesOnWithTheSweepInItsAllocation) {
  EXPECT_THAT(batch(false).command, ElementsAre("/opt/lockstep", "sweep", "--resume",
                                                "--result_dir=/home/me/my, sweep_7.1"));
  EXPECT_EQ(batch(true).command.back(), "--live");
}

TEST(SweepBatch, HasANameThatScriptsAndListsTake) {
  EXPECT_THAT(batch(false).name, MatchesRegex("lockstep-my__sweep_7.1-[0-9]+"));
}

TEST(SweepBatch, IsShownAsItsScriptAndTheCommandThatHandsItIn) {
  const std::string text = submission_text(batch(false), "/home/me/my, sweep_7.1");
  EXPECT_THAT(text, HasSubstr("# /home/me/my, sweep_7.1/batch.sh\n#!/bin/sh\n#SBATCH --job-name="));
  EXPECT_THAT(text, HasSubstr("#SBATCH --nodes=3\n#SBATCH --ntasks-per-node=2\n"
                              "#SBATCH --partition=gpu\nexec /opt/lockstep sweep --resume"));
  EXPECT_THAT(text, HasSubstr("$(sbatch --parsable --chdir="));
}

}  // namespace
}  // namespace lockstep::cli
