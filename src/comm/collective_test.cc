#include "comm/collective.h"

#include <gtest/gtest.h>

#include <bit>

#include "comm/topologies_for_test.h"

namespace lockstep::comm {
namespace {

constexpr std::size_t kShare = 6;  // elements per rank, where lengths divide

// There and back.
Traffic all_of(const Collective& collective) {
  const Traffic reduce = traffic(collective.reduce);
  const Traffic distribute = traffic(collective.distribute);
  return {reduce.sent + distribute.sent, reduce.received + distribute.received};
}

std::size_t rounds_of(const Collective& collective) {
  std::size_t rounds = 0;
  for (const Schedule* half : {&collective.reduce, &collective.distribute}) {
    if (!half->empty()) rounds += half->back().round + 1;
  }
  return rounds;
}

TEST(Algorithms, GiveEveryElementExactlyOneOwner) {
  for (const AlgorithmRow& row : algorithms()) {
    for (const Topology& topology : {one_host(1), one_host(5), hosts_with({2, 3, 4})}) {
      for (const std::size_t length : {1, 4, 100}) {
        std::vector<int> owners(length);
        for (int rank = 0; rank < topology.world(); ++rank) {
          for (const Range& range : row.make(topology, rank, {7, 7 + length}, 4).owned) {
            EXPECT_FALSE(range.empty());
            EXPECT_EQ((range.begin - 7) % 4, 0u) << row.name << " cuts a grain";
            for (std::size_t i = range.begin; i < range.end; ++i) ++owners[i - 7];
          }
        }
        EXPECT_EQ(owners, std::vector<int>(length, 1)) << row.name;
      }
    }
  }
}

TEST(Algorithms, CountRoundsUpwards) {
  for (const AlgorithmRow& row : algorithms()) {
    const Topology topology = hosts_with({2, 3, 4});
    for (int rank = 0; rank < topology.world(); ++rank) {
      const Collective collective = row.make(topology, rank, {0, 100}, 1);
      for (const Schedule* half : {&collective.reduce, &collective.distribute}) {
        int round = 0;
        for (const Move& move : *half) {
          EXPECT_LE(round, move.round) << row.name;
          round = move.round;
        }
      }
    }
  }
}

TEST(Ring, SendsTwiceEveryShareButOneToTheNextRank) {
  for (int world = 1; world <= 17; ++world) {
    const std::size_t moved = 2 * (world - 1) * kShare;
    for (int rank = 0; rank < world; ++rank) {
      const Collective collective = ring(one_host(world), rank, {0, world * kShare}, 1);
      EXPECT_EQ(all_of(collective), (Traffic{moved, moved}));
      EXPECT_EQ(rounds_of(collective), 2 * (world - 1));
      for (const Move& move : collective.reduce) {
        EXPECT_EQ(move.peer, (rank + (move.act == Act::send ? 1 : world - 1)) % world);
      }
    }
  }
}

TEST(Direct, SendsTwiceEveryShareButOneInTwoRounds) {
  for (int world = 2; world <= 17; ++world) {
    const std::size_t moved = 2 * (world - 1) * kShare;
    for (int rank = 0; rank < world; ++rank) {
      const Collective collective = direct(one_host(world), rank, {0, world * kShare}, 1);
      EXPECT_EQ(all_of(collective), (Traffic{moved, moved}));
      EXPECT_EQ(rounds_of(collective), 2u);
    }
  }
}

TEST(HalvingDoubling, SendsTwiceEveryShareButOneInTwiceLog2Rounds) {
  for (const int world : {1, 2, 4, 8, 16}) {
    const std::size_t moved = 2 * (world - 1) * kShare;
    for (int rank = 0; rank < world; ++rank) {
      const Collective collective = halving_doubling(one_host(world), rank, {0, world * kShare}, 1);
      EXPECT_EQ(all_of(collective), (Traffic{moved, moved}));
      EXPECT_EQ(rounds_of(collective), 2u * (std::bit_width(static_cast<unsigned>(world)) - 1));
    }
  }
}

TEST(HalvingDoubling, SendsNoMoreInWorldsThatAreNoPowersOfTwo) {
  for (int world = 1; world <= 17; ++world) {
    for (int rank = 0; rank < world; ++rank) {
      const Collective collective = halving_doubling(one_host(world), rank, {0, world * kShare}, 1);
      EXPECT_EQ(traffic(collective.reduce).sent, (world - 1) * kShare);
      EXPECT_EQ(traffic(collective.distribute).received, (world - 1) * kShare);
      EXPECT_LE(rounds_of(collective), 2u * std::bit_width(static_cast<unsigned>(world - 1)));
    }
  }
}

TEST(Tree, SendsEverythingUpOnceAndDownOncePerChild) {
  const std::size_t length = 10;
  for (int world = 1; world <= 17; ++world) {
    for (int rank = 0; rank < world; ++rank) {
      const Collective collective = tree(one_host(world), rank, {0, length}, 1);
      std::size_t children = 0;  // rank + 1, rank + 2, rank + 4, ... below the rank's lowest bit
      for (int bit = 1; rank + bit < world && (rank & bit) == 0; bit *= 2) ++children;
      const std::size_t up = rank == 0 ? 0 : length;
      EXPECT_EQ(traffic(collective.reduce), (Traffic{up, children * length}));
      EXPECT_EQ(traffic(collective.distribute), (Traffic{children * length, up}));
    }
  }
}

TEST(ToOwner, MovesEverythingOncePerContributorAndBack) {
  const std::vector<int> contributors{0, 1, 3};
  const Range range{5, 15};
  for (const int server : {1, 2}) {  // one of them, and one that only serves
    const std::size_t clients = server == 1 ? 2 : 3;
    for (int rank = 0; rank < 4; ++rank) {
      const Collective collective = to_owner(contributors, server, rank, range);
      const Traffic here = traffic(collective.reduce);
      if (rank == server) {
        EXPECT_EQ(here, (Traffic{0, clients * range.size()}));
        EXPECT_EQ(collective.owned, std::vector<Range>{range});
      } else if (rank == 2) {
        EXPECT_EQ(here, Traffic{});
      } else {
        EXPECT_EQ(here, (Traffic{range.size(), 0}));
      }
      EXPECT_EQ(traffic(collective.distribute), (Traffic{here.received, here.sent}));
    }
  }
}

TEST(Hierarchical, SendsEveryElementOfAHostOverTheWireTwiceEveryShareButOne) {
  const Topology topology = hosts_with({2, 4, 3});
  const std::size_t length = 3 * 2 * kShare;  // hosts x lanes
  std::vector<std::size_t> sent(3);
  for (int rank = 0; rank < topology.world(); ++rank) {
    const Collective collective = hierarchical(topology, rank, {0, length}, 1);
    for (const Schedule* half : {&collective.reduce, &collective.distribute}) {
      sent[topology.host_of[rank]] += traffic(between_hosts(topology, rank, *half)).sent;
    }
  }
  EXPECT_EQ(sent, std::vector<std::size_t>(3, 2 * length * 2 / 3));  // 2 (n - 1) / n, n hosts
}

TEST(Hierarchical, LeavesSurplusRanksOfAHostWithoutMessages) {
  const Topology topology = hosts_with({1, 3});
  for (const int rank : {2, 3}) {
    const Collective collective = hierarchical(topology, rank, {0, 12}, 1);
    EXPECT_TRUE(collective.owned.empty());
    EXPECT_TRUE(between_hosts(topology, rank, collective.reduce).empty());
  }
}

}  // namespace
}  // namespace lockstep::comm
