#include "train/learning_rate.h"

#include <gtest/gtest.h>

namespace lockstep::train {
namespace {

// Ten steps make an epoch unless a test says otherwise.
constexpr std::int64_t kBatch = 5, kExamples = 50;

LearningRate schedule(const spec::LearningRate& asked, const model::OwnLearningRate& own = {},
                      std::int64_t global_batch = kBatch) {
  return {asked, own, global_batch, kExamples};
}

model::OwnLearningRate resnet() {
  return {.base = 0.128F,
          .base_batch = 256,
          .warmup_epochs = 5,
          .decay_epochs = {30, 60, 80, 90},
          .decay_factors = {0.1F, 0.01F, 0.001F, 0.0001F}};
}

TEST(LearningRate, IsTheModelsOwnWhenNothingIsAsked) {
  const LearningRate rate = schedule({});
  EXPECT_FLOAT_EQ(static_cast<float>(rate.at(0)), 0.005F);
  EXPECT_FLOAT_EQ(static_cast<float>(rate.at(1'000'000)), 0.005F);
}

TEST(LearningRate, IsTheInitialOneRatherThanTheModelsOwn) {
  spec::LearningRate asked;
  asked.initial = 0.3;
  EXPECT_EQ(schedule(asked, resnet()).at(0), 0.3);
  EXPECT_EQ(schedule(asked, resnet()).at(10'000), 0.3);
}

TEST(LearningRate, IsPiecewiseRatherThanInitial) {
  spec::LearningRate asked;
  asked.initial = 0.3;
  asked.piecewise = "0.1;3;0.01;6;0.001";
  const LearningRate rate = schedule(asked);
  EXPECT_EQ(rate.at(0), 0.1);
  EXPECT_EQ(rate.at(29), 0.1);
  EXPECT_EQ(rate.at(30), 0.01);
  EXPECT_EQ(rate.at(59), 0.01);
  EXPECT_EQ(rate.at(60), 0.001);
}

TEST(LearningRate, DecaysInStairsDownToTheMinimum) {
  spec::LearningRate asked;
  asked.initial = 0.8;
  asked.epochs_per_decay = 2;
  asked.decay_factor = 0.5;
  asked.minimum = 0.15;
  const LearningRate rate = schedule(asked);
  EXPECT_EQ(rate.at(19), 0.8);
  EXPECT_EQ(rate.at(20), 0.4);
  EXPECT_EQ(rate.at(40), 0.2);
  EXPECT_EQ(rate.at(60), 0.15);
  EXPECT_EQ(rate.at(1000), 0.15);
}

TEST(LearningRate, DoesNotDecayWithoutAFactor) {
  spec::LearningRate asked;
  asked.initial = 0.8;
  asked.epochs_per_decay = 2;
  EXPECT_EQ(schedule(asked).at(1000), 0.8);
}

TEST(LearningRate, DecaysEveryStepWhenTheIntervalIsShorterThanOne) {
  spec::LearningRate asked;
  asked.initial = 0.8;
  asked.epochs_per_decay = 0.01;
  asked.decay_factor = 0.5;
  EXPECT_EQ(schedule(asked).at(1), 0.4);
}

TEST(LearningRate, WarmsUpInAStraightLine) {
  spec::LearningRate asked;
  asked.initial = 0.8;
  asked.warmup_epochs = 2;
  const LearningRate initial = schedule(asked);
  EXPECT_EQ(initial.at(0), 0);
  EXPECT_EQ(initial.at(5), 0.2);
  EXPECT_EQ(initial.at(20), 0.8);
  asked.initial.reset();
  asked.piecewise = "0.4;1;0.2";
  const LearningRate piecewise = schedule(asked);
  EXPECT_EQ(piecewise.at(15), 0.4 * 15 / 20);
  EXPECT_EQ(piecewise.at(20), 0.2);
}

TEST(LearningRate, LeavesTheModelsOwnWarmUpToTheModel) {
  spec::LearningRate asked;
  asked.warmup_epochs = 2;
  EXPECT_GT(schedule(asked).at(0), 0);
}

TEST(LearningRate, OfAResNetFollowsTheGlobalBatch) {
  const LearningRate rate({}, resnet(), 1024, 1024 * 100);  // a hundred steps an epoch
  EXPECT_EQ(rate.at(0), 0);
  EXPECT_NEAR(rate.at(250), 0.256, 1e-7);
  EXPECT_NEAR(rate.at(500), 0.512, 1e-7);
  EXPECT_NEAR(rate.at(2999), 0.512, 1e-7);
  EXPECT_NEAR(rate.at(3000), 0.0512, 1e-7);
  EXPECT_NEAR(rate.at(9000), 0.0000512, 1e-9);
}

TEST(LearningRate, OfAResNetCanStartFromAnotherBase) {
  spec::LearningRate asked;
  asked.resnet_base = 0.2;
  const LearningRate rate(asked, resnet(), 512, 512 * 10);
  EXPECT_NEAR(rate.at(60), 0.4, 1e-12);
  EXPECT_FLOAT_EQ(static_cast<float>(schedule(asked).at(0)), 0.005F);  // no ResNet
}

TEST(UnusedRate, IsAResNetsBaseForAnyOtherModel) {
  spec::LearningRate asked;
  EXPECT_EQ(unused_rate(asked, {}), std::nullopt);
  asked.resnet_base = 0.2;
  EXPECT_EQ(unused_rate(asked, resnet()), std::nullopt);
  EXPECT_EQ(unused_rate(asked, {}),
            "--resnet_base_lr=0.2 has no effect: it acts on the ResNets for imagenet only");
  asked.initial = 0.1;
  EXPECT_EQ(unused_rate(asked, {}), std::nullopt) << "the parser has warned already";
}

TEST(LearningRate, OfAModelCanFallInStairs) {
  model::OwnLearningRate own;
  own.base = 0.1F;
  own.step_epochs = 100;
  own.step_factor = 0.1F;
  const LearningRate rate = schedule({}, own);
  EXPECT_NEAR(rate.at(999), 0.1, 1e-7);
  EXPECT_NEAR(rate.at(1000), 0.01, 1e-7);
  EXPECT_NEAR(rate.at(2000), 0.001, 1e-7);
}

TEST(LearningRate, ReachesAnEpochEarlierWithALargerBatch) {
  spec::LearningRate asked;
  asked.piecewise = "1;4;0.5";
  EXPECT_EQ(schedule(asked, {}, kBatch).at(20), 1);
  EXPECT_EQ(schedule(asked, {}, 2 * kBatch).at(20), 0.5);
}

TEST(LearningRate, TakesEpochsThatNeverCome) {
  spec::LearningRate asked;
  asked.piecewise = "0.4;1e300;0.2;1e308;0.1";
  EXPECT_EQ(schedule(asked).at(1'000'000), 0.4);
  asked.warmup_epochs = 1e308;
  EXPECT_GT(schedule(asked).at(1'000'000), 0);
  EXPECT_LT(schedule(asked).at(1'000'000), 1e-9);
  asked = {};
  asked.initial = 0.8;
  asked.epochs_per_decay = 1e300;
  asked.decay_factor = 0.5;
  EXPECT_EQ(schedule(asked).at(1'000'000), 0.8);
}

}  // namespace
}  // namespace lockstep::train
