#include "train/epochs.h"

#include <gtest/gtest.h>

namespace lockstep::train {
namespace {

model::Model cifar_model() {
  model::Model model{};
  model.dataset = "cifar10";
  return model;
}

TEST(ExamplesPerEpoch, AreTheTrialsDatasetsOrElseTheModels) {
  spec::Trial trial;
  EXPECT_EQ(examples_per_epoch(trial, cifar_model()), 50000);
  trial.dataset = "mnist";
  EXPECT_EQ(examples_per_epoch(trial, cifar_model()), 60000);
}

TEST(TimedBatches, AreWhatTheEpochsComeToOrElseTheNumberAskedFor) {
  spec::Trial trial;
  trial.num_batches = 7;
  EXPECT_EQ(timed_batches(trial, 50000, 128), 7);
  trial.num_epochs = 2;
  EXPECT_EQ(timed_batches(trial, 50000, 128), 782);
}

}  // namespace
}  // namespace lockstep::train
