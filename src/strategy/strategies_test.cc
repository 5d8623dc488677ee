#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "comm/fake_hosts.h"
#include "comm/proof.h"
#include "comm/summing_rank_for_test.h"
#include "strategy/strategy.h"

namespace lockstep::strategy {
namespace {

using comm::Range;
using spec::find_strategy;
using spec::StrategyRow;

Site one_host(int workers, int servers = 0, std::string_view all_reduce = "direct") {
  Site site;
  site.topology.host_of.resize(static_cast<std::size_t>(workers + servers));
  site.servers = servers;
  site.all_reduce = parse_all_reduce_spec(all_reduce);
  return site;
}

Site on_hosts(std::vector<int> host_of, int servers, std::string_view all_reduce) {
  Site site;
  site.topology.host_of = std::move(host_of);
  site.servers = servers;
  site.all_reduce = parse_all_reduce_spec(all_reduce);
  return site;
}

// Where the strategy has a choice, every algorithm, and what only a spec can say.
std::vector<std::string> all_reduce_specs(const StrategyRow& row) {
  if (!row.reduces || row.automatic != "auto") return {"auto"};
  std::vector<std::string> specs = {"auto", "ring#2", "owner#3", "tree:100:owner#2:1000:ring"};
  for (const comm::AlgorithmRow& algorithm : comm::algorithms()) {
    specs.emplace_back(algorithm.name);
  }
  return specs;
}

// Some on one host, some on several, some with dedicated servers where the strategy can have them.
std::vector<Site> sites(const StrategyRow& row, std::string_view all_reduce) {
  std::vector<Site> sites;
  for (int world = 1; world <= 5; ++world) sites.push_back(one_host(world, 0, all_reduce));
  sites.push_back(on_hosts({0, 1}, 0, all_reduce));
  sites.push_back(on_hosts({0, 0, 1}, 0, all_reduce));
  sites.push_back(on_hosts({0, 1, 0, 1, 2}, 0, all_reduce));
  if (row.served) {
    sites.push_back(one_host(3, 2, all_reduce));
    sites.push_back(on_hosts({0, 0, 1, 1, 1}, 1, all_reduce));
    sites.push_back(on_hosts({0, 0, 1, 1, 2, 3}, 2, all_reduce));
  }
  return sites;
}

std::string describe(const Site& site, std::string_view all_reduce) {
  return fmt::format("hosts {}, the last {} of them servers, {}",
                     fmt::join(site.topology.host_of, ","), site.servers, all_reduce);
}

// Multiples of the grain times all worlds below, so that formulas are exact.
constexpr std::size_t kUnit = std::size_t{16} * 60;
std::vector<Chunk> chunks_on(const Site& site) {
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < 60; ++i) {
    chunks.push_back({.range = {i * kUnit, (i + 1) * kUnit}, .bucket_elements = kUnit});
  }
  place_on_servers(chunks, site);
  return chunks;
}

// What a rank sends in one step, in elements.
std::size_t sent(const StrategyRow& row, const Site& site, int rank) {
  std::size_t sum = 0;
  for (const Chunk& chunk : chunks_on(site)) {
    const comm::Collective collective = exchange(row, site, chunk, rank).collective;
    sum += comm::traffic(collective.reduce).sent + comm::traffic(collective.distribute).sent;
  }
  return sum;
}

// Servers of the others deal with one worker at a time.
std::vector<StrategyRow> synchronous() {
  std::vector<StrategyRow> rows;
  for (const StrategyRow& row : spec::strategies()) {
    if (!row.asynchronous) rows.push_back(row);
  }
  return rows;
}

class EveryStrategy : public testing::TestWithParam<StrategyRow> {
 protected:
  // Odd lengths, one chunk of several pieces, one smaller than there are ranks.
  static std::vector<Chunk> odd_chunks(const Site& site) {
    std::vector<Chunk> chunks;
    for (const Range range : {Range{0, 1}, {2, 39}, {64, 1000}, {1000, 18001}}) {
      chunks.push_back({.range = range, .bucket_elements = range.size()});
    }
    place_on_servers(chunks, site);
    return chunks;
  }

  // Three steps on all ranks, with real threads, each element checked.
  void expect_what_it_promises(const Site& site) {
    const std::vector<Chunk> chunks = odd_chunks(site);
    std::vector<Range> ranges;
    for (const Chunk& chunk : chunks) ranges.push_back(chunk.range);
    const auto exchange_of = [&](Range range, int rank) {
      return exchange(GetParam(), site, *std::ranges::find(chunks, range, &Chunk::range), rank);
    };
    const comm::FakeHosts world(site.topology);
    comm::on_every_rank(world.ranks(), [&](comm::Transport& transport) {
      comm::SummingRank rank(transport, ranges, exchange_of);
      for (int step = 0; step < 3; ++step) {
        rank.step();
        if (!GetParam().averages) {
          rank.expect_own();
        } else if (site.trains(transport.rank())) {
          rank.expect_sums(site.workers());
        }
      }
    });
  }
};

TEST_P(EveryStrategy, GivesAllWorkersWhatItPromises) {
  for (const std::string& all_reduce : all_reduce_specs(GetParam())) {
    for (const Site& site : sites(GetParam(), all_reduce)) {
      SCOPED_TRACE(describe(site, all_reduce));
      expect_what_it_promises(site);
    }
  }
}

TEST_P(EveryStrategy, DoesSoHoweverRanksRace) {
  if (!GetParam().averages) return;  // there is no sum to prove
  for (const std::string& all_reduce : all_reduce_specs(GetParam())) {
    for (const Site& site : sites(GetParam(), all_reduce)) {
      const std::vector<Chunk> chunks = odd_chunks(site);
      for (const Chunk& chunk : std::span(chunks).first(2)) {  // longer ones prove no more
        std::vector<comm::Exchange> exchanges;
        for (int rank = 0; rank < site.topology.world(); ++rank) {
          exchanges.push_back(exchange(GetParam(), site, chunk, rank));
        }
        const auto flaw =
            comm::find_flaw(comm::compile_all(site.topology, chunk.range, std::move(exchanges)));
        ASSERT_FALSE(flaw) << *flaw << ": " << describe(site, all_reduce);
      }
    }
  }
}

TEST_P(EveryStrategy, UpdatesEveryElementOnce) {
  for (int world = 1; world <= 5; ++world) {
    const Site site = one_host(world, 0, "auto");
    for (const Chunk& chunk : chunks_on(site)) {
      std::size_t owned = 0;
      for (int rank = 0; rank < world; ++rank) {
        for (const Range range : exchange(GetParam(), site, chunk, rank).collective.owned) {
          owned += range.size();
        }
      }
      EXPECT_EQ(owned, chunk.range.size() * (GetParam().averages ? 1 : world));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Strategy, EveryStrategy, testing::ValuesIn(synchronous()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(AsynchronousParameterServer, DealsWithTheWorkerThatAsksAsIfItWereAlone) {
  const StrategyRow& row = find_strategy("parameter_server", true);
  Site site = on_hosts({0, 0, 1, 1, 2}, 2, "auto");
  for (site.self = 0; site.self < site.workers(); ++site.self) {
    const std::vector<Chunk> chunks = chunks_on(site);
    for (const Chunk& chunk : std::span(chunks).first(2)) {  // of one server each
      std::vector<comm::Exchange> exchanges;
      for (int rank = 0; rank < site.topology.world(); ++rank) {
        exchanges.push_back(exchange(row, site, chunk, rank));
        const comm::Exchange& part = exchanges.back();
        EXPECT_EQ(part.contributes, rank == site.self);
        EXPECT_EQ(comm::traffic(part.collective.reduce).sent,
                  rank == site.self ? chunk.range.size() : 0);
        EXPECT_EQ(comm::traffic(part.collective.distribute).sent,
                  rank == chunk.server ? chunk.range.size() : 0);
      }
      const auto flaw =
          comm::find_flaw(comm::compile_all(site.topology, chunk.range, std::move(exchanges)));
      EXPECT_FALSE(flaw) << *flaw;
    }
  }
}

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
        return exchange(row, site, chunks[range.begin / kUnit], other);
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
    const Site site = one_host(world, 0, "auto");
    for (int rank = 0; rank < world; ++rank) {
      EXPECT_EQ(sent(row, site, rank), 2 * (n - 1) * 60 * kUnit / n);
      for (const Chunk& chunk : chunks_on(site)) {
        for (const comm::Move& move : exchange(row, site, chunk, rank).collective.reduce) {
          EXPECT_THAT(move.peer, testing::AnyOf((rank + 1) % world, (rank + world - 1) % world));
        }
      }
    }
  }
}

TEST(Horovod, TakesTheAlgorithmThatTheSpecNames) {
  const Site site = one_host(4, 0, "tree");
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(sent(find_strategy("horovod"), site, rank),
              sent(find_strategy("replicated"), site, rank));
  }
  EXPECT_NE(sent(find_strategy("horovod"), site, 1),
            sent(find_strategy("horovod"), one_host(4, 0, "auto"), 1));
}

TEST(AllReduceTaken, IsWhatTheSpecAndAutoStandFor) {
  const StrategyRow& replicated = find_strategy("replicated");
  const auto taken = [&](const Site& site, std::size_t elements) {
    return all_reduce_taken(replicated, site, elements);
  };
  EXPECT_EQ(taken(one_host(2, 0, "auto"), 100), "direct");
  EXPECT_EQ(taken(on_hosts({0, 1}, 0, "auto"), 100), "tree");
  EXPECT_EQ(taken(on_hosts({0, 1}, 0, "auto"), 1 << 20), "ring");
  EXPECT_EQ(taken(on_hosts({0, 0, 1, 1}, 0, "auto"), 100), "hierarchical");
  EXPECT_EQ(taken(one_host(2, 0, "tree:99:xring#2"), 99), "tree");
  EXPECT_EQ(taken(one_host(2, 0, "tree:99:xring#2"), 100), "ring#2");
  EXPECT_EQ(all_reduce_taken(find_strategy("horovod"), one_host(2, 0, "auto"), 100), "ring");
  EXPECT_EQ(all_reduce_taken(find_strategy("horovod"), one_host(2, 0, "tree"), 100), "tree");
}

TEST(AllReduceTaken, IsNoneOfOneWorkerAndOfStrategiesWithout) {
  EXPECT_EQ(all_reduce_taken(find_strategy("replicated"), one_host(1, 0, "ring"), 100), "");
  for (const char* name : {"parameter_server", "independent", "distributed_replicated"}) {
    EXPECT_EQ(all_reduce_taken(find_strategy(name), one_host(2, 0, "auto"), 100), "") << name;
  }
}

TEST(Replicated, TakesTheAlgorithmThatTheSpecNamesForTheBucket) {
  const Site site = one_host(3, 0, "tree:99:ring");
  const StrategyRow& row = find_strategy("replicated");
  for (const std::size_t bucket : {99, 100}) {
    const Range part_of_bucket{0, 50};
    comm::Algorithm* expected = bucket < 100 ? comm::tree : comm::ring;
    const Chunk chunk{.range = part_of_bucket, .bucket_elements = bucket};
    EXPECT_EQ(exchange(row, site, chunk, 1).collective.reduce,
              expected(site.topology, 1, part_of_bucket, 16).reduce);
  }
}

TEST(DistributedReplicated, SendsEveryGradientOfAHostOnce) {
  const Site site = on_hosts({0, 0, 1, 1, 1, 2}, 1, "auto");
  const StrategyRow& row = find_strategy("distributed_replicated");
  std::map<int, std::size_t> leaving;  // by host
  for (int rank = 0; rank < site.topology.world(); ++rank) {
    for (const Chunk& chunk : chunks_on(site)) {
      const comm::Schedule reduce = exchange(row, site, chunk, rank).collective.reduce;
      leaving[site.topology.host_of[static_cast<std::size_t>(rank)]] +=
          comm::traffic(comm::between_hosts(site.topology, rank, reduce)).sent;
    }
  }
  EXPECT_EQ(leaving, (std::map<int, std::size_t>{{0, 60 * kUnit}, {1, 60 * kUnit}, {2, 0}}));
}

TEST(Alone, SendsNothing) {
  for (const char* name : {"independent", "barrier_only"}) {
    EXPECT_EQ(sent(find_strategy(name), one_host(4), 2), 0);
  }
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
