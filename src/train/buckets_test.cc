#include "train/buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::train {
namespace {

using testing::ElementsAre;

constexpr std::size_t kKiB = 256;  // floats
constexpr std::size_t kMiB = 1024 * kKiB;

// One behind the other.
std::vector<Layout::Segment> parameters(const std::vector<std::size_t>& sizes) {
  std::vector<Layout::Segment> segments;
  std::size_t offset = 0;
  for (const std::size_t size : sizes) {
    segments.push_back({.offset = offset, .size = size});
    offset += size;
  }
  return segments;
}

// The last parameter of every bucket. Buckets are the parameters' memory, one behind the other.
std::vector<int> last_parameters(const std::vector<std::size_t>& sizes,
                                 const spec::Exchange& exchange,
                                 std::size_t automatic_floats = kMiB) {
  const std::vector<Layout::Segment> segments = parameters(sizes);
  std::vector<int> last;
  std::size_t at = 0;
  for (const Bucket& bucket : buckets(segments, exchange, automatic_floats * sizeof(float))) {
    EXPECT_EQ(bucket.range.begin, at);
    const Layout::Segment& end = segments[static_cast<std::size_t>(bucket.last_parameter)];
    EXPECT_EQ(bucket.range.end, end.offset + end.size);
    at = bucket.range.end;
    last.push_back(bucket.last_parameter);
  }
  EXPECT_EQ(at, segments.empty() ? 0 : segments.back().offset + segments.back().size);
  return last;
}

TEST(Buckets, AreNoneWithoutParameters) {
  EXPECT_THAT(last_parameters({}, {}), ElementsAre());
}

TEST(Buckets, AreFullFromTheAutomaticSizeOn) {
  EXPECT_THAT(last_parameters({kMiB, kKiB, kKiB, kMiB, 3 * kMiB, 1}, {}), ElementsAre(0, 3, 4, 5));
  EXPECT_THAT(last_parameters({kKiB, kKiB, kKiB, kKiB, kKiB}, {}, 2 * kKiB), ElementsAre(1, 3, 4));
}

TEST(Buckets, HoldOneParameterEachWhereFusionIsOff) {
  spec::Exchange exchange;
  exchange.fusion_threshold_mb = 0;
  EXPECT_THAT(last_parameters({1, 2, kMiB, 3}, exchange), ElementsAre(0, 1, 2, 3));
}

TEST(Buckets, AreFullFromTheThresholdOn) {
  spec::Exchange exchange;
  exchange.fusion_threshold_mb = 2;
  EXPECT_THAT(last_parameters({kMiB, kMiB, kMiB, kMiB - 1, 1, 7}, exchange), ElementsAre(1, 4, 5));
  exchange.fusion_threshold_mb = 0.5;
  EXPECT_THAT(last_parameters({kMiB / 4, kMiB / 4, kMiB, 1}, exchange), ElementsAre(1, 2, 3));
}

TEST(Buckets, AreAtMostAsManyAsPacksAreAskedFor) {
  spec::Exchange exchange;
  exchange.gradient_repacking = 2;
  EXPECT_THAT(last_parameters({10, 10, 10, 10}, exchange), ElementsAre(1, 3));
  EXPECT_THAT(last_parameters({1, 100, 1}, exchange), ElementsAre(1, 2));
  EXPECT_THAT(last_parameters({100, 1, 1}, exchange), ElementsAre(0, 2));
  exchange.gradient_repacking = 8;
  EXPECT_THAT(last_parameters({5, 5, 5}, exchange), ElementsAre(0, 1, 2));
  exchange.gradient_repacking = 1;
  EXPECT_THAT(last_parameters({5, 50, kMiB}, exchange), ElementsAre(2));
}

TEST(Buckets, JoinSmallGradientsUpToAGroup) {
  spec::Exchange exchange;
  exchange.agg_small_grads_max_bytes = 40;
  exchange.agg_small_grads_max_group = 3;
  EXPECT_THAT(last_parameters({10, 1, 1, 1, 11, 12, 2, 2, 11, 10}, exchange),
              ElementsAre(2, 3, 4, 5, 7, 8, 9));
}

TEST(Buckets, AreRepackedRatherThanJoinedRatherThanFused) {
  spec::Exchange exchange;
  exchange.fusion_threshold_mb = 0;
  exchange.agg_small_grads_max_bytes = 40;
  EXPECT_THAT(last_parameters({1, 1, 1, 1}, exchange), ElementsAre(3));
  exchange.gradient_repacking = 2;
  EXPECT_THAT(last_parameters({1, 1, 1, 1}, exchange), ElementsAre(1, 3));
}

}  // namespace
}  // namespace lockstep::train
