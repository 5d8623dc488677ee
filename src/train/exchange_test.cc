#include "train/exchange.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "comm/fake_hosts.h"

namespace lockstep::train {
namespace {

// The second parameter takes several chunks.
const Layout kLayout{.segments = {{0, 48, true}, {48, 300001, true}, {300064, 7, false}},
                     .floats = 300080};

// The new parameters are the sums.
class CopyingKeeper : public comm::Keeper {
 public:
  explicit CopyingKeeper(std::span<float> parameters) : parameters_(parameters) {}
  double update(comm::Range range, const float* sums) override {
    std::copy_n(sums, range.size(), &parameters_[range.begin]);
    return 0;
  }
  double received(comm::Range, const float*) override { return 0; }

 private:
  const std::span<float> parameters_;
};

Site site_of(const char* strategy, const comm::Topology& topology, int servers = 0) {
  Site site;
  site.ranks.topology = topology;
  site.ranks.servers = servers;
  site.strategy = &spec::find_strategy(strategy);
  site.spin = false;
  return site;
}

Tally tally_of(int rank) {
  return {.ranks = 1, .loss = static_cast<float>(rank) + 1, .interrupted = rank == 1 ? 1.0F : 0};
}

// A rank's part in one step. Gradients are rank + 1 everywhere.
Tally step(Exchange& exchange, int rank) {
  exchange.begin();
  exchange.before_gradients();
  for (int i = 0; i < static_cast<int>(kLayout.segments.size()); ++i) {
    const Layout::Segment& segment = kLayout.segments[static_cast<std::size_t>(i)];
    std::ranges::fill(exchange.gradients().subspan(segment.offset, segment.size),
                      static_cast<float>(rank + 1));
    exchange.completed(i);
  }
  const Tally sums = exchange.finish(tally_of(rank));
  exchange.land();
  return sums;
}

std::span<float> values(const Exchange& exchange, std::size_t segment) {
  return exchange.parameters().subspan(kLayout.segments[segment].offset,
                                       kLayout.segments[segment].size);
}

void expect_all(const Exchange& exchange, float value) {
  for (const std::size_t segment : {0, 1, 2}) {
    const std::span<float> all = values(exchange, segment);
    EXPECT_EQ(std::ranges::count(all, value), std::ssize(all)) << "in segment " << segment;
  }
}

TEST(Exchange, CutsBucketsIntoChunksOfAMebibyteAtMostAndTheTally) {
  const auto ranks = comm::connect_threads(1);
  const Exchange exchange(*ranks[0], site_of("replicated", ranks[0]->topology()), kLayout, {},
                          true);
  std::size_t at = 0;
  for (const strategy::Chunk& chunk : exchange.chunks()) {
    EXPECT_LE(chunk.range.size(), (std::size_t{1} << 20) / sizeof(float));
    EXPECT_TRUE(chunk.range.begin == at || chunk.range.begin % 16 == 0);
    at = chunk.range.end;
  }
  EXPECT_EQ(exchange.chunks().back().range,
            (comm::Range{kLayout.floats, kLayout.floats + kTallyFloats}));
  EXPECT_EQ(exchange.chunks().front().range.begin, 0);
}

TEST(Exchange, SumsUpGradientsAndTallyOfAllRanks) {
  for (const spec::StrategyRow& row : spec::strategies()) {
    if (!row.averages || !row.in_step) continue;
    const auto ranks = comm::connect_threads(3);
    comm::on_every_rank(ranks, [&](comm::Transport& transport) {
      Exchange exchange(transport, site_of(row.name.data(), transport.topology()), kLayout, {},
                        true);
      CopyingKeeper keeper(exchange.parameters());
      exchange.connect(keeper);
      for (int i = 0; i < 3; ++i) {
        const Tally sums = step(exchange, transport.rank());
        EXPECT_EQ(sums.ranks, 3);
        EXPECT_EQ(sums.loss, 1 + 2 + 3);
        EXPECT_EQ(sums.interrupted, 1);
        EXPECT_EQ(sums.precise, 0);
        expect_all(exchange, 6);
      }
    });
  }
}

TEST(Exchange, LeavesIndependentRanksAlone) {
  const auto ranks = comm::connect_threads(2);
  comm::on_every_rank(ranks, [&](comm::Transport& transport) {
    const int rank = transport.rank();
    Exchange exchange(transport, site_of("independent", transport.topology()), kLayout, {}, true);
    CopyingKeeper keeper(exchange.parameters());
    exchange.connect(keeper);
    const Tally sums = step(exchange, rank);
    EXPECT_EQ(sums.ranks, 1);
    EXPECT_EQ(sums.loss, rank + 1);
    expect_all(exchange, static_cast<float>(rank + 1));
    EXPECT_EQ(exchange.executor().bytes_sent(), 0);
    EXPECT_EQ(exchange.executor().bytes_received(), 0);
  });
}

TEST(Exchange, OfABarrierIsTheTallysAlone) {
  const auto ranks = comm::connect_threads(2);
  comm::on_every_rank(ranks, [&](comm::Transport& transport) {
    const int rank = transport.rank();
    Exchange exchange(transport, site_of("barrier_only", transport.topology()), kLayout, {}, true);
    CopyingKeeper keeper(exchange.parameters());
    exchange.connect(keeper);
    EXPECT_EQ(step(exchange, rank).ranks, 2);
    expect_all(exchange, static_cast<float>(rank + 1));
    EXPECT_EQ(exchange.executor().bytes_sent(), kTallyFloats * sizeof(float));
  });
}

TEST(Exchange, OfARankThatOnlyRunsForwardIsTheTallysAlone) {
  const auto ranks = comm::connect_threads(2);
  comm::on_every_rank(ranks, [&](comm::Transport& transport) {
    Exchange exchange(transport, site_of("replicated", transport.topology()), kLayout, {}, false);
    CopyingKeeper keeper(exchange.parameters());
    exchange.connect(keeper);
    ASSERT_EQ(exchange.chunks().size(), 1);
    exchange.begin();
    exchange.before_gradients();
    EXPECT_EQ(exchange.finish(tally_of(transport.rank())).loss, 3);
    exchange.land();
    expect_all(exchange, 0);
  });
}

TEST(Exchange, GoesThroughServersThatTrainNothing) {
  const auto ranks = comm::connect_threads(4);
  comm::on_every_rank(ranks, [&](comm::Transport& transport) {
    const Site site = site_of("parameter_server", transport.topology(), 2);
    Exchange exchange(transport, site, kLayout, {}, true);
    CopyingKeeper keeper(exchange.parameters());
    exchange.connect(keeper);
    for (int i = 0; i < 3; ++i) {
      if (site.ranks.trains(transport.rank())) {
        EXPECT_EQ(step(exchange, transport.rank()).ranks, 2);
        expect_all(exchange, 1 + 2);
      } else {
        exchange.begin();
        exchange.before_gradients();
        exchange.all_completed();
        EXPECT_EQ(exchange.finish({}).ranks, 2);
        exchange.land();
      }
    }
  });
}

TEST(Exchange, GivesEverybodyTheParametersOfRank0) {
  for (const std::vector<int>& host_of : {std::vector{0, 0, 0}, {0, 0, 1}, {0, 1, 2}}) {
    const comm::FakeHosts world({host_of});
    comm::on_every_rank(world.ranks(), [&](comm::Transport& transport) {
      Exchange exchange(transport, site_of("replicated", transport.topology()), kLayout, {}, true);
      CopyingKeeper keeper(exchange.parameters());
      exchange.connect(keeper);
      for (const std::size_t s : {0, 1, 2}) {
        std::ranges::fill(values(exchange, s), static_cast<float>(transport.rank() + 5));
      }
      exchange.broadcast_parameters();
      expect_all(exchange, 5);
      EXPECT_EQ(step(exchange, transport.rank()).ranks, 3);  // and steps can come
      expect_all(exchange, 6);
    });
  }
}

// More bits than 16 hold.
constexpr float kFine = 1 + 0x1p-20F;

TEST(Exchange, EncodesGradientsBetweenHostsButNeitherParametersNorTally) {
  for (const auto precision : {spec::WirePrecision::fp16, spec::WirePrecision::bf16}) {
    const comm::FakeHosts world({{0, 1}});
    comm::on_every_rank(world.ranks(), [&](comm::Transport& transport) {
      spec::Exchange options;
      options.variable_update = "replicated";
      options.wire_precision = precision;
      Exchange exchange(transport, site_of("replicated", transport.topology()), kLayout, options,
                        true);
      CopyingKeeper keeper(exchange.parameters());
      exchange.connect(keeper);
      exchange.begin();
      exchange.before_gradients();
      std::ranges::fill(exchange.gradients(), kFine);
      exchange.all_completed();
      const Tally sums = exchange.finish({.ranks = 1, .loss = kFine});
      exchange.land();
      EXPECT_EQ(sums.loss, 2 * kFine);
      // The owner's own gradient is fine, what came is not; both ranks have the owner's sum.
      expect_all(exchange, kFine + 1);
    });
  }
}

}  // namespace
}  // namespace lockstep::train
