#include "report/conclusions.h"

#include <gmock/gmock.h>

#include "report/report_for_test.h"

namespace lockstep::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

stats::PointRecord with_speeds(std::initializer_list<double> speeds) {
  stats::PointRecord record = measured(1, static_cast<int>(speeds.size()));
  std::size_t k = 0;
  for (const double speed : speeds) record.launches[k++]->images_per_second = speed;
  return record;
}

// Points: one and two devices of the one network, then of the other.
std::vector<std::string> of_networks(std::initializer_list<double> a,
                                     std::initializer_list<double> b) {
  spec::Sweep sweep;
  sweep.models = {{"resnet50", 8}, {"vgg16", 8}};
  sweep.devices = {1, 2};
  sweep.ceiling = false;
  const stats::PointRecord one = with_speeds({10, 10, 10});
  const result::SweepResults report = report_of(sweep, {one, with_speeds(a), one, with_speeds(b)});
  return conclusions({&report, 1});
}

TEST(Conclusions, SayWhichNetworkScalesBetter) {
  EXPECT_THAT(of_networks({18, 18.1, 18.2}, {15, 15.1, 15.2}),
              ElementsAre("resnet50:8 scales better than vgg16:8: 90.5 % against 75.5 % on 2 "
                          "devices, replicated"));
  EXPECT_THAT(of_networks({15, 15.1, 15.2}, {18, 18.1, 18.2}),
              ElementsAre("vgg16:8 scales better than resnet50:8: 90.5 % against 75.5 % on 2 "
                          "devices, replicated"));
}

TEST(Conclusions, SayHowManyLaunchesWouldDecide) {
  EXPECT_THAT(
      of_networks({17, 18.5, 17.5}, {17.2, 16.5, 18}),
      ElementsAre("resnet50:8 scales better than vgg16:8: undecided; about 15 more launches "
                  "of each point (--repeats=18) would decide 5 points (88.3 % against "
                  "86.1 % on 2 devices, replicated)"));
}

TEST(Conclusions, SayThatOneLaunchDecidesNothing) {
  EXPECT_THAT(of_networks({18}, {15}),
              ElementsAre("resnet50:8 scales better than vgg16:8: undecided; one launch does not "
                          "show how much launches differ (90.0 % against 75.0 % on 2 devices, "
                          "replicated)"));
}

std::vector<std::string> of_strategies(std::initializer_list<double> a,
                                       std::initializer_list<double> b) {
  spec::Sweep sweep;
  sweep.models = {{"net", 8}};
  sweep.devices = {1, 2};
  sweep.strategies = {"replicated", "parameter_server"};
  sweep.ceiling = false;
  const stats::PointRecord one = with_speeds({10, 10, 10});
  const result::SweepResults report = report_of(sweep, {one, one, with_speeds(a), with_speeds(b)});
  return conclusions({&report, 1});
}

TEST(Conclusions, SayWhichStrategyIsTheFastest) {
  EXPECT_THAT(of_strategies({18, 18.1, 18.2}, {15, 15.1, 15.2}),
              ElementsAre("net:8 on 2 devices: replicated is the fastest"));
  EXPECT_THAT(of_strategies({2.7, 2.6, 2.8}, {1.65, 5.6, 3}),
              ElementsAre(testing::MatchesRegex(
                  "net:8 on 2 devices: parameter_server or replicated is the fastest: undecided; "
                  "about [0-9]+ more launches of each point \\(--repeats=[0-9]+\\) would decide 5 "
                  "%")));
}

TEST(Conclusions, AreNoneWhereThereIsNothingToCompare) {
  spec::Sweep sweep;
  sweep.models = {{"net", 8}};
  sweep.devices = {1, 2};
  const result::SweepResults report = report_of(sweep, {measured(10), measured(18), measured(20)});
  EXPECT_THAT(conclusions({&report, 1}), IsEmpty());
}

}  // namespace
}  // namespace lockstep::report
