#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>

#include "comm/fake_hosts.h"
#include "comm/gathered.h"
#include "comm/lost.h"

namespace lockstep::comm {
namespace {

using testing::Each;
using testing::HasSubstr;

TEST(Threads, AreRanksOfOneHost) {
  const auto ranks = connect_threads(3);
  for (int rank = 0; rank < 3; ++rank) {
    Transport& transport = *ranks[static_cast<std::size_t>(rank)];
    EXPECT_EQ(transport.rank(), rank);
    EXPECT_EQ(transport.world(), 3);
    EXPECT_THAT(transport.topology().host_of, Each(0));
    EXPECT_EQ(transport.host_name(2), own_host_name());
    EXPECT_EQ(transport.wire(), nullptr);
    EXPECT_NO_THROW(transport.check());
  }
}

TEST(Threads, GatherEverybodysTextAgainAndAgain) {
  const auto ranks = connect_threads(4);
  on_every_rank(ranks, [](Transport& transport) {
    for (int turn = 0; turn < 200; ++turn) {
      const auto texts = transport.all_gather(fmt::format("{} of {}", transport.rank(), turn));
      for (int rank = 0; rank < 4; ++rank) {
        ASSERT_EQ(texts[static_cast<std::size_t>(rank)], fmt::format("{} of {}", rank, turn));
      }
    }
  });
}

TEST(Threads, GetWhatTheFirstRankMakesOfAllParts) {
  const auto ranks = connect_threads(3);
  on_every_rank(ranks, [](Transport& transport) {
    for (int turn = 0; turn < 200; ++turn) {
      const std::string agreed =
          transport.agree(fmt::format("{}", transport.rank()), [&](const Transport::Parts& parts) {
            EXPECT_EQ(transport.rank(), 0);
            return fmt::format("{}: {}", turn, fmt::join(parts, " "));
          });
      ASSERT_EQ(agreed, fmt::format("{}: 0 1 2", turn));
      ASSERT_EQ(transport.broadcast(fmt::format("{} of {}", turn, transport.rank())),
                fmt::format("{} of 0", turn));
      const auto most =
          combined(transport, transport.rank() * 0.1, [](double a, double b) { return a + b; });
      ASSERT_EQ(most, 0.0 + 0.1 + 0.2);
    }
  });
}

TEST(Threads, HearThatTheFirstRankCouldNotDecide) {
  const auto ranks = connect_threads(3);
  std::atomic<int> heard = 0;
  on_every_rank(ranks, [&](Transport& transport) {
    try {
      transport.agree("", [](const Transport::Parts&) -> std::string {
        throw Error(ExitCode::usage, "no majority");
      });
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("no majority"));
      if (transport.rank() == 0) transport.fail(error);
      ++heard;
    }
  });
  EXPECT_EQ(heard, 3);
}

TEST(Threads, GiveLargeTextsToTheFirstRankAlone) {
  const auto ranks = connect_threads(3);
  on_every_rank(ranks, [](Transport& transport) {
    const auto texts = transport.gather(fmt::format("{}", transport.rank()));
    if (transport.rank() == 0) {
      EXPECT_THAT(texts, testing::ElementsAre("0", "1", "2"));
    } else {
      EXPECT_THAT(texts, testing::IsEmpty());
    }
  });
}

TEST(Threads, SeeEachOthersZeroedMemory) {
  constexpr std::size_t kBytes = 10000;
  const auto ranks = connect_threads(3);
  on_every_rank(ranks, [&](Transport& transport) {
    transport.share(kBytes);
    for (int rank = 0; rank < 3; ++rank) {
      const std::span<std::byte> memory = transport.memory_of(rank);
      ASSERT_GE(memory.size(), kBytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % (2 << 20), 0);
      EXPECT_THAT(memory, Each(std::byte{0}));
    }
    transport.barrier();
    transport.memory_of(transport.rank())[5] = std::byte(transport.rank() + 1);
    transport.barrier();
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(transport.memory_of(rank)[5], std::byte(rank + 1));
    }
  });
}

TEST(Threads, HearTheFirstCauseWhileTheyGather) {
  const auto ranks = connect_threads(3);
  on_every_rank(ranks, [](Transport& transport) {
    if (transport.rank() == 1) {
      transport.at_step(12);
      transport.fail({ExitCode::environment, "no memory", "buy some"});
      return;
    }
    try {
      transport.barrier();
      ADD_FAILURE() << "rank 1 never came";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::rank_failed);
      EXPECT_EQ(error.what(),
                fmt::format("rank 1 on {} failed at step 12: no memory", own_host_name()));
      EXPECT_EQ(error.hint(), "buy some");
    }
    EXPECT_THROW(transport.check(), Error);
  });
}

TEST(Threads, SayThatARankFailedBeforeItsFirstStep) {
  const auto ranks = connect_threads(2);
  ranks[1]->fail({ExitCode::usage, "bad flag"});
  ranks[0]->fail({ExitCode::usage, "too late to be the cause"});
  try {
    ranks[0]->check();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 1"));
    EXPECT_THAT(error.what(), HasSubstr("failed before its first step: bad flag"));
  }
}

}  // namespace
}  // namespace lockstep::comm
