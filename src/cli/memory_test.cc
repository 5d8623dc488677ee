#include "cli/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"

namespace lockstep::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Job job_with(int devices, int batch) {
  spec::Trial trial;
  trial.model = "mnist_softmax";
  trial.batch_size = batch;
  trial.devices = devices;
  trial.oversubscribe = true;
  trial.exchange.variable_update = "replicated";
  return make_job(trial, membership(trial, std::nullopt));
}

machine::Environment with_memory(std::int64_t bytes) {
  machine::Environment environment;
  environment.memory_bytes = bytes;
  environment.memory_available_bytes = bytes;
  return environment;
}

TEST(Memory, CountsEveryRank) {
  Job job = job_with(100, 4);
  const Memory memory = least_memory_of(job);
  EXPECT_EQ(memory.devices, 100);
  EXPECT_EQ(memory.servers, 0);
  EXPECT_EQ(memory.total(), 100 * memory.device);
  EXPECT_GT(memory.device, 4 * kMiB) << "a thread and its window, whatever the model";
  EXPECT_GT(least_memory_of(job_with(1000, 4)).device, memory.device) << "of every peer something";
}

TEST(Memory, CountsAServersWindowForEveryWorker) {
  spec::Trial trial;
  trial.model = "lenet";
  trial.devices = 50;
  trial.oversubscribe = true;
  trial.exchange.cross_replica_sync = false;
  const Job job = make_job(trial, membership(trial, std::nullopt));
  const Memory memory = least_memory_of(job);
  EXPECT_EQ(memory.servers, 50);
  EXPECT_GT(memory.server, 50 * 2 * 4 * model::cost(job.graph).parameters);
}

TEST(Memory, CountsBatchesThatAreReadyAheadAndTheEvaluator) {
  Job job = job_with(1, 1000);
  engine::PlanSummary plan;
  const std::int64_t synthetic = memory_of(job, plan, nullptr).device;
  job.trial.data.dir = "somewhere";
  EXPECT_GT(memory_of(job, plan, nullptr).device, synthetic + 2 * 1000 * 28 * 28 * 4);
  const std::int64_t alone = memory_of(job, plan, nullptr).device;
  engine::PlanSummary evaluator;
  evaluator.arena_bytes = 10 * kMiB;
  EXPECT_EQ(memory_of(job, plan, &evaluator).device, alone + 10 * kMiB);
}

TEST(Memory, IsRefusedWithTheArithmetic) {
  const Job job = job_with(200, 4);
  const Memory memory{.device = 5 * kMiB, .devices = 200};
  EXPECT_NO_THROW(refuse_too_much_memory(job, memory, with_memory(1000 * kMiB)));
  const Error error =
      error_of([&] { refuse_too_much_memory(job, memory, with_memory(999 * kMiB)); });
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_THAT(error.what(), HasSubstr("mnist_softmax with a batch of 4 needs 1000.0 MiB of memory "
                                      "(200 devices of 5.00 MiB), 999.0 MiB are available"));
  EXPECT_THAT(error.hint(), HasSubstr("--devices"));
}

TEST(Memory, CountsTheBatchOfTheEvaluatorBeforeAnythingIsCompiled) {
  Job job = job_with(1, 4);
  const std::int64_t alone = least_memory_of(job).device;
  job.trial.data.dir = "somewhere";
  job.trial.evaluation.every_steps = 10;
  job.trial.evaluation.batch_size = 1 << 20;
  EXPECT_GT(least_memory_of(job).device, alone + (std::int64_t{1} << 20) * 28 * 28 * 4);
}

TEST(Memory, OfAnAbsurdBatchIsRefusedBeforeAnythingIsCompiled) {
  const Job job = job_with(1, 2147483647);
  EXPECT_THAT(error_of([&] {
                refuse_too_much_memory(job, least_memory_of(job),
                                       with_memory(std::int64_t{1} << 40));
              }).what(),
              HasSubstr("with a batch of 2147483647 needs 6.20 TiB"));
}

}  // namespace
}  // namespace lockstep::cli
