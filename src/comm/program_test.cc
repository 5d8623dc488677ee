#include "comm/program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "comm/proof.h"
#include "comm/topologies_for_test.h"

namespace lockstep::comm {
namespace {

using Kind = Operation::Kind;

constexpr int kLargestWorld = 17;

std::vector<Topology> layouts() {
  std::vector<Topology> all;
  for (int world = 1; world <= kLargestWorld; ++world) {
    all.push_back(one_host(world));
    all.push_back(hosts_with(std::vector<int>(world, 1)));
  }
  for (const std::vector<int>& ranks : std::vector<std::vector<int>>{
           {2, 2}, {1, 2}, {3, 1}, {4, 3}, {2, 3, 4}, {1, 1, 5}, {4, 4, 4}, {3, 5, 2, 7}}) {
    all.push_back(hosts_with(ranks));
  }
  all.push_back({{0, 1, 0, 1}});           // ranks dealt out to hosts
  all.push_back({{2, 0, 2, 1, 0, 2, 1}});  // unevenly
  return all;
}

std::set<std::size_t> lengths(int world) {
  const auto n = static_cast<std::size_t>(world);
  return {0, 1, n - 1, n, 3 * n + 1};
}

// Not at 0, so that nobody takes a place in the array for a place in the range.
Range range_of(std::size_t length) {
  return {10, 10 + length};
}

ProgrammedWorld programs(Algorithm* algorithm, const Topology& topology, Range range,
                         std::size_t grain = 1, bool always_pushes = false) {
  std::vector<Exchange> exchanges;
  for (int rank = 0; rank < topology.world(); ++rank) {
    exchanges.push_back({algorithm(topology, rank, range, grain), true});
    if (always_pushes) exchanges.back().collective.pushes = true;
  }
  return compile_all(topology, range, std::move(exchanges));
}

// The first rank is the owner; dedicated, it has no gradients.
ProgrammedWorld server_programs(const Topology& topology, bool dedicated, Range range) {
  std::vector<int> contributors(topology.host_of.size());
  std::iota(contributors.begin(), contributors.end(), 0);
  if (dedicated) contributors.erase(contributors.begin());
  std::vector<Exchange> exchanges;
  for (int rank = 0; rank < topology.world(); ++rank) {
    exchanges.push_back({to_owner(contributors, 0, rank, range), !dedicated || rank > 0});
  }
  return compile_all(topology, range, std::move(exchanges));
}

std::string describe(const Topology& topology, Range range, std::size_t grain) {
  return fmt::format("hosts {}, length {}, grain {}", fmt::join(topology.host_of, ","),
                     range.size(), grain);
}

// ---- The proof -----------------------------------------------------------------------------

class EveryAlgorithm : public testing::TestWithParam<AlgorithmRow> {
 protected:
  void prove(Claim claim) {
    for (const Topology& topology : layouts()) {
      for (const std::size_t length : lengths(topology.world())) {
        for (const std::size_t grain : {1, 4}) {
          const Range range = range_of(length);
          const auto flaw = find_flaw(programs(GetParam().make, topology, range, grain), claim);
          ASSERT_FALSE(flaw) << *flaw << ": " << describe(topology, range, grain);
        }
      }
    }
  }
};

TEST_P(EveryAlgorithm, UpdatesEveryElementWithTheSumOfAllRanksHoweverTheyRace) {
  prove({});
}

TEST_P(EveryAlgorithm, IsAnAllReduceInPlaceToo) {
  prove({.in_place = true});
}

TEST_P(EveryAlgorithm, MayPush) {
  for (const Topology& topology : layouts()) {
    for (const bool in_place : {false, true}) {
      const Range range = range_of(3 * topology.host_of.size() + 1);
      const auto flaw = find_flaw(programs(GetParam().make, topology, range, 1, true), {in_place});
      ASSERT_FALSE(flaw) << *flaw << ": " << describe(topology, range, 1);
    }
  }
}

// Neighbouring recv_adds of one range, its update and its puts become one: it waits for all of
// them, and counts them all at its end.
ProgrammedWorld fused(ProgrammedWorld world) {
  std::vector<std::vector<int>> last_of(world.programs.size());  // of the pass, by operation
  for (std::size_t rank = 0; rank < world.programs.size(); ++rank) {
    auto& operations = world.programs[rank].operations;
    last_of[rank].resize(operations.size());
    for (std::size_t begin = 0, end = 0; begin < operations.size(); begin = end) {
      Operation& first = operations[begin];
      for (end = begin + 1; end < operations.size(); ++end) {
        Operation& next = operations[end];
        if (first.kind < Kind::recv_add || next.kind < operations[end - 1].kind) break;
        if (next.kind > Kind::put || first.range != next.range) break;
        first.waits.insert(first.waits.end(), next.waits.begin(), next.waits.end());
        next.waits.clear();
      }
      std::fill(last_of[rank].begin() + begin, last_of[rank].begin() + end,
                static_cast<int>(end) - 1);
    }
  }
  const auto delay = [&](std::vector<Wait>& waits) {
    for (Wait& wait : waits) {
      if (wait.count > 1) wait.count = last_of[wait.peer][wait.count - 2] + 2;
    }
  };
  for (Program& program : world.programs) {
    for (Operation& operation : program.operations) delay(operation.waits);
    delay(program.settled);
  }
  return world;
}

TEST_P(EveryAlgorithm, MayAddUpdateAndPutInOnePass) {
  for (const Topology& topology : layouts()) {
    for (const bool in_place : {false, true}) {
      const Range range = range_of(3 * topology.host_of.size() + 1);
      const auto flaw = find_flaw(fused(programs(GetParam().make, topology, range)), {in_place});
      ASSERT_FALSE(flaw) << *flaw << ": " << describe(topology, range, 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Comm, EveryAlgorithm,
                         testing::ValuesIn(algorithms().begin(), algorithms().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(ToOwner, UpdatesEveryElementWithTheSumOfAllContributorsHoweverTheyRace) {
  for (const Topology& topology : layouts()) {
    for (const std::size_t length : lengths(topology.world())) {
      for (const bool dedicated : {false, true}) {
        if (dedicated && topology.world() == 1) continue;  // a server without clients
        const Range range = range_of(length);
        const auto flaw = find_flaw(server_programs(topology, dedicated, range));
        ASSERT_FALSE(flaw) << *flaw << ": " << describe(topology, range, 1)
                           << (dedicated ? ", dedicated" : "");
      }
    }
  }
}

// ---- That the proof can fail ---------------------------------------------------------------

Operation& find(ProgrammedWorld& world, int rank, Kind kind, Array array = Array::gradients) {
  auto& operations = world.programs[rank].operations;
  return *std::find_if(operations.begin(), operations.end(), [&](const Operation& operation) {
    return operation.kind == kind && operation.array == array;
  });
}

TEST(Proof, NoticesEveryMissingWaitForASend) {
  for (Algorithm* algorithm : {direct, ring, tree}) {
    const ProgrammedWorld right = programs(algorithm, one_host(3), range_of(6));
    for (std::size_t rank = 0; rank < right.programs.size(); ++rank) {
      for (std::size_t i = 0; i < right.programs[rank].operations.size(); ++i) {
        if (right.programs[rank].operations[i].waits.empty()) continue;
        ProgrammedWorld wrong = right;
        wrong.programs[rank].operations[i].waits.clear();
        EXPECT_TRUE(find_flaw(wrong)) << "rank " << rank << ", operation " << i;
      }
    }
  }
}

// Without a way back nothing but `settled` keeps gradients until they are read.
ProgrammedWorld reduce_scatter(const Topology& topology, Range range) {
  std::vector<Exchange> exchanges;
  for (int rank = 0; rank < topology.world(); ++rank) {
    exchanges.push_back({direct(topology, rank, range, 1), true});
    exchanges.back().collective.distribute.clear();
  }
  return compile_all(topology, range, std::move(exchanges));
}

TEST(Proof, NoticesEveryMissingWaitForTheStepToSettle) {
  const Claim claim{.distributes = false};
  const ProgrammedWorld right = reduce_scatter(one_host(3), range_of(6));
  EXPECT_EQ(find_flaw(right, claim), std::nullopt);
  for (std::size_t rank = 0; rank < right.programs.size(); ++rank) {
    ProgrammedWorld wrong = right;
    wrong.programs[rank].settled.clear();
    EXPECT_TRUE(find_flaw(wrong, claim));
  }
}

TEST(Proof, NoticesSwappedReceives) {
  ProgrammedWorld world = programs(ring, one_host(3), range_of(6));
  auto& operations = world.programs[1].operations;
  ASSERT_EQ(operations[1].kind, Kind::recv_add);
  ASSERT_EQ(operations[3].kind, Kind::recv_add);
  std::swap(operations[1].range, operations[3].range);
  EXPECT_TRUE(find_flaw(world));
}

TEST(Proof, NoticesSwappedMessages) {
  ProgrammedWorld world = programs(ring, hosts_with({1, 1, 1}), range_of(6));
  auto& operations = world.programs[1].operations;
  ASSERT_EQ(operations[0].kind, Kind::send);
  ASSERT_EQ(operations[2].kind, Kind::send);
  std::swap(operations[0], operations[2]);
  EXPECT_TRUE(find_flaw(world));
}

TEST(Proof, NoticesARankThatIsLeftOut) {
  ProgrammedWorld world = programs(direct, one_host(3), range_of(6));
  find(world, 1, Kind::recv_add).kind = Kind::recv;
  EXPECT_TRUE(find_flaw(world));
}

TEST(Proof, NoticesARankThatCountsTwice) {
  ProgrammedWorld world = programs(tree, one_host(2), range_of(6));
  auto& operations = world.programs[0].operations;
  operations.insert(operations.begin(), operations[0]);
  for (Operation& operation : world.programs[1].operations) {
    for (Wait& wait : operation.waits) ++wait.count;
  }
  EXPECT_TRUE(find_flaw(world));
}

TEST(Proof, NoticesASecondOwner) {
  const Range range = range_of(6);
  ProgrammedWorld world = programs(direct, one_host(3), range);
  Operation& update = find(world, 1, Kind::update, Array::parameters);
  update.range.begin -= 1;
  EXPECT_TRUE(find_flaw(world));
}

TEST(Proof, NoticesAPutThatOverwritesWhatItsRankStillComputesWith) {
  ProgrammedWorld world = programs(direct, one_host(2), range_of(2));
  find(world, 0, Kind::put, Array::parameters).waits.clear();
  find(world, 0, Kind::recv_add).waits.clear();
  EXPECT_TRUE(find_flaw(world));
}

TEST(Proof, NoticesThatNobodyWaitsForAPut) {
  ProgrammedWorld world = programs(direct, one_host(2), range_of(2));
  find(world, 0, Kind::got, Array::parameters).waits.clear();
  EXPECT_TRUE(find_flaw(world));
}

TEST(Proof, NoticesARangeWithoutOwner) {
  ProgrammedWorld world = programs(direct, one_host(3), range_of(6));
  Operation& update = find(world, 1, Kind::update, Array::parameters);
  update.range.end -= 1;
  EXPECT_TRUE(find_flaw(world));
}

TEST(Proof, NoticesRanksThatWaitForEachOther) {
  ProgrammedWorld world = programs(ring, one_host(2), range_of(2));
  for (Program& program : world.programs) std::swap(program.operations[0], program.operations[1]);
  for (int rank : {0, 1}) world.programs[rank].operations[0].waits = {{1 - rank, 3}};
  EXPECT_THAT(find_flaw(world), testing::Optional(testing::HasSubstr("wait for each other")));
}

TEST(Proof, NoticesMessagesThatNobodySends) {
  ProgrammedWorld world = programs(ring, hosts_with({1, 1}), range_of(2));
  world.programs[0].operations.erase(world.programs[0].operations.begin());
  EXPECT_TRUE(find_flaw(world));
}

TEST(Proof, NoticesMessagesThatNobodyReceives) {
  const Range range = range_of(2);
  ProgrammedWorld world = programs(tree, hosts_with({1, 1}), range);
  world.programs[1].operations.push_back({Kind::send, Array::parameters, 0, range, {}});
  EXPECT_THAT(find_flaw(world), testing::Optional(testing::HasSubstr("nobody receives")));
}

TEST(Proof, NoticesAMessageThatIsOverwrittenBeforeItHasArrived) {
  const Range range = range_of(2);
  ProgrammedWorld world = programs(tree, hosts_with({1, 1}), range);
  auto& root = world.programs[0].operations;
  auto& leaf = world.programs[1].operations;
  // Harmless to the sums: nobody reads the leaf's gradients again, but for the message under way.
  root.insert(root.begin(), {Kind::send, Array::gradients, 1, range, {}});
  leaf.insert(leaf.begin() + 1, {Kind::recv, Array::gradients, 0, range, {}});
  EXPECT_THAT(find_flaw(world), testing::Optional(testing::HasSubstr("writes them")));
}

// ---- What waits look like ------------------------------------------------------------------

TEST(Compile, CountsGradientsAsOneAndEveryOperationAsOneMore) {
  const ProgrammedWorld world = programs(direct, one_host(2), range_of(2));
  // Both: send, add, update, put, got.
  const std::vector<Operation>& operations = world.programs[0].operations;
  ASSERT_EQ(operations.size(), 5u);
  EXPECT_EQ(operations[0].waits, std::vector<Wait>{});
  EXPECT_EQ(operations[1].waits, (std::vector<Wait>{{1, 2}}));
  EXPECT_EQ(operations[2].waits, std::vector<Wait>{});
  EXPECT_EQ(operations[3].waits, std::vector<Wait>{});
  EXPECT_EQ(operations[4].waits, (std::vector<Wait>{{1, 5}}));
  EXPECT_EQ(world.programs[0].settled, std::vector<Wait>{});  // has read what it could put upon
}

TEST(Compile, PutsOnlyIntoMemoryOfItsHost) {
  const ProgrammedWorld world = programs(direct, hosts_with({2, 1}), range_of(3));
  for (const Operation& operation : world.programs[0].operations) {
    if (operation.array != Array::parameters || operation.peer < 0) continue;
    const bool pushed = operation.kind == Kind::put || operation.kind == Kind::got;
    EXPECT_EQ(pushed, operation.peer == 1);
  }
}

TEST(Compile, LetsNobodyOverwriteWhatAPeerStillReads) {
  const Range range = range_of(4);
  std::vector<Exchange> exchanges(2);
  exchanges[0].collective.reduce = {{0, Act::send, 1, range}, {1, Act::recv, 1, range}};
  exchanges[1].collective.reduce = {{0, Act::recv_add, 0, range}, {1, Act::send, 0, range}};
  const ProgrammedWorld world = compile_all(one_host(2), range, std::move(exchanges));
  EXPECT_EQ(world.programs[0].operations[1].waits, (std::vector<Wait>{{1, 3}}));
}

TEST(Compile, WaitsForRanksOfTheSameHostOnly) {
  for (const AlgorithmRow& row : algorithms()) {
    const Topology topology = hosts_with({2, 3});
    const ProgrammedWorld world = programs(row.make, topology, range_of(30));
    for (int rank = 0; rank < topology.world(); ++rank) {
      const Program& program = world.programs[rank];
      std::vector<Wait> waits = program.settled;
      for (const Operation& operation : program.operations) {
        waits.insert(waits.end(), operation.waits.begin(), operation.waits.end());
      }
      for (const Wait& wait : waits) EXPECT_TRUE(topology.same_host(rank, wait.peer)) << row.name;
    }
  }
}

TEST(Compile, LeavesNothingToDoForASingleRankButTheUpdate) {
  for (const AlgorithmRow& row : algorithms()) {
    const ProgrammedWorld world = programs(row.make, one_host(1), range_of(5));
    const std::vector<Operation>& operations = world.programs[0].operations;
    ASSERT_EQ(operations.size(), 1u) << row.name;
    EXPECT_EQ(operations[0].kind, Kind::update);
    EXPECT_EQ(operations[0].range, range_of(5));
  }
}

TEST(Compile, MakesTheFirstGradientsReplaceWhatAServerHolds) {
  const ProgrammedWorld world = server_programs(one_host(3), true, range_of(4));
  const std::vector<Operation>& operations = world.programs[0].operations;
  EXPECT_EQ(operations[0].kind, Kind::recv);
  EXPECT_EQ(operations[1].kind, Kind::recv_add);
}

TEST(Program, AsksOnceForEachPeerThatItExchangesWithAndForNoOther) {
  constexpr int kWorld = 64;
  const Topology topology = one_host(kWorld);
  std::vector<int> asked(kWorld);
  compile(topology, 5, [&](int peer) {
    ++asked[static_cast<std::size_t>(peer)];
    return Exchange{.collective = ring(topology, peer, {0, 1000}, 1)};
  });
  std::vector<int> expected(kWorld);
  expected[4] = expected[5] = expected[6] = 1;
  EXPECT_EQ(asked, expected);
}

}  // namespace
}  // namespace lockstep::comm
