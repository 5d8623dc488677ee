#include "doctor/judge.h"

#include <gmock/gmock.h>

namespace lockstep::doctor {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(JudgeDisk, FollowsTheFreeSpace) {
  EXPECT_EQ(judge_disk({"/data", 100 * kGiB}).level, Level::ok);
  EXPECT_EQ(judge_disk({"/data", 100 * kGiB}).value, 100);
  EXPECT_EQ(judge_disk({"/data", kGiB / 2}).level, Level::warning);
  EXPECT_EQ(judge_disk({"/data", 1000}).level, Level::problem);
}

TEST(JudgeDisk, CallsAPlaceThatCannotBeWrittenAProblem) {
  const Finding finding = judge_disk({"/data", 100 * kGiB, "Read-only file system"});
  EXPECT_EQ(finding.level, Level::problem);
  EXPECT_EQ(finding.sentence, "results cannot be written to /data: Read-only file system");
  EXPECT_THAT(finding.remedy, HasSubstr("--result_dir"));
}

TEST(JudgePort, NamesAPortThatIsTaken) {
  EXPECT_EQ(judge_port(2230, "", 8, 8).level, Level::ok);
  const Finding few = judge_port(2230, "", 8, 7);
  EXPECT_EQ(few.level, Level::warning);
  EXPECT_THAT(few.sentence, HasSubstr("7 of 8 after it"));
  EXPECT_THAT(few.remedy, HasSubstr("--port"));
  const Finding taken = judge_port(2230, "Address already in use", 8, 8);
  EXPECT_EQ(taken.level, Level::warning);
  EXPECT_THAT(taken.sentence, HasSubstr("port 2230: Address already in use"));
  EXPECT_THAT(taken.remedy, HasSubstr("--port"));
}

TEST(JudgeClockSource, WarnsOfASlowClock) {
  EXPECT_EQ(judge_clock_source({"tsc", 25}).level, Level::ok);
  EXPECT_EQ(judge_clock_source({"hpet", 1200}).level, Level::warning);
  EXPECT_THAT(judge_clock_source({"hpet", 1200}).sentence, HasSubstr("hpet, which takes 1200 ns"));
}

TEST(JudgeReserved, WarnsOfMemoryThatNobodyUses) {
  EXPECT_EQ(judge_reserved(0, 16 * kGiB).level, Level::ok);
  EXPECT_EQ(judge_reserved(0, 0).level, Level::ok);
  EXPECT_EQ(judge_reserved(kGiB, 16 * kGiB).level, Level::ok);
  EXPECT_EQ(judge_reserved(8 * kGiB, 16 * kGiB).level, Level::warning);
}

TEST(JudgeMpi, DoesNotMissItButSaysWhatItIsFor) {
  EXPECT_EQ(judge_mpi("mpirun (Open MPI) 4.1.4").sentence, "mpirun (Open MPI) 4.1.4");
  EXPECT_EQ(judge_mpi("").level, Level::ok);
  EXPECT_THAT(judge_mpi("").sentence, HasSubstr("--launcher=mpi"));
}

TEST(JudgeSharing, ComparesAllCoresWithOne) {
  const machine::Peak one{.gflops = 50, .threads = 1};
  const Finding alone = judge_sharing(one, {.gflops = 196, .threads = 4}, false);
  EXPECT_EQ(alone.level, Level::ok);
  EXPECT_EQ(alone.value, 98);
  const Finding shared = judge_sharing(one, {.gflops = 110, .threads = 4}, false);
  EXPECT_EQ(shared.level, Level::warning);
  EXPECT_NEAR(shared.value.value(), 55, 1e-9);
  EXPECT_THAT(shared.remedy, HasSubstr("turn turbo off"));
  // There is no switch for it in a virtual machine.
  EXPECT_THAT(judge_sharing(one, {.gflops = 110, .threads = 4}, true).remedy,
              AllOf(Not(HasSubstr("turbo")), HasSubstr("ask for whole cores")));
  const Finding disturbed = judge_sharing(one, {.gflops = 860, .threads = 4}, true);
  EXPECT_EQ(disturbed.level, Level::warning);
  EXPECT_THAT(disturbed.sentence,
              HasSubstr("430 % of 4 times the arithmetic of one, which cannot be"));
}

TEST(Noise, IsThatOfTheWorstThread) {
  std::vector<double> calm(100, 1e-4);
  std::vector<double> disturbed = calm;
  for (std::size_t i = 0; i < 10; ++i) disturbed[i * 10] = 3e-4;
  const Noise noise = noise_of(std::vector{calm, disturbed, calm});
  EXPECT_EQ(noise.median, 1e-4);
  EXPECT_NEAR(noise.excess(), 2, 1e-9);
}

TEST(JudgeNoise, WarnsWhenTheSameWorkTakesDifferentTimes) {
  EXPECT_EQ(judge_noise({100e-6, 102e-6}).level, Level::ok);
  EXPECT_NEAR(judge_noise({100e-6, 102e-6}).value.value(), 2, 1e-9);
  EXPECT_EQ(judge_noise({100e-6, 150e-6}).level, Level::warning);
  EXPECT_THAT(judge_noise({100e-6, 150e-6}).sentence, HasSubstr("100 us takes 150 us"));
}

TEST(JudgeFigures, CarryTheirUnits) {
  EXPECT_EQ(judge_addition(12.5).value, 37.5);  // GB/s of three arrays, as STREAM counts
  EXPECT_THAT(judge_addition(12.5).sentence, HasSubstr("STREAM's Add"));
  EXPECT_EQ(judge_addition(12.5).unit, "GB/s");
  const Finding peak = judge_peak({.gflops = 300, .threads = 2, .instructions = "AVX2"});
  EXPECT_EQ(peak.value, 300);
  EXPECT_EQ(peak.unit, "GFLOP/s");
  EXPECT_EQ(peak.sentence, "AVX2 multiply-adds on 2 threads");
}

}  // namespace
}  // namespace lockstep::doctor
