#include "mpi/mpi_wire.h"

#include <gtest/gtest.h>

#include <memory>

#include "mpi/thread_for_test.h"

namespace lockstep::mpi {
namespace {

using comm::Encoding;

// More than one chunk, and not whole ones.
constexpr std::size_t kLong = 300'001;

// Small integers, so that every encoding and every sum is exact.
std::vector<float> numbers(std::size_t size, int seed) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>((i * 7 + seed) % 101);
  return values;
}

// The neighbours in a ring; in a world of one, the rank itself.
int right() {
  return (rank_for_test() + 1) % world_for_test();
}
int left() {
  return (rank_for_test() + world_for_test() - 1) % world_for_test();
}

// Calls `done` when it was called so many times itself.
std::function<void()> countdown(int count, std::function<void()> done) {
  return [left = std::make_shared<int>(count), done = std::move(done)] {
    if (--*left == 0) done();
  };
}

class EveryEncoding : public ::testing::TestWithParam<Encoding> {};

TEST_P(EveryEncoding, ReplacesWhatWasThere) {
  MpiWire wire(thread_for_test());
  const std::vector<float> mine = numbers(kLong, rank_for_test());
  std::vector<float> received(kLong, -1.0F);
  run_on_thread([&](const auto& done) {
    const auto one = countdown(2, done);
    wire.receive(left(), 3, received, /*add=*/false, one);
    wire.send(right(), 3, mine, GetParam(), one);
  });
  EXPECT_EQ(received, numbers(kLong, left()));
}

TEST_P(EveryEncoding, AddsToWhatWasThere) {
  MpiWire wire(thread_for_test());
  const std::vector<float> mine = numbers(kLong, rank_for_test());
  std::vector<float> sums = mine;
  run_on_thread([&](const auto& done) {
    const auto one = countdown(2, done);
    wire.send(right(), 3, mine, GetParam(), one);
    wire.receive(left(), 3, sums, /*add=*/true, one);
  });
  std::vector<float> expected = numbers(kLong, left());
  for (std::size_t i = 0; i < kLong; ++i) expected[i] += mine[i];
  EXPECT_EQ(sums, expected);
}

TEST_P(EveryEncoding, CountsThePayload) {
  MpiWire wire(thread_for_test());
  const std::vector<float> mine = numbers(kLong, 0);
  std::vector<float> received(kLong);
  run_on_thread([&](const auto& done) {
    const auto one = countdown(2, done);
    wire.receive(left(), 0, received, /*add=*/false, one);
    wire.send(right(), 0, mine, GetParam(), one);
  });
  const std::size_t bytes = kLong * (GetParam() == Encoding::fp32 ? 4 : 2);
  EXPECT_EQ(wire.bytes_sent(), bytes);
  EXPECT_EQ(wire.bytes_received(), bytes);
}

INSTANTIATE_TEST_SUITE_P(MpiWire, EveryEncoding,
                         ::testing::Values(Encoding::fp32, Encoding::fp16, Encoding::bf16));

TEST(MpiWire, MatchesMessagesOfOneTagByOrder) {
  MpiWire wire(thread_for_test());
  const std::vector<std::size_t> sizes = {kLong, 1, 70'000, 0, 5, kLong};
  std::vector<std::vector<float>> sent, received;
  for (const std::size_t size : sizes) {
    sent.push_back(numbers(size, static_cast<int>(sent.size())));
    received.emplace_back(size);
  }
  run_on_thread([&](const auto& done) {
    const auto one = countdown(2 * static_cast<int>(sizes.size()), done);
    for (const auto& message : sent) wire.send(right(), 9, message, Encoding::fp32, one);
    for (auto& message : received) wire.receive(left(), 9, message, /*add=*/false, one);
  });
  EXPECT_EQ(received, sent);
}

TEST(MpiWire, KeepsTagsApart) {
  MpiWire wire(thread_for_test());
  const std::vector<float> first = numbers(kLong, 1), second = numbers(kLong, 2);
  std::vector<float> received_first(kLong), received_second(kLong);
  run_on_thread([&](const auto& done) {
    const auto one = countdown(4, done);
    wire.receive(left(), 2, received_second, /*add=*/false, one);
    wire.receive(left(), 1, received_first, /*add=*/false, one);
    wire.send(right(), 1, first, Encoding::fp32, one);
    wire.send(right(), 2, second, Encoding::bf16, one);
  });
  EXPECT_EQ(received_first, first);
  EXPECT_EQ(received_second, second);
}

TEST(MpiWire, StartsMessagesFromTheEndOfOthers) {
  MpiWire wire(thread_for_test());
  std::vector<float> token(kLong, 1.0F);
  const std::vector<float> ones(kLong, 1.0F);
  // Once around the ring: everybody but rank 0 passes on what it received.
  run_on_thread([&](const auto& done) {
    const auto one = countdown(2, done);
    const auto pass_on = [&wire, &token, one] {
      wire.send(right(), 4, token, Encoding::fp32, one);
    };
    const bool first = rank_for_test() == 0;
    if (first) wire.send(right(), 4, ones, Encoding::fp32, one);
    wire.receive(left(), 4, token, /*add=*/true, [one, pass_on, first] {
      if (!first) pass_on();
      one();
    });
  });
  const int additions = rank_for_test() == 0 ? world_for_test() : rank_for_test();
  EXPECT_EQ(token, std::vector<float>(kLong, static_cast<float>(additions + 1)));
}

}  // namespace
}  // namespace lockstep::mpi
