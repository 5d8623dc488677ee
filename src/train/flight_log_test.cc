#include "train/flight_log.h"

#include <gtest/gtest.h>

namespace lockstep::train {
namespace {

using Bucket = record::Flight::Bucket;

TEST(FlightLog, SplitsEveryFlightByWhatTheRankDidMeanwhile) {
  FlightLog log(std::vector{400.0, 800.0}, 4);
  log.idle({2, 3});
  log.idle({5, 9});
  log.land(std::vector<Interval>{{1, 4}, {6, 8}},
           std::vector<Interval>{{2.5, 3}, {5, 6.5}, {7, 9}});
  const record::Flight flight = log.mean();
  EXPECT_EQ(flight.buckets, (std::vector<Bucket>{{400, 3, 1, 0.5}, {800, 2, 2, 1.5}}));
  EXPECT_EQ(flight.seconds, 5);
  EXPECT_EQ(flight.exposed, 3);
}

TEST(FlightLog, CountsTimeOnceInWhichSeveralAreOnTheirWay) {
  FlightLog log(std::vector{4.0, 4.0, 4.0}, 4);
  log.idle({3, 6});
  log.land(std::vector<Interval>{{0, 4}, {1, 2}, {3, 7}}, {});
  EXPECT_EQ(log.mean().seconds, 7);
  EXPECT_EQ(log.mean().exposed, 3);
}

TEST(FlightLog, TakesTheMeanOfStepsSinceTheRestart) {
  FlightLog log(std::vector{4.0}, 4);
  log.idle({0, 100});
  log.land(std::vector<Interval>{{0, 100}}, std::vector<Interval>{{0, 100}});
  log.restart();
  log.idle({100, 101});
  log.land(std::vector<Interval>{{100, 102}}, {});
  log.idle({200, 203});
  log.land(std::vector<Interval>{{200, 204}}, std::vector<Interval>{{200, 202}});
  const record::Flight flight = log.mean();
  EXPECT_EQ(flight.buckets, (std::vector<Bucket>{{4, 3, 2, 1}}));
}

TEST(FlightLog, IsEmptyWithoutSteps) {
  EXPECT_EQ(FlightLog(std::vector{4.0}, 4).mean(), (record::Flight{.buckets = {{.bytes = 4}}}));
}

}  // namespace
}  // namespace lockstep::train
