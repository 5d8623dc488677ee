// Gradients of 16 bits on the wire, bit for bit: every message between hosts is rounded, sums and
// parameters are not.
#include "tests/equivalence/wire_precision.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/equivalence/reference.h"

namespace lockstep::equivalence {
namespace {

using spec::WirePrecision;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Rounded, IsTheNearestNumberOfSixteenBits) {
  struct Case {
    float value, fp16, bf16;
  };
  for (const Case& c : {Case{1, 1, 1},
                        {-0.0F, -0.0F, -0.0F},
                        {1 + 0x1p-11F, 1, 1},                        // a tie of fp16, to even
                        {1 + 0x3p-11F, 1 + 0x1p-9F, 1},              // a tie of fp16, upwards
                        {1 + 0x1p-8F, 1 + 0x1p-8F, 1},               // a tie of bf16, to even
                        {-1 - 0x3p-8F, -1 - 0x3p-8F, -1 - 0x1p-6F},  // a tie of bf16, upwards
                        {0x1.8p-25F, 0x1p-24F, 0x1.8p-25F},          // the least that fp16 has
                        {0x1p-25F, 0, 0x1p-25F},
                        {65519, 65504, 65536},
                        {-65520, -kInfinity, -65536},
                        {0x1.fffp127F, kInfinity, kInfinity}}) {
    EXPECT_EQ(rounded(c.value, WirePrecision::fp32), c.value);
    EXPECT_EQ(rounded(c.value, WirePrecision::fp16), c.fp16) << c.value;
    EXPECT_EQ(rounded(c.value, WirePrecision::bf16), c.bf16) << c.value;
  }
}

class SixteenBits : public testing::TestWithParam<WirePrecision> {};

TEST_P(SixteenBits, OnTheWireTrainLikeOneThreadThatRoundsEveryMessage) {
  spec::Trial trial = trial_of("mnist_mlp", 4);
  Reference exact(trial);
  trial.exchange.wire_precision = GetParam();
  Reference reference(trial);
  struct Case {
    const char* strategy;
    const char* all_reduce;
    std::vector<int> host_of;
    int servers;
  };
  for (const Case& c : {Case{"replicated", "ring", {0, 1, 2}, 0},
                        {"replicated", "halving_doubling", {0, 1, 2, 3, 4}, 0},
                        {"replicated", "tree", {0, 0, 1, 1, 2}, 0},
                        {"replicated", "direct", {0, 1, 2}, 0},
                        {"replicated", "hierarchical", {0, 0, 1, 1, 2}, 0},
                        {"replicated", "owner", {0, 1, 2}, 0},
                        {"parameter_server", "auto", {0, 1, 1, 2}, 1},
                        {"distributed_replicated", "auto", {0, 0, 1, 1}, 0}}) {
    SCOPED_TRACE(fmt::format("{} on hosts {}, {} servers, all-reduce {}", c.strategy,
                             fmt::join(c.host_of, ","), c.servers, c.all_reduce));
    const train::Site site =
        site_of(spec::find_strategy(c.strategy), {c.host_of}, c.servers, c.all_reduce);
    const std::vector<Trained> workers = train_on(over_tcp, trial, site);
    const std::span<const strategy::Chunk> chunks = workers.front().chunks;
    expect_same(workers, reference.train(site, chunks));
    EXPECT_FALSE(workers.front().stored == exact.train(site, chunks).front().stored)
        << "nothing was rounded";
  }
}

INSTANTIATE_TEST_SUITE_P(Equivalence, SixteenBits,
                         testing::Values(WirePrecision::fp16, WirePrecision::bf16),
                         [](const auto& precision) {
                           return precision.param == WirePrecision::fp16 ? "fp16" : "bf16";
                         });

}  // namespace
}  // namespace lockstep::equivalence
