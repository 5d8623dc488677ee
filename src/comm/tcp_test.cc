#include "comm/tcp.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error_for_test.h"
#include "base/files.h"
#include "base/text.h"
#include "comm/tcp/address.h"
#include "comm/tcp/rank_process.h"
#include "comm/tcp/test_world.h"

namespace lockstep::comm {
namespace {

using tcp::connect_world;
using tcp::on_every_rank;
using tcp::RankProcess;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

// What check() says once it says something; the seconds that took.
struct Verdict {
  std::string text;
  double seconds = 0;
};
Verdict wait_for_failure(const Transport& transport) {
  const double begin = now();
  for (;;) {
    try {
      transport.check();
    } catch (const Error& error) {
      EXPECT_EQ(ExitCode::rank_failed, error.code());
      return {error.what(), now() - begin};
    }
    if (now() - begin > 15) return {"nothing", 15};
    std::this_thread::yield();
  }
}

// Options for a world whose rank 0 listens at a port that was free.
struct Start {
  Start(int world, double start_timeout) {
    options.world = world;
    options.coordinator = "127.0.0.1:" + std::to_string(listener.port());
    options.start_timeout = start_timeout;
  }
  TcpOptions of(int rank) const {
    TcpOptions own = options;
    own.rank = rank;
    return own;
  }

  Listener listener{"127.0.0.1:0"};
  TcpOptions options;
};

TEST(Tcp, GathersFromWorldsOfAnySize) {
  for (int world = 1; world <= 5; ++world) {
    const auto ranks = connect_world(std::vector<std::string>(world, "host"));
    on_every_rank(world, [&](int rank) {
      EXPECT_EQ(rank, ranks[rank]->rank());
      EXPECT_EQ(world, ranks[rank]->world());
      for (int round = 0; round < 20; ++round) {
        std::vector<std::string> expected;
        for (int r = 0; r < world; ++r) expected.push_back(fmt::format("{} of {}", round, r));
        EXPECT_EQ(expected, ranks[rank]->all_gather(expected[rank]));
      }
    });
  }
}

TEST(Tcp, GivesEverybodyWhatRank0MakesOfAllParts) {
  const auto ranks = connect_world({"a", "a", "b"});
  on_every_rank(3, [&](int rank) {
    for (int round = 0; round < 20; ++round) {
      const std::string agreed =
          ranks[rank]->agree(std::to_string(rank), [&](const Transport::Parts& parts) {
            EXPECT_EQ(0, rank);
            return fmt::format("{}: {}", round, fmt::join(parts, " "));
          });
      EXPECT_EQ(fmt::format("{}: 0 1 2", round), agreed);
      EXPECT_EQ(rank == 0 ? 3U : 0U, ranks[rank]->gather("large").size());
    }
  });
}

TEST(Tcp, MeetsInAnyOrderOfStart) {
  for (const std::vector<int>& order : {std::vector{0, 1, 2}, {2, 1, 0}, {1, 0, 2}}) {
    Start start(3, 20);
    start.listener = Listener("127.0.0.1:0");  // the port of the options is free again
    std::vector<std::thread> threads;
    for (const int rank : order) {
      threads.emplace_back([&, rank] {
        const auto transport = connect_tcp(start.of(rank));
        EXPECT_EQ(3U, transport->all_gather("").size());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(Tcp, CountsHostsByWhoCanShareMemory) {
  const auto ranks = connect_world({"b", "a", "b", "c", "a"});
  for (const auto& rank : ranks) {
    EXPECT_EQ((std::vector{0, 1, 0, 2, 1}), rank->topology().host_of);
    EXPECT_FALSE(rank->host_name(3).empty());
  }
  EXPECT_EQ((std::vector{0, 0}), connect_world({"", ""})[1]->topology().host_of);
}

TEST(Tcp, TellsEverybodyWhoIsMissing) {
  Start start(4, 0.5);
  std::vector<Error> errors(4, Error(ExitCode::ok, ""));
  on_every_rank(4, [&](int rank) {
    if (rank == 2) return;
    errors[rank] = error_of([&] {
      rank == 0 ? connect_tcp(start.of(0), std::move(start.listener)) : connect_tcp(start.of(rank));
    });
  });
  for (const int rank : {0, 1, 3}) {
    EXPECT_EQ(ExitCode::launch, errors[rank].code());
    EXPECT_THAT(errors[rank].what(), HasSubstr("1 of 4 ranks did not arrive"));
    EXPECT_THAT(errors[rank].what(), HasSubstr(": rank 2"));
  }
}

TEST(Tcp, SaysThatRank0CannotBeReached) {
  Start start(2, 0.3);
  start.listener = Listener("127.0.0.1:0");
  const Error error = error_of([&] { connect_tcp(start.of(1)); });
  EXPECT_EQ(ExitCode::launch, error.code());
  EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 1 on "), HasSubstr(start.options.coordinator),
                                  HasSubstr("Connection refused")));
}

TEST(Tcp, RefusesASecondRankOfTheSameNumber) {
  Start start(3, 20);
  std::thread rank0([&] { connect_tcp(start.of(0), std::move(start.listener)); });
  // One of two becomes rank 1; the other is told who has the place.
  std::atomic<int> refused = 0;
  const auto twin = [&] {
    try {
      connect_tcp(start.of(1));
    } catch (const Error& error) {
      EXPECT_EQ(ExitCode::launch, error.code());
      EXPECT_THAT(error.what(), HasSubstr(fmt::format("process {} on ", getpid())));
      EXPECT_THAT(error.what(), HasSubstr("has this rank already"));
      ++refused;
      connect_tcp(start.of(2));
    }
  };
  std::thread one(twin), other(twin);
  one.join();
  other.join();
  rank0.join();
  EXPECT_EQ(1, refused);
}

TEST(Tcp, RefusesARankThatExpectsAnotherWorld) {
  Start start(2, 20);
  std::thread rank0([&] { connect_tcp(start.of(0), std::move(start.listener)); });
  TcpOptions wrong = start.of(1);
  wrong.world = 3;
  EXPECT_THAT(error_of([&] { connect_tcp(wrong); }).what(),
              HasSubstr("expects 3 ranks, rank 0 expects 2"));
  wrong.world = 8;
  wrong.rank = 5;
  EXPECT_THAT(error_of([&] { connect_tcp(wrong); }).what(), HasSubstr("rank 5 on "));
  connect_tcp(start.of(1));
  rank0.join();
}

TEST(Tcp, RefusesAnotherTokenAndWaitsForTheRightOne) {
  Start start(2, 20);
  start.options.token = "right";
  std::vector<std::string> heard;
  TcpOptions rank0_options = start.of(0);
  rank0_options.first_notice = 60;
  rank0_options.on_wait = [&](const std::string& sentence) { heard.push_back(sentence); };
  std::thread rank0([&] { connect_tcp(rank0_options, std::move(start.listener)); });
  for (const char* token : {"", "wrong"}) {
    TcpOptions wrong = start.of(1);
    wrong.token = token;
    const Error error = error_of([&] { connect_tcp(wrong); });
    EXPECT_EQ(ExitCode::usage, error.code());
    EXPECT_THAT(error.what(), HasSubstr("have different tokens"));
    EXPECT_THAT(error.hint(), HasSubstr("LOCKSTEP_TOKEN"));
  }
  connect_tcp(start.of(1));
  rank0.join();
  EXPECT_THAT(heard, testing::ElementsAre("turned away a connection from 127.0.0.1 with another "
                                          "token"));
}

TEST(Tcp, NamesTheRanksThatItWaitsFor) {
  Start start(4, 20);
  start.options.first_notice = start.options.next_notices = 0.02;
  std::mutex mutex;
  std::vector<std::set<std::string>> heard(4);
  std::vector<std::thread> threads;
  const auto begin = [&](int rank) {
    threads.emplace_back([&, rank] {
      TcpOptions own = start.of(rank);
      own.on_wait = [&, rank](const std::string& sentence) {
        const std::scoped_lock lock(mutex);
        heard[rank].insert(sentence.substr(0, sentence.find(" on ")) +
                           sentence.substr(std::min(sentence.size(), sentence.find(": waiting"))));
      };
      rank == 0 ? connect_tcp(own, std::move(start.listener)) : connect_tcp(own);
    });
  };
  const auto wait_until_heard = [&](int rank, const std::string& sentence) {
    const double limit = now() + 15;
    for (;;) {
      {
        const std::scoped_lock lock(mutex);
        if (heard[rank].contains(sentence)) return;
      }
      ASSERT_LT(now(), limit) << sentence;
      std::this_thread::yield();
    }
  };
  begin(0);
  wait_until_heard(0, "waiting for ranks 1, 2, 3 of 4 at " + start.options.coordinator);
  begin(2);
  wait_until_heard(2, "rank 2: waiting for ranks 1, 3 of 4");
  begin(1);
  wait_until_heard(1, "rank 1: waiting for rank 3 of 4");
  begin(3);
  for (std::thread& thread : threads) thread.join();
}

TEST(Tcp, SaysWhereItLooksForRank0) {
  Start start(2, 0.5);
  start.listener = Listener("127.0.0.1:0");  // nobody listens at the port of the options
  TcpOptions own = start.of(1);
  own.first_notice = 0.1;
  std::vector<std::string> heard;
  own.on_wait = [&](const std::string& sentence) { heard.push_back(sentence); };
  error_of([&] { connect_tcp(own); });
  ASSERT_EQ(1U, heard.size());
  EXPECT_THAT(heard[0], MatchesRegex("rank 1 on .*: waiting for rank 0 at " +
                                     start.options.coordinator + ": Connection refused"));
}

TEST(Tcp, KeepsListenersWithinTheirPorts) {
  const Listener first("127.0.0.1:0");  // neighbours of a free port are free as a rule
  const PortRange ports = {first.port(), 3};
  const Listener second("127.0.0.1", ports, 0);
  const Listener third("127.0.0.1", ports, 2);
  EXPECT_EQ(first.port() + 1, second.port());
  EXPECT_EQ(first.port() + 2, third.port());
  const Error error = error_of([&] { Listener("127.0.0.1", ports, 1); });
  EXPECT_EQ(ExitCode::launch, error.code());
  EXPECT_EQ(fmt::format("all ports from {} to {} of this host are in use", first.port(),
                        first.port() + 2),
            error.what());
}

TEST(Tcp, ListensOnlyWhereANameLeadsTo) {
  EXPECT_EQ("127.0.0.1", Listener("127.0.0.1:0").host());
  EXPECT_TRUE(tcp::is_loopback(Listener("localhost:0").host()));
  EXPECT_EQ("", Listener(":0").host());
}

TEST(Tcp, ListensWhereItIsTold) {
  const Listener first("127.0.0.1:0");
  const std::string address = "127.0.0.1:" + std::to_string(first.port());
  const Error error = error_of([&] { Listener second(address); });
  EXPECT_EQ(ExitCode::launch, error.code());
  EXPECT_THAT(error.what(), HasSubstr(address));
  const Listener beside("127.0.0.2:" + std::to_string(first.port()));
  EXPECT_EQ(first.port(), beside.port());
}

TEST(Tcp, TellsEverybodyWhatFailed) {
  const auto ranks = connect_world({"a", "b", "b"});
  ranks[2]->at_step(31);
  ranks[2]->fail(Error(ExitCode::rank_failed, "the loss is not finite", "lower the rate"));
  for (const auto& rank : ranks) {
    const Verdict verdict = wait_for_failure(*rank);
    EXPECT_EQ("rank 2 on " + ranks[0]->host_name(2) + " failed at step 31: the loss is not finite",
              verdict.text);
    EXPECT_LT(verdict.seconds, 1);
  }
  EXPECT_EQ("lower the rate", error_of([&] { ranks[0]->check(); }).hint());
}

TEST(Tcp, KeepsTheFirstCause) {
  const auto ranks = connect_world({"a", "a"});
  ranks[1]->fail(Error(ExitCode::environment, "first"));
  wait_for_failure(*ranks[0]);
  ranks[0]->fail(Error(ExitCode::environment, "second"));
  EXPECT_THAT(error_of([&] { ranks[0]->check(); }).what(), HasSubstr("first"));
}

TEST(Tcp, InterruptsAGatherWhenARankFails) {
  const auto ranks = connect_world({"a", "a", "a"});
  on_every_rank(3, [&](int rank) {
    if (rank == 1) return ranks[1]->fail(Error(ExitCode::environment, "disk full"));
    EXPECT_THAT(error_of([&] { ranks[rank]->all_gather(""); }).what(), HasSubstr("disk full"));
  });
}

TEST(Tcp, TakesMemoryThatIsGoneForTheLossOfItsOwner) {
  const auto ranks = connect_world({"a", "a"});
  on_every_rank(2, [&](int rank) {
    if (rank == 1) {
      ranks[1]->all_gather("/proc/self/fd/no-such-file 4096");  // where share() gives the memory
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return ranks[1]->fail(Error(ExitCode::environment, "first cause"));
    }
    EXPECT_THAT(error_of([&] { ranks[0]->share(4096); }).what(),
                MatchesRegex("rank 1 on .* failed before its first step: first cause"));
  });
}

TEST(Tcp, InterruptsAGatherWhenARankHasLeft) {
  for (const int leaver : {0, 1}) {
    auto ranks = connect_world({"a", "a"});
    ranks[leaver].reset();
    EXPECT_THAT(
        error_of([&] { ranks[1 - leaver]->all_gather(""); }).what(),
        MatchesRegex(fmt::format("rank {} on .* was lost: it left before the others", leaver)));
  }
}

TEST(Tcp, TakesAnOrderlyEndForNoLoss) {
  auto ranks = connect_world({"a", "b", "b", "c"});
  for (const int leaver : {2, 0, 3}) {
    const double begin = now();
    ranks[leaver].reset();
    EXPECT_LT(now() - begin, 1);
    for (const auto& rank : ranks) {
      if (rank) {
        EXPECT_NO_THROW(rank->check());
      }
    }
  }
}

// The shared memory that this process maps.
std::vector<std::string> mapped_here() {
  std::vector<std::string> found;
  for (const std::string& line : lockstep::split(read_file("/proc/self/maps"), '\n')) {
    if (line.find("lockstep (deleted)") != std::string::npos) found.push_back(line);
  }
  return found;
}

// A world with rank `other` in a process of its own, in its last step, and all other ranks here.
struct MixedWorld {
  MixedWorld(int other, const std::vector<std::string>& hosts, double deadline,
             std::int64_t last_step = 2)
      : ranks(hosts.size()) {
    const int world = static_cast<int>(hosts.size());
    Start start(world, 20);
    start.options.deadline = deadline;
    const auto options = [&](int rank) {
      TcpOptions own = start.of(rank);
      own.host_key = hosts[rank];
      return own;
    };
    if (other == 0) start.listener = Listener("127.0.0.1:0");
    process.emplace(options(other), kBytes, last_step);
    on_every_rank(world, [&](int rank) {
      if (rank == other) return;
      ranks[rank] = rank == 0 ? connect_tcp(options(0), std::move(start.listener))
                              : connect_tcp(options(rank));
      ranks[rank]->share(kBytes);
      EXPECT_EQ("ready", ranks[rank]->all_gather("ready")[other]);
      while (!ranks[rank]->end_wished()) {
        ranks[rank]->check();
        std::this_thread::yield();
      }
    });
  }

  static constexpr std::size_t kBytes = 1 << 20;
  std::optional<RankProcess> process;
  std::vector<std::unique_ptr<Transport>> ranks;  // without the other one
};

TEST(TcpProcesses, ThatAreKilledAreNamedAtOnceWithTheirStep) {
  for (const auto& [victim, last_step] : {std::pair{0, 2}, {2, 2}, {0, 0}, {2, 0}}) {
    MixedWorld world(victim, {"a", "b", "c"}, 60, last_step);  // a heartbeat comes once a second
    // Somebody waits for data of the lost rank; what is named is the cause, not the consequence.
    std::vector<float> into(10);
    Wire& wire = *world.ranks[1]->wire();
    wire.post([&] { wire.receive(victim, 0, into, false, [] {}); });
    world.process->signal(SIGKILL);
    for (const auto& transport : world.ranks) {
      if (!transport) continue;
      const Verdict verdict = wait_for_failure(*transport);
      EXPECT_EQ(fmt::format("rank {} on {} was lost at step {}: its process ended", victim,
                            transport->host_name(victim), last_step),
                verdict.text);
      EXPECT_LT(verdict.seconds, 1);
    }
  }
}

TEST(TcpProcesses, ThatAreStoppedAreNamedAfterTheDeadline) {
  for (const int victim : {0, 1}) {
    MixedWorld world(victim, {"a", "a", "a"}, 1);
    world.process->signal(SIGSTOP);
    for (const auto& transport : world.ranks) {
      if (!transport) continue;
      EXPECT_EQ(fmt::format("rank {} on {} was lost at step 2: silent for 1 s", victim,
                            transport->host_name(victim)),
                wait_for_failure(*transport).text);
    }
    const double begin = now();
    world.ranks.clear();
    EXPECT_LT(now() - begin, 5) << "an end waits for a rank that is stopped";
  }
}

TEST(TcpProcesses, EndWhenAnotherRankFails) {
  MixedWorld world(1, {"a", "a"}, 60);
  world.ranks[0]->fail(Error(ExitCode::environment, "disk full"));
  const int status = world.process->wait();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(static_cast<int>(ExitCode::rank_failed), WEXITSTATUS(status));
}

TEST(TcpProcesses, OfOneHostShareMemoryThatHasNoName) {
  MixedWorld world(1, {"a", "a", "b"}, 60);
  Transport& here = *world.ranks[0];
  EXPECT_EQ(world.kBytes, here.memory_of(0).size());
  EXPECT_EQ(std::byte{1}, here.memory_of(0)[1]) << "written by rank 1";
  EXPECT_EQ(std::byte{1}, here.memory_of(1)[1]);
  EXPECT_TRUE(here.memory_of(2).empty());
  EXPECT_TRUE(world.ranks[2]->memory_of(0).empty());

  world.process->signal(SIGKILL);
  world.process->wait();
  EXPECT_EQ(std::byte{1}, here.memory_of(1)[1]) << "others may still read";
  // Ranks 0 and 2, and what rank 0 sees of rank 1; all of them vanish with their last mapping.
  EXPECT_THAT(mapped_here(), testing::Each(HasSubstr("/memfd:lockstep (deleted)")));
  EXPECT_EQ(3U, mapped_here().size());
  world.ranks.clear();
  EXPECT_TRUE(mapped_here().empty());
}

}  // namespace
}  // namespace lockstep::comm
