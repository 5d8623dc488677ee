// Ranks that are processes of an MPI world, bit for bit: each trains its part, the first one runs
// the reference and tells the others what they should have.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "mpi/mpi_transport.h"
#include "mpi/thread_for_test.h"
#include "tests/equivalence/reference.h"
#include "tests/equivalence/strategies.h"

namespace lockstep::equivalence {
namespace {

using Hosts = std::vector<int>;

Hosts one_host() {
  return Hosts(static_cast<std::size_t>(mpi::world_for_test()));
}
// So many ranks on each.
Hosts hosts_of(int ranks) {
  Hosts host_of = one_host();
  for (std::size_t rank = 0; rank < host_of.size(); ++rank) {
    host_of[rank] = static_cast<int>(rank) / ranks;
  }
  return host_of;
}

std::unique_ptr<comm::Transport> connect(const Hosts& host_of) {
  const int host = host_of[static_cast<std::size_t>(mpi::rank_for_test())];
  return mpi::connect(mpi::shared_thread_for_test(), {}, fmt::format("host {}", host));
}

// Every bit has its say (FNV-1a).
std::uint64_t hash(std::span<const float> values) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const float value : values) {
    hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3;
  }
  return hash;
}

std::string in_short(const Trained& trained) {
  return fmt::format("losses {}, parameters {:x}", fmt::join(trained.base_losses, " "),
                     hash(trained.stored));
}

// Engines stay compiled from test to test: those of one trial are those of all.
Reference& reference_of(const spec::Trial& trial) {
  static std::map<spec::WirePrecision, Reference> references;
  return references.try_emplace(trial.exchange.wire_precision, trial).first->second;
}

void expect_bit_for_bit(const spec::Trial& trial, const spec::StrategyRow& row,
                        const Hosts& host_of, const std::string& all_reduce, int servers = 0) {
  SCOPED_TRACE(fmt::format("{} on hosts {}, {} servers, all-reduce {}", row.name,
                           fmt::join(host_of, ","), servers, all_reduce));
  const auto transport = connect(host_of);
  ASSERT_EQ(transport->topology().host_of, host_of);
  const train::Site site = site_of(row, {host_of}, servers, all_reduce);
  const Trained mine = train_rank(trial, site, *transport);
  std::vector<std::string> trained = transport->all_gather(in_short(mine));
  trained.resize(static_cast<std::size_t>(site.ranks.workers()));
  std::string expected;
  if (transport->rank() == 0) {
    for (const Trained& worker : reference_of(trial).train(site, mine.chunks)) {
      expected += in_short(worker) + '\n';
    }
  }
  EXPECT_EQ(fmt::format("{}\n", fmt::join(trained, "\n")), transport->all_gather(expected).front());
}

class EveryStrategy : public testing::TestWithParam<spec::StrategyRow> {};

TEST_P(EveryStrategy, TrainsLikeOneThreadThatExecutesItsSchedules) {
  const spec::Trial trial = trial_of("mnist_mlp", 4);
  for (const Hosts& host_of : std::set<Hosts>{one_host(), hosts_of(1), hosts_of(2)}) {
    for (const std::string& all_reduce : all_reduces(GetParam())) {
      expect_bit_for_bit(trial, GetParam(), host_of, all_reduce);
    }
    if (!GetParam().served) continue;
    for (int servers = 1; servers < std::min(3, mpi::world_for_test()); ++servers) {
      expect_bit_for_bit(trial, GetParam(), host_of, "auto", servers);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Equivalence, EveryStrategy, testing::ValuesIn(synchronous_strategies()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Equivalence, HoldsWithSixteenBitsOnMpisWire) {
  spec::Trial trial = trial_of("mnist_mlp", 4);
  for (const auto precision : {spec::WirePrecision::fp16, spec::WirePrecision::bf16}) {
    trial.exchange.wire_precision = precision;
    expect_bit_for_bit(trial, spec::find_strategy("horovod"), hosts_of(1), "auto");
  }
}

// In which order the library adds is its own affair; but everybody has the same sums, and sums of
// two have no order.
TEST(Equivalence, OfTheVendorsCollectiveIsOneOfRounding) {
  const spec::Trial trial = trial_of("mnist_mlp", 4);
  const spec::StrategyRow& row = spec::find_strategy("replicated");
  const auto transport = connect(one_host());
  const Trained mine = train_rank(trial, site_of(row, {one_host()}, 0, "vendor"), *transport);
  const std::vector<std::string> trained = transport->all_gather(in_short(mine));
  EXPECT_EQ(std::set(trained.begin(), trained.end()).size(), 1U);
  if (transport->rank() > 0) return;
  const Trained expected =
      reference_of(trial).train(site_of(row, {one_host()}, 0, "tree"), mine.chunks).front();
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < mine.stored.size(); ++i) {
    largest = std::max(largest, std::abs(double{expected.stored[i]}));
    difference = std::max(difference, std::abs(double{expected.stored[i]} - mine.stored[i]));
  }
  EXPECT_LE(difference, mpi::world_for_test() <= 2 ? 0 : 1e-6 * largest);
}

}  // namespace
}  // namespace lockstep::equivalence
