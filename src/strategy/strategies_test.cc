#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "base/error.h"
#include "comm/fake_hosts.h"
#include "comm/summing_rank_for_test.h"
#include "strategy/strategy.h"

namespace lockstep::strategy {
namespace {

using comm::Range;
using testing::HasSubstr;

Site one_host(int workers, int servers = 0, comm::Algorithm* algorithm = comm::direct) {
  Site site;
  site.topology.host_of.resize(static_cast<std::size_t>(workers + servers));
  site.servers = servers;
  site.all_reduce = [=](std::size_t) { return algorithm; };
  return site;
}

// Multiples of the grain times all worlds below, so that formulas are exact.
constexpr std::size_t kUnit = std::size_t{16} * 60;
std::vector<Chunk> chunks_on(const Site& site) {
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < 60; ++i) chunks.push_back({.range = {i * kUnit, (i + 1) * kUnit}});
  place_on_servers(chunks, site);
  return chunks;
}

// What a rank sends in one step, in elements.
std::size_t sent(const StrategyRow& row, const Site& site, int rank) {
  std::size_t sum = 0;
  for (const Chunk& chunk : chunks_on(site)) {
    const comm::Collective collective = row.exchange(site, chunk, rank).collective;
    sum += comm::traffic(collective.reduce).sent + comm::traffic(collective.distribute).sent;
  }
  return sum;
}

TEST(Strategies, AreFoundByName) {
  for (const StrategyRow& row : strategies()) EXPECT_EQ(&find_strategy(row.name), &row);
}

TEST(Strategies, HelpThoseWhoMistype) {
  try {
    find_strategy("replicatd");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.hint(), HasSubstr("did you mean replicated?"));
    EXPECT_THAT(error.hint(), HasSubstr("barrier_only"));
  }
}

class EveryStrategy : public testing::TestWithParam<StrategyRow> {
 protected:
  // Three steps of all ranks, each element checked.
  void expect_sums(const Site& site) {
    const std::vector<Range> chunks = {{0, 1}, {2, 39}, {64, 1000}, {1000, 18001}};
    std::vector<Chunk> placed;
    for (const Range& range : chunks) placed.push_back({.range = range});
    place_on_servers(placed, site);
    const auto exchange_of = [&](Range range, int rank) {
      const auto chunk =
          std::ranges::find_if(placed, [&](const Chunk& c) { return c.range == range; });
      return GetParam().exchange(site, *chunk, rank);
    };
    const auto ranks = comm::connect_threads(site.topology.world());
    comm::on_every_rank(ranks, [&](comm::Transport& transport) {
      comm::SummingRank rank(transport, chunks, exchange_of);
      for (int step = 0; step < 3; ++step) {
        rank.step();
        if (GetParam().averages) {
          if (site.trains(transport.rank())) rank.expect_sums(site.workers());
        } else {
          rank.expect_own();
        }
      }
    });
  }
};

TEST_P(EveryStrategy, GivesAllRanksWhatItPromises) {
  for (const comm::AlgorithmRow& algorithm : comm::algorithms()) {
    for (int world = 1; world <= 5; ++world) {
      SCOPED_TRACE(fmt::format("{} ranks, {}", world, algorithm.name));
      expect_sums(one_host(world, 0, algorithm.make));
    }
  }
}

TEST_P(EveryStrategy, UpdatesEveryElementOnce) {
  for (int world = 1; world <= 5; ++world) {
    const Site site = one_host(world);
    for (const Chunk& chunk : chunks_on(site)) {
      std::size_t owned = 0;
      for (int rank = 0; rank < world; ++rank) {
        for (const Range& range : GetParam().exchange(site, chunk, rank).collective.owned) {
          owned += range.size();
        }
      }
      EXPECT_EQ(owned, chunk.range.size() * (GetParam().averages ? 1 : world));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Strategy, EveryStrategy,
                         testing::ValuesIn(strategies().begin(), strategies().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(ParameterServer, SumsUpOnServersThatTrainNothing) {
  const StrategyRow& row = find_strategy("parameter_server");
  for (const int servers : {1, 2, 3}) {
    const Site site = one_host(2, servers);
    const std::vector<Chunk> chunks = chunks_on(site);
    const auto ranks = comm::connect_threads(site.topology.world());
    std::vector<Range> ranges;
    for (const Chunk& chunk : chunks) ranges.push_back(chunk.range);
    comm::on_every_rank(ranks, [&](comm::Transport& transport) {
      comm::SummingRank rank(transport, ranges, [&](Range range, int other) {
        return row.exchange(site, chunks[range.begin / kUnit], other);
      });
      for (int step = 0; step < 3; ++step) {
        rank.step();
        if (site.trains(transport.rank())) rank.expect_sums(site.workers());
      }
    });
  }
}

TEST(ParameterServer, SendsGradientsToServersAndParametersBack) {
  const StrategyRow& row = find_strategy("parameter_server");
  const std::size_t all = 60 * kUnit;
  for (int world = 1; world <= 5; ++world) {  // one colocated server per rank
    const auto n = static_cast<std::size_t>(world);
    for (int rank = 0; rank < world; ++rank) {
      EXPECT_EQ(sent(row, one_host(world), rank), 2 * (n - 1) * all / n);
    }
  }
  const Site dedicated = one_host(4, 2);
  EXPECT_EQ(sent(row, dedicated, 0), all);
  EXPECT_EQ(sent(row, dedicated, 4), 4 * all / 2);
  EXPECT_EQ(sent(row, dedicated, 5), 4 * all / 2);
}

TEST(Horovod, SendsWhatARingSends) {
  const StrategyRow& row = find_strategy("horovod");
  for (int world = 1; world <= 5; ++world) {
    const auto n = static_cast<std::size_t>(world);
    const Site site = one_host(world, 0, comm::tree);  // which it does not use
    for (int rank = 0; rank < world; ++rank) {
      EXPECT_EQ(sent(row, site, rank), 2 * (n - 1) * 60 * kUnit / n);
      for (const Chunk& chunk : chunks_on(site)) {
        for (const comm::Move& move : row.exchange(site, chunk, rank).collective.reduce) {
          EXPECT_THAT(move.peer, testing::AnyOf((rank + 1) % world, (rank + world - 1) % world));
        }
      }
    }
  }
}

TEST(Replicated, TakesTheAlgorithmThatTheSiteNamesForTheSize) {
  Site site = one_host(3);
  site.all_reduce = [](std::size_t elements) { return elements < 100 ? comm::tree : comm::ring; };
  const StrategyRow& row = find_strategy("replicated");
  for (const std::size_t size : {99, 100}) {
    const Range range{0, size};
    comm::Algorithm* expected = size < 100 ? comm::tree : comm::ring;
    EXPECT_EQ(row.exchange(site, {.range = range}, 1).collective.reduce,
              expected(site.topology, 1, range, 16).reduce);
  }
}

TEST(Alone, SendsNothing) {
  for (const char* name : {"independent", "barrier_only"}) {
    EXPECT_EQ(sent(find_strategy(name), one_host(4), 2), 0);
    EXPECT_FALSE(find_strategy(name).averages);
  }
  EXPECT_FALSE(find_strategy("independent").in_step);
  EXPECT_TRUE(find_strategy("barrier_only").in_step);
}

std::map<int, std::size_t> loads(std::span<const Chunk> chunks) {
  std::map<int, std::size_t> loads;
  for (const Chunk& chunk : chunks) loads[chunk.server] += chunk.range.size();
  return loads;
}

TEST(PlaceOnServers, BalancesBytes) {
  const std::vector<std::size_t> sizes = {700, 10, 300, 300, 90, 500, 200, 100};
  std::vector<Chunk> chunks;
  std::size_t at = 0;
  for (const std::size_t size : sizes) {
    chunks.push_back({.range = {at, at + size}});
    at += size;
  }
  place_on_servers(chunks, one_host(3));
  std::size_t least = at, most = 0;
  for (const auto& [server, load] : loads(chunks)) {
    least = std::min(least, load);
    most = std::max(most, load);
  }
  EXPECT_EQ(loads(chunks).size(), 3);
  EXPECT_LE(most - least, 700u);  // the largest chunk
}

TEST(PlaceOnServers, PrefersDedicatedServers) {
  const Site site = one_host(3, 2);
  for (const auto& [server, load] : loads(chunks_on(site))) {
    EXPECT_FALSE(site.trains(server));
    EXPECT_EQ(load, 30 * kUnit);
  }
}

}  // namespace
}  // namespace lockstep::strategy
