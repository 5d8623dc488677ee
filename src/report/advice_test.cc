#include "report/advice.h"

#include <gmock/gmock.h>

#include "report/report_for_test.h"

namespace lockstep::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One device, two of them with exchange, and two without; both speeds in all launches.
result::SweepResults scaled_to(double two, double two_independent) {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = {1, 2};
  return report_of(sweep, {measured(100), measured(two), measured(two_independent)});
}

void set_parts(result::SweepResults& report, double exchange_ms, double waiting_ms, double input_ms,
               double update_ms) {
  for (auto& launch : report.records[1].launches) {
    launch->phase(record::Phase::exchange) = exchange_ms;
    launch->waiting_ms = waiting_ms;
    launch->phase(record::Phase::input) = input_ms;
    launch->phase(record::Phase::update) = update_ms;
  }
  report.rows = stats::summarise(report.plan, report.records);
}

std::vector<std::string> advice_for_two(const result::SweepResults& report) {
  return advice({&report, 1}, series_of({&report, 1}).front());
}

TEST(Advice, SpeaksOfWhatIsLostAndOfNothingElse) {
  result::SweepResults report = scaled_to(150, 200);
  set_parts(report, 50, 0, 0, 0);
  EXPECT_THAT(advice_for_two(report), ElementsAre(HasSubstr("--fusion_threshold_mb")));
  set_parts(report, 50, 50, 0, 0);
  EXPECT_THAT(advice_for_two(report), ElementsAre(HasSubstr("wait for the slowest")));
  set_parts(report, 0, 0, 50, 50);
  EXPECT_THAT(advice_for_two(report),
              ElementsAre(HasSubstr("wait for images"), HasSubstr("Updating the weights")));
}

TEST(Advice, TellsContentionFromExchange) {
  result::SweepResults report = scaled_to(150, 152);
  set_parts(report, 0, 0, 0, 0);
  EXPECT_THAT(advice_for_two(report), ElementsAre(HasSubstr("share memory and caches")));
}

TEST(Advice, AsksForMoreDevicesWhereLittleIsLost) {
  result::SweepResults report = scaled_to(199, 200);
  set_parts(report, 1, 0, 0, 0);
  EXPECT_THAT(advice_for_two(report), ElementsAre(HasSubstr("more devices")));
}

TEST(Advice, AsksForABetterMeasurementFirst) {
  result::SweepResults report = scaled_to(150, 200);
  report.records[1].launches[0]->images_per_second = 90;
  set_parts(report, 50, 0, 0, 0);
  EXPECT_THAT(advice_for_two(report).front(), HasSubstr("--repeats"));
}

TEST(LossesOf, CountWhereTheLaunchesAgreeOnThem) {
  result::SweepResults report = scaled_to(150, 200);
  set_parts(report, 50, 50, 0, 0);
  // A large loss in one launch, none in the others: its interval reaches below nothing.
  for (std::size_t i = 0; i < 3; ++i)
    report.records[1].launches[i]->phase(record::Phase::input) = i == 0 ? 240 : 0;
  report.rows = stats::summarise(report.plan, report.records);
  const std::vector<Loss> losses = losses_of({&report, 1});
  EXPECT_EQ(losses[0].name, "waiting");
  EXPECT_EQ(losses[1].name, "input");
  EXPECT_TRUE(losses[1].large());
  EXPECT_FALSE(losses[1].matters());
  EXPECT_THAT(advice_for_two(report), ElementsAre(HasSubstr("wait for the slowest")));
}

TEST(LossesOf, StandFromTheLargestToTheSmallest) {
  result::SweepResults report = scaled_to(150, 200);
  set_parts(report, 40, 30, 5, 20);
  std::vector<std::string_view> names;
  for (const Loss& loss : losses_of({&report, 1})) names.push_back(loss.name);
  EXPECT_THAT(names, ElementsAre("waiting", "update", "exposed exchange", "input", "contention"));
}

}  // namespace
}  // namespace lockstep::report
