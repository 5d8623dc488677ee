#include "record/recorder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <numeric>

#include "base/clock.h"

namespace {

std::size_t allocations = 0;

}  // namespace

// Every allocation of this program passes here, so that a test can count them. Not inline: gcc
// would see malloc on one side of a pair only and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace lockstep::record {
namespace {

void run_step(Recorder& recorder, float loss) {
  recorder.begin();
  for (std::size_t p = 0; p < kPhases; ++p) recorder.end(static_cast<Phase>(p));
  recorder.finish(loss, loss / 2);
}

// Lets some time pass; returns how much, at least.
double spin() {
  const double start = now();
  while (now() < start + 1e-4) continue;
  return now() - start;
}

TEST(Recorder, AllocatesNothingInsideAStep) {
  Recorder recorder(1);
  for (int step = 0; step < 100; ++step) {
    recorder.begin();
    const std::size_t before = allocations;
    for (std::size_t p = 0; p < kPhases; ++p) recorder.end(static_cast<Phase>(p));
    EXPECT_EQ(allocations, before);
    recorder.finish(1, 1);
  }
  EXPECT_EQ(recorder.samples().size(), 100U);
}

TEST(Recorder, AllocatesNothingAtAllWithinItsCapacity) {
  Recorder recorder(100);
  const std::size_t before = allocations;
  for (int step = 0; step < 100; ++step) run_step(recorder, 1);
  EXPECT_EQ(allocations, before);
  run_step(recorder, 1);
  EXPECT_GT(allocations, before) << "the counter does not count";
}

TEST(Recorder, CountsTimeFromTheFirstStep) {
  Recorder recorder(2);
  run_step(recorder, 1);
  run_step(recorder, 2);
  const auto samples = recorder.samples();
  EXPECT_EQ(samples[0].step, 0);
  EXPECT_EQ(samples[0].begin, 0);
  EXPECT_EQ(samples[1].step, 1);
  EXPECT_GE(samples[1].begin, samples[0].end);
  EXPECT_EQ(samples[1].loss, 2);
  EXPECT_EQ(samples[1].base_loss, 1);
}

TEST(Recorder, AddsUpAPhaseThatComesTwice) {
  Recorder recorder(1);
  recorder.begin();
  const double first = spin();
  recorder.end(Phase::exchange);
  recorder.end(Phase::update);
  const double second = spin();
  recorder.end(Phase::exchange);
  recorder.finish(1, 1);
  const Sample& sample = recorder.samples()[0];
  const double exchange = sample.phases[static_cast<std::size_t>(Phase::exchange)];
  EXPECT_GE(exchange * (1 + 1e-9), first + second);
  EXPECT_EQ(sample.phases[static_cast<std::size_t>(Phase::input)], 0);
  const double sum = std::accumulate(sample.phases.begin(), sample.phases.end(), 0.0);
  EXPECT_LE(sum, (sample.end - sample.begin) * (1 + 1e-9));
}

}  // namespace
}  // namespace lockstep::record
