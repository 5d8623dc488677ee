#include "cli/outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

Job job_of(const char* model, spec::Mode mode = spec::Mode::training) {
  spec::Trial trial;
  trial.model = model;
  trial.batch_size = 10;
  trial.threads_per_device = 1;
  trial.mode = mode;
  return make_job(trial, {});
}

TEST(Outlook, ReckonsWithArithmeticWhereMemoryIsFast) {
  const Job job = job_of("resnet50");
  const double flops = 2.0 * 3 * 10 * double(model::cost(job.graph).macs);
  EXPECT_DOUBLE_EQ(expected_step_seconds(job, 100, 1e9), flops / 75e9);
  EXPECT_DOUBLE_EQ(expected_step_seconds(job_of("resnet50", spec::Mode::forward_only), 100, 1e9),
                   flops / 3 / 75e9);
}

TEST(Outlook, ReckonsWithMemoryWhereNetworksMoveMoreThanTheyCompute) {
  const Job job = job_of("mnist_softmax");  // 784 pixels to 10 classes, 7,850 parameters
  EXPECT_DOUBLE_EQ(expected_step_seconds(job, 1e9, 2), 3 * 4 * (10 * (784 + 10) + 7850) / 2e9);
  EXPECT_GT(expected_step_seconds(job_of("mobilenet"), 100, 10),
            expected_step_seconds(job_of("mobilenet"), 100, 1e9));
}

TEST(Outlook, KeepsToTheTrialsBounds) {
  Job job = job_of("lenet");
  job.batches = 100;
  EXPECT_DOUBLE_EQ(expected_run_seconds(job, 2), 2 * (100 + 5));
  job.trial.num_warmup_batches = 0;
  EXPECT_DOUBLE_EQ(expected_run_seconds(job, 2), 2 * 100);
  job.trial.max_time = 10;
  EXPECT_DOUBLE_EQ(expected_run_seconds(job, 2), 10 + 2);
}

TEST(Outlook, SaysWhosePeakItIs) {
  Job job = job_of("mnist_softmax");
  const machine::Peak peak{.gflops = 100, .instructions = "AVX2"};
  EXPECT_THAT(outlook(job, peak, {.device = 1 << 20, .devices = 1}),
              testing::HasSubstr("; FMA peak 100 GFLOP/s (AVX2)"));
  job.member.workers = 2;
  EXPECT_THAT(outlook(job, peak, {.device = 1 << 20, .devices = 1}),
              testing::HasSubstr("FMA peak of all 2 ranks 100 GFLOP/s"));
}

}  // namespace
}  // namespace lockstep::cli
