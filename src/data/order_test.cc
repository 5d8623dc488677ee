#include "data/order.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <vector>

namespace lockstep::data {
namespace {

std::vector<std::uint64_t> epoch(const Order& order, std::uint64_t records, std::uint64_t number) {
  std::vector<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < records; ++i) seen.push_back(order.record(number * records + i));
  return seen;
}

TEST(Order, HasEachRecordOnceInEveryEpoch) {
  for (std::uint64_t records = 1; records <= 300; ++records) {
    const Order order(records, 7);
    for (const std::uint64_t number : {0U, 1U, 5U}) {
      const auto seen = epoch(order, records, number);
      const std::set<std::uint64_t> once(seen.begin(), seen.end());
      ASSERT_EQ(once.size(), records);
      ASSERT_EQ(*once.rbegin(), records - 1);
    }
  }
}

TEST(Order, IsExactAcrossRanksOfAnyBatch) {
  const std::uint64_t records = 1000, world = 3, batch = 7;
  const Order order(records, 7);
  std::vector<int> times(records);
  for (std::uint64_t step = 0; step * world * batch < 21 * records; ++step) {
    for (std::uint64_t rank = 0; rank < world; ++rank) {
      for (std::uint64_t i = 0; i < batch; ++i) {
        ++times[order.record((step * world + rank) * batch + i)];
      }
    }
  }
  EXPECT_THAT(times, testing::Each(21));
}

TEST(Order, DiffersByEpochAndSeed) {
  const Order order(1000, 7);
  EXPECT_NE(epoch(order, 1000, 0), epoch(order, 1000, 1));
  EXPECT_NE(epoch(order, 1000, 0), epoch(Order(1000, 8), 1000, 0));
  EXPECT_EQ(epoch(order, 1000, 3), epoch(Order(1000, 7), 1000, 3));
}

TEST(Order, IsThatOfTheFilesWithoutASeed) {
  const auto seen = epoch(Order(100, std::nullopt), 100, 4);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

// Of a shuffle, where record 0 goes and whether neighbours stay neighbours is chance.
TEST(Order, SpreadsRecordsEvenly) {
  constexpr std::uint64_t kRecords = 10, kEpochs = 20'000;
  const Order order(kRecords, 1);
  std::vector<int> places(kRecords);
  int neighbours = 0;
  for (std::uint64_t number = 0; number < kEpochs; ++number) {
    const auto seen = epoch(order, kRecords, number);
    ++places[static_cast<std::size_t>(std::ranges::find(seen, 0U) - seen.begin())];
    for (std::size_t i = 0; i + 1 < kRecords; ++i) neighbours += seen[i] + 1 == seen[i + 1];
  }
  EXPECT_THAT(places, testing::Each(testing::AllOf(testing::Gt(1800), testing::Lt(2200))));
  EXPECT_NEAR(neighbours, 0.9 * kEpochs, 0.05 * kEpochs);  // nine pairs, each once in ten
}

}  // namespace
}  // namespace lockstep::data
