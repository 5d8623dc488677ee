#include "report/console.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::report {
namespace {

// Steps of the given times with these losses; top-1 and top-5 are a tenth and a half.
std::vector<record::Sample> steps_of(const std::vector<double>& times, float loss) {
  std::vector<record::Sample> samples;
  double clock = 0;
  for (const double time : times) {
    samples.push_back({.step = static_cast<std::int64_t>(samples.size()),
                       .begin = clock,
                       .end = clock + time,
                       .loss = loss,
                       .base_loss = loss - 1,
                       .top_1 = 0.1F,
                       .top_5 = 0.5F});
    clock += time;
  }
  return samples;
}

std::string lines_of(StepLog log, const std::vector<record::Sample>& samples) {
  std::string text = log.header();
  for (const auto& sample : samples) text += log.add(sample).value_or("");
  return text;
}

Header vgg16() {
  return {.version = "0.1.0",
          .model = "vgg16",
          .dataset = "imagenet (synthetic)",
          .mode = "training",
          .global_batch = 8,
          .device_batch = 8,
          .num_batches = 3,
          .num_epochs = 24 / 1281167.0,
          .devices = {"/cpu:0"},
          .data_format = "NHWC",
          .optimizer = "sgd",
          .variables = "parameter_server",
          .more = {}};
}

// The whole output of a real run of tf_cnn_benchmarks but for the first line.
TEST(Console, PrintsWhatTfCnnBenchmarksPrints) {
  spec::Trial trial;
  trial.display_every = 1;
  std::vector<record::Sample> samples = steps_of({14, 14, 14.1}, 7437.018F);
  samples[1].loss = samples[2].loss = -std::nanf("");
  std::string text = header_block(vgg16());
  text += kGeneratingTraining;
  text += kInitializing;
  text += kRunningWarmup;
  text += kDoneWarmup;
  text += lines_of(StepLog(trial, 8), samples);
  text += total_block(0.5699);
  EXPECT_EQ(text,
            "lockstep:    0.1.0\n"
            "Model:       vgg16\n"
            "Dataset:     imagenet (synthetic)\n"
            "Mode:        training\n"
            "SingleSess:  False\n"
            "Batch size:  8 global\n"
            "             8 per device\n"
            "Num batches: 3\n"
            "Num epochs:  0.00\n"
            "Devices:     ['/cpu:0']\n"
            "NUMA bind:   False\n"
            "Data format: NHWC\n"
            "Optimizer:   sgd\n"
            "Variables:   parameter_server\n"
            "==========\n"
            "Generating training model\n"
            "Initializing graph\n"
            "Running warm up\n"
            "Done warm up\n"
            "Step\tImg/sec\ttotal_loss\n"
            "1\timages/sec: 0.6 +/- 0.0 (jitter = 0.0)\t7437.018\n"
            "2\timages/sec: 0.6 +/- 0.0 (jitter = 0.0)\tnan\n"
            "3\timages/sec: 0.6 +/- 0.0 (jitter = 0.0)\tnan\n"
            "----------------------------------------------------------------\n"
            "total images/sec: 0.57\n"
            "----------------------------------------------------------------\n");
}

TEST(Console, ListsAllDevicesAndTheLinesThatOnlySomeRunsHave) {
  Header header = vgg16();
  header.devices = {"/cpu:0", "/cpu:1"};
  header.more = {{"AllReduce", "xring"}, {"Sync", "True"}};
  const std::string text = header_block(header);
  EXPECT_NE(text.find("\nDevices:     ['/cpu:0', '/cpu:1']\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with(
      "\nVariables:   parameter_server\nAllReduce:   xring\nSync:        True\n==========\n"));
}

TEST(StepLog, SpeaksOfTheFirstStepAndOfEveryTenthAndOfAllStepsSoFar) {
  const spec::Trial trial;
  // 64 images: ten speeds of 640 and ten of 320, mean of the speeds 480, images over time 426.7.
  std::vector<double> times(10, 0.1);
  times.resize(20, 0.2);
  EXPECT_EQ(lines_of(StepLog(trial, 64), steps_of(times, 9.1336F)),
            "Step\tImg/sec\ttotal_loss\n"
            "1\timages/sec: 640.0 +/- 0.0 (jitter = 0.0)\t9.134\n"
            "10\timages/sec: 640.0 +/- 0.0 (jitter = 0.0)\t9.134\n"
            "20\timages/sec: 426.7 +/- 35.8 (jitter = 237.2)\t9.134\n");
}

TEST(StepLog, CountsItsStepsFromOneWhateverTheWarmUpTook) {
  const spec::Trial trial;
  std::vector<record::Sample> samples = steps_of({0.5}, 1);
  samples[0].step = 13;
  EXPECT_EQ(StepLog(trial, 1).add(samples[0]),
            "1\timages/sec: 2.0 +/- 0.0 (jitter = 0.0)\t1.000\n");
}

TEST(StepLog, ShowsTheLossThatWasAskedForAndAccuracies) {
  spec::Trial trial;
  trial.loss_to_report = spec::LossToReport::base;
  trial.print_training_accuracy = true;
  EXPECT_EQ(lines_of(StepLog(trial, 1), steps_of({0.5}, 3)),
            "Step\tImg/sec\tbase_loss\ttop_1_accuracy\ttop_5_accuracy\n"
            "1\timages/sec: 2.0 +/- 0.0 (jitter = 0.0)\t2.000\t0.100\t0.500\n");
}

TEST(StepLog, ShowsAccuraciesOfForwardOnlyRuns) {
  spec::Trial trial;
  trial.mode = spec::Mode::forward_only;
  EXPECT_EQ(StepLog(trial, 1).header(),
            "Step\tImg/sec\ttotal_loss\ttop_1_accuracy\ttop_5_accuracy\n");
}

TEST(StepLog, CanFollowAMovingAverage) {
  spec::Trial trial;
  trial.display_every = 3;
  trial.display_perf_ewma = 0.5;
  EXPECT_EQ(lines_of(StepLog(trial, 7), steps_of({4, 2, 1}, 1)),
            "Step\tImg/sec\ttotal_loss\n"
            "1\timages/sec: 1.8 +/- 0.0 (jitter = 0.0)\t1.000\n"
            "3\timages/sec: 4.1 +/- 1.3 (jitter = 2.6)\t1.000\n");
}

TEST(Console, PrintsEvaluationsAsTfCnnBenchmarksDoes) {
  EXPECT_EQ(evaluation_line(10, 123.44), "10\t123.4 examples/sec\n");
  EXPECT_EQ(accuracy_line({0.7512, 0.92341}, 50000),
            "Accuracy @ 1 = 0.7512 Accuracy @ 5 = 0.9234 [50000 examples]\n");
}

}  // namespace
}  // namespace lockstep::report
