#include "machine/peak.h"

#include <gmock/gmock.h>
#include <omp.h>

#include <cmath>
#include <string>
#include <thread>

#include "machine/cores.h"
#include "machine/memory.h"

namespace lockstep::machine {
namespace {

TEST(Peak, IsAPositiveRateOfTheWholeTeam) {
  std::thread([] {
    const std::vector<int> group = place(allowed(), 1, 0).front();
    join_team(group);
    const Peak peak = measure_peak(0.002);
    EXPECT_TRUE(std::isfinite(peak.gflops));
    EXPECT_GT(peak.gflops, 0);
    EXPECT_EQ(static_cast<int>(group.size()), peak.threads);
  }).join();
}

TEST(Peak, SaysWhichInstructionsItUsed) {
  std::thread([] {
    omp_set_num_threads(1);
    EXPECT_THAT(std::string(measure_peak(0.001).instructions),
                testing::AnyOf("AVX-512", "AVX2", "SSE2", "portable"));
  }).join();
}

TEST(Peak, OfDevicesThatTakeTurnsIsThatOfTheirCores) {
  EXPECT_DOUBLE_EQ(sum_of_peaks(std::vector<DevicePeak>{{0, "0", 90}, {0, "1", 100}}), 190);
  EXPECT_DOUBLE_EQ(sum_of_peaks(std::vector<DevicePeak>{
                       {0, "0", 90}, {0, "1", 80}, {0, "0", 50}, {0, "1", 100}}),
                   190);
  EXPECT_DOUBLE_EQ(sum_of_peaks(std::vector<DevicePeak>{{0, "0", 90}, {1, "0", 80}}), 170)
      << "processors of different hosts are different ones";
}

TEST(MemorySpeed, IsPositiveBothWays) {
  const MemorySpeed speed = measure_memory(1 << 20);
  EXPECT_TRUE(std::isfinite(speed.read) && std::isfinite(speed.copy));
  EXPECT_GT(speed.read, 0);
  EXPECT_GT(speed.copy, 0);
}

TEST(Addition, IsAPositiveRate) {
  const double rate = measure_addition(1 << 20);
  EXPECT_TRUE(std::isfinite(rate));
  EXPECT_GT(rate, 0);
}

}  // namespace
}  // namespace lockstep::machine
