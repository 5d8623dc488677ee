#include "train/milestones.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::train {
namespace {

using testing::ElementsAre;

// Evaluations behind the first 20 steps of 10 images each; an epoch has 25 images.
std::vector<int> evaluations(const spec::Evaluation& evaluation) {
  spec::Trial trial;
  trial.data.dir = "d";
  trial.evaluation = evaluation;
  const Milestones milestones(trial, 25, 10);
  std::vector<int> steps;
  for (int step = 1; step <= 20; ++step) {
    if (milestones.evaluates_behind(step)) steps.push_back(step);
  }
  return steps;
}

TEST(Milestones, EvaluateAtStepsAndWhereEpochsEnd) {
  EXPECT_THAT(evaluations({.every_steps = 8}), ElementsAre(8, 16));
  EXPECT_THAT(evaluations({.every_epochs = 2}), ElementsAre(5, 10, 15, 20));
  EXPECT_THAT(evaluations({.every_epochs = 3}), ElementsAre(8, 15));
  EXPECT_THAT(evaluations({.at_steps = "3,7"}), ElementsAre(3, 7));
  EXPECT_THAT(evaluations({.at_epochs = "1,2"}), ElementsAre(3, 5));
  EXPECT_THAT(evaluations({}), ElementsAre());
}

TEST(Milestones, SaveByStepsOrByTheClock) {
  spec::Trial trial;
  trial.checkpoints = {.dir = "t", .save_steps = 5};
  const Milestones steps(trial, 25, 10);
  EXPECT_TRUE(steps.saves_behind(10, 0));
  EXPECT_FALSE(steps.saves_behind(11, 1e6));
  trial.checkpoints = {.dir = "t", .save_secs = 60};
  const Milestones clock(trial, 25, 10);
  EXPECT_TRUE(clock.saves_behind(11, 60));
  EXPECT_FALSE(clock.saves_behind(11, 59));
}

}  // namespace
}  // namespace lockstep::train
