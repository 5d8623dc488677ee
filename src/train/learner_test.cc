#include "train/learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/tally.h"

namespace lockstep::train {
namespace {

using testing::Each;

// Three parameters, the second of which does not decay, and nobody's floats between them.
const Layout kSmallLayout{.segments = {{0, 6, true}, {6, 4, false}, {12, 4, true}}, .floats = 16};
constexpr double kInitialRate = 0.5;

model::Model plain_model() {
  model::Model model{};
  model.dataset = "mnist";
  model.learning_rate = [] { return model::OwnLearningRate{}; };
  return model;
}

class LearnerTest : public testing::Test {
 protected:
  LearnerTest() {
    trial_.learning_rate.initial = kInitialRate;
    trial_.optimizer.weight_decay = 0;
  }

  // Ready for its first update.
  Learner learner(int gradients_of) {
    Learner learner(trial_, model_, kSmallLayout, 64, 60000, gradients_of, values_);
    learner.begin_step(0);
    return learner;
  }

  spec::Trial trial_;
  model::Model model_ = plain_model();
  std::vector<float> values_ = std::vector<float>(kSmallLayout.floats + kTallyFloats, 2.0F);
  std::vector<float> sums_ = std::vector<float>(kSmallLayout.floats + kTallyFloats, 8.0F);
};

TEST_F(LearnerTest, FollowsTheMeanOfTheGradientsThatMakeASum) {
  learner(4).update({0, 6}, sums_.data());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(values_[i], 2 - kInitialRate * 8 / 4);
  for (std::size_t i = 6; i < values_.size(); ++i) EXPECT_EQ(values_[i], 2);
}

TEST_F(LearnerTest, FollowsTheGradientsOfARankOnItsOwn) {
  learner(1).update({0, 1}, sums_.data());
  EXPECT_EQ(values_[0], 2 - kInitialRate * 8);
}

TEST_F(LearnerTest, DecaysWhatDecaysAndNothingElse) {
  trial_.optimizer.weight_decay = 0.25;
  std::ranges::fill(sums_, 0.0F);
  learner(1).update({0, 16}, sums_.data());
  for (const std::size_t i : {0, 5, 12, 15}) EXPECT_EQ(values_[i], 2 - kInitialRate * 0.25 * 2);
  for (const std::size_t i : {6, 9}) EXPECT_EQ(values_[i], 2);
}

TEST_F(LearnerTest, TakesTheModelsDecayWhereTheTrialNamesNone) {
  trial_.optimizer.weight_decay.reset();
  model_.weight_decay = 0.25;
  std::ranges::fill(sums_, 0.0F);
  learner(1).update({0, 1}, sums_.data());
  EXPECT_EQ(values_[0], 2 - kInitialRate * 0.25 * 2);
}

TEST_F(LearnerTest, UpdatesTheSameInAnyPieces) {
  trial_.optimizer.weight_decay = 0.25;
  trial_.optimizer.kind = spec::OptimizerKind::momentum;
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] = static_cast<float>(i);
  const std::vector<float> before = values_;
  learner(3).update({0, 16}, sums_.data());
  const std::vector<float> whole = values_;
  for (const std::size_t piece : {1, 3, 5, 7}) {
    values_ = before;
    Learner learner = this->learner(3);
    for (std::size_t begin = 0; begin < 16; begin += piece) {
      const std::size_t end = std::min<std::size_t>(begin + piece, 16);
      learner.update({begin, end}, &sums_[begin]);
    }
    EXPECT_EQ(values_, whole);
  }
}

TEST_F(LearnerTest, LeavesWhatBelongsToNoParameter) {
  learner(1).update({0, 16}, sums_.data());
  EXPECT_EQ(values_[10], 2);
  EXPECT_EQ(values_[11], 2);
}

TEST_F(LearnerTest, ReturnsTheSquaresOfWhatDecays) {
  Learner learner = this->learner(4);
  EXPECT_EQ(learner.squares({0, 16}), 10 * 4);
  EXPECT_EQ(learner.received({4, 13}, sums_.data()), 3 * 64);  // what they become
  EXPECT_EQ(learner.received({6, 12}, sums_.data()), 0);
  EXPECT_EQ(learner.update({4, 13}, sums_.data()), 3 * 1);  // 2 - 0.5 * 8 / 4 = 1
  EXPECT_EQ(learner.squares({0, 16}), 7 * 4 + 3 * 1);
}

TEST_F(LearnerTest, TakesTheSumsOfTheTallyAsTheyAre) {
  EXPECT_EQ(learner(4).update({16, 16 + kTallyFloats}, sums_.data()), 0);
  EXPECT_THAT(std::span(values_).first(16), Each(2));
  EXPECT_THAT(std::span(values_).subspan(16), Each(8));
  EXPECT_EQ(learner(4).received({16, 16 + kTallyFloats}, sums_.data()), 0);
}

TEST_F(LearnerTest, IsAStepLateWithRelaxedConsistency) {
  trial_.exchange.variable_consistency = spec::VariableConsistency::relaxed;
  Learner learner = this->learner(1);
  EXPECT_EQ(learner.update({0, 1}, sums_.data()), 2 * 2);
  EXPECT_EQ(values_[0], 2);
  learner.begin_step(1);
  const float next = 100;
  learner.update({0, 1}, &next);
  EXPECT_EQ(values_[0], 2 - kInitialRate * 8);
}

TEST_F(LearnerTest, FollowsTheLearningRateOfTheStep) {
  trial_.learning_rate.piecewise = "0.5;0.002;0";  // 60,000 examples, 64 a step: 0 from step 1 on
  Learner learner = this->learner(1);
  learner.update({0, 1}, sums_.data());
  learner.begin_step(1);
  learner.update({1, 2}, sums_.data());
  EXPECT_EQ(values_[0], 2 - kInitialRate * 8);
  EXPECT_EQ(values_[1], 2);
}

}  // namespace
}  // namespace lockstep::train
