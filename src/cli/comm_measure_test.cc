#include "cli/comm_measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "cli/comm_check.h"
#include "comm/fake_hosts.h"
#include "strategy/all_reduce_spec.h"

namespace lockstep::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr CommKind kKinds[] = {CommKind::all_reduce, CommKind::reduce_scatter,
                               CommKind::all_gather};

TEST(BusFactor, IsWhatALinkCarriesForEachByte) {
  EXPECT_DOUBLE_EQ(bus_factor(CommKind::all_reduce, 2), 1);
  EXPECT_DOUBLE_EQ(bus_factor(CommKind::all_reduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(bus_factor(CommKind::reduce_scatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CommKind::all_gather, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CommKind::all_reduce, 1), 0);
}

TEST(CommRow, CountsGigabytesOfATenthPower) {
  EXPECT_DOUBLE_EQ((CommRow{.bytes = 2'000'000, .algorithm = "ring", .seconds = 1e-3}.algbw()), 2);
}

// Every rank's rows of a sweep.
std::vector<std::vector<CommRow>> measure(int world, const CommSweep& sweep) {
  auto ranks = comm::connect_threads(world);
  std::vector<std::vector<CommRow>> rows(ranks.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      threads.emplace_back([&, i] {
        measure_collectives(*ranks[i], sweep, [&](const CommRow& row) { rows[i].push_back(row); });
      });
    }
  }
  return rows;
}

CommSweep small_sweep(CommKind kind, comm::Transport& transport) {
  // One element, fewer than a share each, odd, several chunks, and several buckets with gaps.
  return {.kind = kind,
          .cases = {{{0, 1}}, {{0, 37}}, {{0, 600'001}}, {{0, 100}, {128, 5000}, {5008, 5009}}},
          .algorithms = sensible_algorithms(kind, transport),
          .iterations = 1,
          .check = true,
          .spin = false};
}

TEST(MeasureCollectives, FindsNothingWrongWithAnyAlgorithmOnAnyRank) {
  for (const int world : {1, 2, 3, 5}) {
    for (const CommKind kind : kKinds) {
      const auto ranks = comm::connect_threads(1);
      const CommSweep sweep = small_sweep(kind, *ranks.front());
      for (const std::vector<CommRow>& rows : measure(world, sweep)) {
        ASSERT_EQ(rows.size(), sweep.cases.size() * sweep.algorithms.size());
        for (const CommRow& row : rows) {
          EXPECT_EQ(row.wrong, 0) << row.algorithm << ", " << row.bytes << " bytes";
          EXPECT_GT(row.seconds, 0);
        }
      }
    }
  }
}

// What `auto` took for each of the cases, between ranks on these hosts.
std::vector<std::string> taken_by_auto(const comm::Topology& topology, std::vector<Buckets> cases) {
  const CommSweep sweep{
      .cases = std::move(cases), .algorithms = {"auto"}, .iterations = 1, .spin = false};
  const comm::FakeHosts hosts(topology);
  std::vector<std::string> taken;
  comm::on_every_rank(hosts.ranks(), [&](comm::Transport& transport) {
    measure_collectives(transport, sweep, [&](const CommRow& row) {
      EXPECT_EQ(row.algorithm, "auto");
      EXPECT_EQ(row.wrong, 0) << row.taken;
      if (transport.rank() == 0) taken.push_back(row.taken);
    });
  });
  return taken;
}

TEST(MeasureCollectives, TakesForAutoWhatTrainingTakesForEachBucket) {
  constexpr std::size_t kSmall = strategy::kTreeBelowElements - 1;
  constexpr std::size_t kLarge = strategy::kRingFromElements;
  const std::vector<Buckets> cases = {
      {{0, kSmall}},
      {{0, kLarge}},
      {{0, kLarge}, {kLarge, kLarge + kSmall}, {kLarge + kSmall, 2 * kLarge + kSmall}}};
  EXPECT_THAT(taken_by_auto({{0, 1, 2}}, cases), ElementsAre("tree", "ring", "ring+tree"));
  EXPECT_THAT(taken_by_auto({{0, 1}}, {{{0, kSmall + 1}}}), ElementsAre("halving_doubling"));
  EXPECT_THAT(taken_by_auto({{0, 0, 1}}, {{{0, kLarge}}}), ElementsAre("hierarchical"));
  EXPECT_THAT(taken_by_auto({{0, 0}}, cases), ElementsAre("direct", "direct", "direct"));
}

TEST(MeasureCollectives, DoesNotCheckWhereNobodyAsks) {
  const CommSweep sweep{.cases = {{{0, 8}}}, .algorithms = {"ring"}, .check = false, .spin = false};
  const CommRow row = measure(2, sweep)[0][0];
  EXPECT_EQ(row.wrong, std::nullopt);
  EXPECT_EQ(row.taken, "");
  EXPECT_EQ(row.bytes, 32U);
  EXPECT_GE(row.operations, 9);
}

// ---- That a mistake would show ---------------------------------------------------------------

TEST(CountWrong, SeesEveryElementThatIsNotTheSum) {
  const std::vector<comm::Range> buckets = {{0, 100}};
  const CommShare first{CommKind::all_reduce, 0, 2, buckets, {}};
  const CommShare second{CommKind::all_reduce, 1, 2, buckets, {}};
  std::vector<float> a(100), b(100);
  fill_inputs(a, first);
  fill_inputs(b, second);
  EXPECT_GT(count_wrong(a, first), 90);  // nobody has added anything
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  EXPECT_EQ(count_wrong(a, first), 0);
  a[7] += 1;
  a[99] = -a[99] - 1;
  EXPECT_EQ(count_wrong(a, first), 2);
  std::rotate(a.begin(), a.begin() + 16, a.end());  // a share in another's place
  EXPECT_GT(count_wrong(a, first), 80);
}

TEST(CountWrong, LooksAtOwnSumsOnlyBehindAReduceScatter) {
  const std::vector<comm::Range> buckets = {{0, 100}};
  const std::vector<comm::Range> owned = {{50, 60}};
  const CommShare share{CommKind::reduce_scatter, 1, 2, buckets, owned};
  std::vector<float> data(100, -5.0F);
  EXPECT_EQ(count_wrong(data, share), 10);
}

TEST(CountWrong, SeesWhatAnAllGatherHasNotBrought) {
  const std::vector<comm::Range> buckets = {{0, 100}};
  const std::vector<comm::Range> owned = {{50, 100}};
  const CommShare share{CommKind::all_gather, 1, 2, buckets, owned};
  std::vector<float> data(100);
  fill_inputs(data, share);
  EXPECT_EQ(count_wrong(data, share), 50);
}

// A transport with a library that sums up on its own, though not always rightly.
class WithVendor : public comm::Transport, public comm::VendorAllReduce {
 public:
  explicit WithVendor(float error) : error_(error) {}

  int rank() const override { return inner_->rank(); }
  const comm::Topology& topology() const override { return inner_->topology(); }
  const std::string& host_name(int rank) const override { return inner_->host_name(rank); }
  std::string agree(const std::string& mine, const Decide& decide) override {
    return inner_->agree(mine, decide);
  }
  void share(std::size_t bytes) override { inner_->share(bytes); }
  std::span<std::byte> memory_of(int rank) const override { return inner_->memory_of(rank); }
  comm::Wire* wire() override { return nullptr; }
  comm::VendorAllReduce* vendor() override { return this; }
  void fail(const Error& error) override { inner_->fail(error); }
  void check() const override { inner_->check(); }
  void wish_end() override { inner_->wish_end(); }
  bool end_wished() const override { return inner_->end_wished(); }
  void at_step(std::int64_t step) override { inner_->at_step(step); }

  void all_reduce(std::span<float> data) override { data.back() += error_; }  // one rank's sums

 private:
  const float error_;
  const std::unique_ptr<comm::Transport> inner_ = std::move(comm::connect_threads(1).front());
};

std::int64_t wrong_of_vendor(float error) {
  WithVendor transport(error);
  EXPECT_THAT(sensible_algorithms(CommKind::all_reduce, transport), Contains("vendor"));
  check_algorithms(CommKind::all_reduce, transport, {"vendor"});
  std::int64_t wrong = 0;
  measure_collectives(transport,
                      {.cases = {{{0, 10}, {16, 20}}}, .algorithms = {"vendor"}, .iterations = 1},
                      [&](const CommRow& row) { wrong = row.wrong.value(); });
  return wrong;
}

TEST(MeasureCollectives, CountsTheElementsThatALibraryGetsWrong) {
  EXPECT_EQ(wrong_of_vendor(0), 0);
  EXPECT_EQ(wrong_of_vendor(1), 2);  // one of each bucket
}

// ---- Algorithms ------------------------------------------------------------------------------

TEST(SensibleAlgorithms, LeaveOutWhatIsNothingNewOrNoScatter) {
  const auto ranks = comm::connect_threads(3);
  const auto all = sensible_algorithms(CommKind::all_reduce, *ranks[0]);
  EXPECT_THAT(all, Contains("tree"));
  EXPECT_THAT(all, Not(Contains("hierarchical")));  // on one host it is `direct`
  EXPECT_THAT(all, Not(Contains("vendor")));        // threads have none
  EXPECT_THAT(sensible_algorithms(CommKind::reduce_scatter, *ranks[0]),
              ElementsAre("ring", "halving_doubling", "direct"));
}

void expect_refusal(CommKind kind, const std::string& name, const std::string& message) {
  const auto ranks = comm::connect_threads(3);
  try {
    check_algorithms(kind, *ranks[0], {"ring", name});
    ADD_FAILURE() << name << " is accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(std::string(error.what()) + error.hint(), HasSubstr(message));
  }
}

TEST(CheckAlgorithms, RefusesWhatCannotBeDone) {
  expect_refusal(CommKind::all_reduce, "rnig", "did you mean ring?");
  expect_refusal(CommKind::all_reduce, "vendor", "only MPI");
  expect_refusal(CommKind::all_reduce, "autos", "did you mean auto?");
  expect_refusal(CommKind::reduce_scatter, "auto", "what training takes is an all_reduce");
  expect_refusal(CommKind::reduce_scatter, "tree", "leaves all sums with one rank");
}

}  // namespace
}  // namespace lockstep::cli
