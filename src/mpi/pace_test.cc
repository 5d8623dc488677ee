#include "mpi/pace.h"

#include <gtest/gtest.h>

namespace lockstep::mpi {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMessage = 512 << 10;

// A pace that has seen so many messages, one after the other, each of them taking so long, with
// four in flight all the time; and when the last of them finished.
struct Stream {
  Pace pace;
  Pace::Time now = Pace::Time(1h);

  explicit Stream(std::chrono::microseconds each, std::size_t bytes = kMessage) {
    for (int i = 0; i < 4; ++i) pace.start(bytes);
    pace.renew(now);
    for (int i = 0; i < 20; ++i) finish_one_after(each, bytes);
  }
  std::chrono::microseconds sleep() const { return pace.sleep(now); }
  void finish_one_after(std::chrono::microseconds wait, std::size_t bytes = kMessage) {
    now += wait;
    pace.finish(bytes, now);
    pace.start(bytes);
  }
};

TEST(Pace, LooksAtOnceForTheAnswerToAnything) {
  Pace pace;
  const Pace::Time now(1h);
  pace.renew(now);
  pace.start(1);
  EXPECT_EQ(pace.sleep(now), 20us);
}

TEST(Pace, SleepsLongerTheLongerThereIsNoNews) {
  Pace pace;
  const Pace::Time now(1h);
  pace.renew(now);
  pace.start(1);
  EXPECT_EQ(pace.sleep(now + 4ms), 500us);
  EXPECT_EQ(pace.sleep(now + 1h), 1ms);
  pace.renew(now + 1h);
  EXPECT_EQ(pace.sleep(now + 1h), 20us);
}

TEST(Pace, SleepsAPartOfWhatTheMessagesInFlightWillTake) {
  EXPECT_EQ(Stream(2000us).sleep(), 4 * 2000us / 32);
}

TEST(Pace, LooksOftenAtFastLinesAndSmallMessages) {
  EXPECT_EQ(Stream(40us).sleep(), 20us);
  EXPECT_EQ(Stream(100us, 4096).sleep(), 20us);
}

TEST(Pace, LooksBeforeTheBuffersOfAFastLineRunEmpty) {
  Stream stream(100us);  // 5 GB/s
  stream.pace.start(std::size_t{1} << 30);
  EXPECT_NEAR(double(stream.sleep().count()), 100, 1);
}

TEST(Pace, TakesAPeerThatComputesForNoSlowLine) {
  Stream stream(500us);
  const auto before = stream.sleep();
  stream.finish_one_after(10s);
  for (int i = 0; i < 20; ++i) stream.finish_one_after(500us);
  EXPECT_LE(stream.sleep(), before + 1us);
}

TEST(Pace, HardlyLooksWhenNothingIsInFlight) {
  Pace pace;
  const Pace::Time now(1h);
  pace.renew(now);
  EXPECT_EQ(pace.sleep(now), 20us);
  EXPECT_EQ(pace.sleep(now + 1h), 100ms);
}

}  // namespace
}  // namespace lockstep::mpi
