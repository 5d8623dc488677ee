#include "comm/wire.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <future>
#include <numeric>

#include "base/clock.h"
#include "comm/tcp/test_world.h"

namespace lockstep::comm::tcp {
namespace {

using Floats = std::vector<float>;

// Ends when everything that was started has called back.
class Pending {
 public:
  Wire::Done one() {
    ++open_;
    return [this] {
      if (--open_ == 0) all_.set_value();
    };
  }
  void wait() {
    if (--open_ == 0) all_.set_value();
    ASSERT_EQ(std::future_status::ready, all_.get_future().wait_for(std::chrono::seconds(20)));
  }

 private:
  std::atomic<int> open_ = 1;
  std::promise<void> all_;
};

// Waits until all jobs before it have run.
void settle(Wire& wire) {
  std::promise<void> done;
  wire.post([&] { done.set_value(); });
  done.get_future().wait();
}

void wait_until(const std::function<bool()>& condition) {
  const double begin = now();
  while (!condition()) {
    ASSERT_LT(now() - begin, 20);
    std::this_thread::yield();
  }
}

Floats counting(std::size_t size, float from) {
  Floats values(size);
  std::iota(values.begin(), values.end(), from);
  return values;
}

class TcpWire : public testing::Test {
 protected:
  void send(int from, int to, std::uint32_t tag, const Floats& data,
            Encoding encoding = Encoding::fp32) {
    Wire& wire = *ranks_[from]->wire();
    wire.post([&, to, tag, encoding, done = pending_.one()] {
      wire.send(to, tag, data, encoding, done);
    });
  }
  void receive(int at, int from, std::uint32_t tag, Floats& into, bool add = false) {
    Wire& wire = *ranks_[at]->wire();
    wire.post(
        [&, from, tag, add, done = pending_.one()] { wire.receive(from, tag, into, add, done); });
  }

  std::vector<std::unique_ptr<Transport>> ranks_ = connect_world({"a", "b"});
  Pending pending_;
};

TEST_F(TcpWire, CarriesManyTagsBothWaysAtOnce) {
  constexpr std::uint32_t kTags = 50;
  std::vector<std::vector<Floats>> sent(2), received(2);
  for (int rank : {0, 1}) {
    for (std::uint32_t tag = 0; tag < kTags; ++tag) {
      const std::size_t size = 1 + tag * 3001;
      sent[rank].push_back(counting(size, static_cast<float>(1000 * rank + tag)));
      received[rank].emplace_back(size);
    }
  }
  for (std::uint32_t tag = 0; tag < kTags; ++tag) {
    for (int rank : {0, 1}) {
      send(rank, 1 - rank, tag, sent[rank][tag]);
      receive(rank, 1 - rank, kTags - 1 - tag, received[rank][kTags - 1 - tag]);
    }
  }
  pending_.wait();
  EXPECT_EQ(sent[0], received[1]);
  EXPECT_EQ(sent[1], received[0]);
}

TEST_F(TcpWire, KeepsTheOrderOfATag) {
  std::vector<Floats> sent, received(20, Floats(1000));
  for (int i = 0; i < 20; ++i) sent.push_back(counting(1000, static_cast<float>(i)));
  for (int i = 0; i < 10; ++i) receive(1, 0, 7, received[i]);
  for (int i = 0; i < 20; ++i) send(0, 1, 7, sent[i]);
  for (int i = 10; i < 20; ++i) receive(1, 0, 7, received[i]);
  pending_.wait();
  EXPECT_EQ(sent, received);
}

TEST_F(TcpWire, LetsTheHighestTagGoFirstOfThoseThatWaitForTheLine) {
  const Floats data = counting(1000, 0);
  std::vector<Floats> received(4, Floats(1000));
  std::vector<std::uint32_t> order;
  Wire& receiver = *ranks_[1]->wire();
  for (std::uint32_t tag = 0; tag < 4; ++tag) {
    receiver.post([&, tag, done = pending_.one()] {
      receiver.receive(0, tag, received[tag], false, [&, tag, done] {
        order.push_back(tag);
        done();
      });
    });
  }
  Wire& sender = *ranks_[0]->wire();
  sender.post([&, done = pending_.one()] {  // in one job: none can go before all wait
    for (const std::uint32_t tag : {1, 0, 3, 2}) {
      sender.send(1, tag, data, Encoding::fp32, pending_.one());
    }
    done();
  });
  pending_.wait();
  EXPECT_EQ(order, (std::vector<std::uint32_t>{3, 2, 1, 0}));
}

TEST_F(TcpWire, KeepsAMessageUntilSomebodyWaitsForIt) {
  const Floats early = counting(1'000'000, 0);
  const Floats behind = {42};
  Floats got_early(early.size(), 1), got_behind(1);
  send(0, 1, 1, early);
  send(0, 1, 2, behind);
  receive(1, 0, 2, got_behind);
  // The message behind passes the one that nobody has waited for yet.
  wait_until([&] { return ranks_[1]->wire()->bytes_received() == 4'000'004; });
  settle(*ranks_[1]->wire());
  EXPECT_EQ(behind, got_behind);
  receive(1, 0, 1, got_early, true);
  pending_.wait();
  EXPECT_EQ(1.0F, got_early[0]);
  EXPECT_EQ(1'000'000.0F, got_early.back());
}

TEST_F(TcpWire, PutsAMessageInPlaceThatIsHalfHereAlready) {
  const Floats sent = counting(3'000'000, 0);
  Floats sums(sent.size(), 1);
  send(0, 1, 1, sent);
  wait_until([&] { return ranks_[1]->wire()->bytes_received() > 0; });
  receive(1, 0, 1, sums, true);
  pending_.wait();
  EXPECT_EQ(counting(sent.size(), 1), sums);
}

TEST_F(TcpWire, CountsThePayloadAsEncoded) {
  const Floats data(1001, 1.5F);
  Floats plain(data.size()), half(data.size());
  send(0, 1, 0, data);
  send(0, 1, 1, data, Encoding::fp16);
  receive(1, 0, 0, plain);
  receive(1, 0, 1, half);
  pending_.wait();
  EXPECT_EQ(1001U * 6, ranks_[0]->wire()->bytes_sent());
  EXPECT_EQ(1001U * 6, ranks_[1]->wire()->bytes_received());
  EXPECT_EQ(0U, ranks_[1]->wire()->bytes_sent());
}

TEST_F(TcpWire, CarriesEmptyMessages) {
  const Floats nothing;
  Floats received;
  send(0, 1, 0, nothing);
  receive(1, 0, 0, received);
  pending_.wait();
  EXPECT_EQ(0U, ranks_[1]->wire()->bytes_received());
}

TEST_F(TcpWire, NamesThePeerThatLeavesSomebodyWaiting) {
  Floats into(10);
  receive(1, 0, 0, into);
  settle(*ranks_[1]->wire());
  ranks_[0].reset();
  wait_until([&] {
    try {
      ranks_[1]->check();
      return false;
    } catch (const Error& error) {
      const std::string& host = ranks_[1]->host_name(0);
      EXPECT_EQ(fmt::format("rank 0 on {} was lost: it closed its connection for data, says rank 1 "
                            "on {}",
                            host, host),
                error.what());
      return true;
    }
  });
}

class TcpWireEncodings : public TcpWire, public testing::WithParamInterface<Encoding> {};
INSTANTIATE_TEST_SUITE_P(All, TcpWireEncodings,
                         testing::Values(Encoding::fp32, Encoding::fp16, Encoding::bf16));

TEST_P(TcpWireEncodings, AddIntegersExactly) {
  // Several pieces and a bit; integers that all encodings have.
  Floats sent(200'003), sums(sent.size()), expected(sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    sent[i] = static_cast<float>(i % 257) - 128;
    sums[i] = static_cast<float>(i);
    expected[i] = sums[i] + sent[i];
  }
  receive(1, 0, 3, sums, true);
  send(0, 1, 3, sent, GetParam());
  pending_.wait();
  EXPECT_EQ(expected, sums);
}

TEST_P(TcpWireEncodings, RoundWithinTheirPrecision) {
  const double precision = GetParam() == Encoding::fp32   ? 0
                           : GetParam() == Encoding::fp16 ? std::ldexp(1, -11)
                                                          : std::ldexp(1, -8);
  Floats sent(100'001), received(sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = std::sin(static_cast<float>(i)) + 2;
  receive(1, 0, 3, received);
  send(0, 1, 3, sent, GetParam());
  pending_.wait();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    ASSERT_NEAR(sent[i], received[i], sent[i] * precision) << i;
  }
}

TEST(TcpWires, ConnectEveryTwoRanksOnDifferentHosts) {
  const std::vector<std::string> hosts = {"a", "b", "a", "c"};
  const auto ranks = connect_world(hosts);
  const Floats data = counting(100'000, 0);
  std::vector<Floats> into(16, Floats(data.size()));
  Pending pending;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      if (hosts[from] == hosts[to]) continue;
      Wire& sender = *ranks[from]->wire();
      Wire& receiver = *ranks[to]->wire();
      sender.post(
          [&, to, done = pending.one()] { sender.send(to, 5, data, Encoding::fp32, done); });
      receiver.post([&, from, to, done = pending.one()] {
        receiver.receive(from, 5, into[from * 4 + to], false, done);
      });
    }
  }
  pending.wait();
  for (int pair = 0; pair < 16; ++pair) {
    const bool apart = hosts[pair / 4] != hosts[pair % 4];
    EXPECT_EQ(apart ? data : Floats(data.size()), into[pair]) << pair;
  }
}

TEST(TcpWires, AreAbsentWhereNothingNeedsThem) {
  EXPECT_EQ(nullptr, connect_world({"a", "a"})[1]->wire());
}

}  // namespace
}  // namespace lockstep::comm::tcp
