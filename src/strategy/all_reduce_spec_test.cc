#include "strategy/all_reduce_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace lockstep::strategy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

std::string message_of(std::string_view text) {
  try {
    parse_all_reduce_spec(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.hint(), HasSubstr("ring"));
    return error.what();
  }
  return "no error";
}

TEST(AllReduceSpec, TakesOneAlgorithmForAllSizes) {
  EXPECT_THAT(parse_all_reduce_spec("ring").choices,
              ElementsAre(AllReduceChoice{kUnlimited, "ring", 1}));
}

TEST(AllReduceSpec, KnowsEveryAlgorithmOfOurOwn) {
  for (const comm::AlgorithmRow& row : comm::algorithms()) {
    const AllReduceSpec spec = parse_all_reduce_spec(row.name);
    EXPECT_EQ(spec.choices[0].algorithm, row.name);
    EXPECT_THAT(spec.notes, IsEmpty());
  }
  EXPECT_EQ(parse_all_reduce_spec("auto").choices[0].algorithm, "auto");
  EXPECT_EQ(parse_all_reduce_spec("vendor").choices[0].algorithm, "vendor");
}

TEST(AllReduceSpec, TakesTheNamesOfTfCnnBenchmarksForOurs) {
  EXPECT_THAT(parse_all_reduce_spec("xring#2").choices,
              ElementsAre(AllReduceChoice{kUnlimited, "ring", 2}));
  EXPECT_EQ(parse_all_reduce_spec("rechd").choices[0].algorithm, "halving_doubling");
  EXPECT_EQ(parse_all_reduce_spec("pscpu").choices[0].algorithm, "owner");
  EXPECT_EQ(parse_all_reduce_spec("collective#2").choices[0].algorithm, "auto");
}

TEST(AllReduceSpec, ChoosesBySizeInElementsUpToAndIncludingTheLimit) {
  const AllReduceSpec spec = parse_all_reduce_spec("pscpu:2k:pscpu#2:64k:xring");
  EXPECT_THAT(spec.choices,
              ElementsAre(AllReduceChoice{2048, "owner", 1}, AllReduceChoice{65536, "owner", 2},
                          AllReduceChoice{kUnlimited, "ring", 1}));
  EXPECT_EQ(spec.for_size(0), spec.choices[0]);
  EXPECT_EQ(spec.for_size(2048), spec.choices[0]);
  EXPECT_EQ(spec.for_size(2049), spec.choices[1]);
  EXPECT_EQ(spec.for_size(65537), spec.choices[2]);
}

TEST(AllReduceSpec, ReadsLimitsInPowersOf1024) {
  const AllReduceSpec spec = parse_all_reduce_spec("tree:7:tree:1K:tree:2M:tree:3G:tree:4T:tree");
  std::vector<std::size_t> limits;
  for (const AllReduceChoice& choice : spec.choices) limits.push_back(choice.largest);
  EXPECT_THAT(limits, ElementsAre(7, 1024, std::size_t{2} << 20, std::size_t{3} << 30,
                                  std::size_t{4} << 40, kUnlimited));
}

TEST(AllReduceSpec, TakesAPairAsHierarchicalAndSaysSo) {
  for (const char* pair : {"nccl", "nccl/xring", "nccl/rechd", "nccl/pscpu", "pscpu/pscpu"}) {
    const AllReduceSpec spec = parse_all_reduce_spec(pair);
    EXPECT_EQ(spec.choices[0].algorithm, "hierarchical");
    EXPECT_THAT(spec.notes, ElementsAre(testing::StartsWith(pair)));
  }
  EXPECT_EQ(parse_all_reduce_spec("pscpu/pscpu#2").choices[0].shards, 2);
  EXPECT_THAT(parse_all_reduce_spec("nccl/xring:2k:nccl/xring#2").notes, testing::SizeIs(1));
  EXPECT_THAT(parse_all_reduce_spec("direct/ring").notes, IsEmpty());
}

TEST(AllReduceSpec, RefusesWhatNeedsAGpu) {
  EXPECT_THAT(message_of("psgpu"), HasSubstr("character 1: psgpu needs GPUs"));
  EXPECT_THAT(message_of("pscpu:2k:psgpu#4"), HasSubstr("character 10: psgpu needs GPUs"));
}

TEST(AllReduceSpec, SaysWhereItGoesWrong) {
  EXPECT_THAT(message_of("pscpu:2k:xrin"),
              HasSubstr("'pscpu:2k:xrin', character 10: unknown algorithm xrin: did you mean "));
  EXPECT_THAT(message_of(""), HasSubstr("character 1: an algorithm is missing"));
  EXPECT_THAT(message_of("ring:2k:"), HasSubstr("character 9: an algorithm is missing"));
  EXPECT_THAT(message_of("ring:2k"), HasSubstr("character 8: what takes larger tensors"));
  EXPECT_THAT(message_of("ring:"), HasSubstr("character 6: '' is not a number of elements"));
  EXPECT_THAT(message_of("ring:2q:tree"), HasSubstr("character 6: '2q' is not a number"));
  EXPECT_THAT(message_of("ring:-1:tree"), HasSubstr("character 6: '-1' is not a number"));
  EXPECT_THAT(message_of("ring:9999999999T:tree"), HasSubstr("is not a number of elements"));
  EXPECT_THAT(message_of("ring:2k:tree:2048:direct"),
              HasSubstr("character 14: the limit 2048 is not above the one before it"));
  EXPECT_THAT(message_of("ring#0"), HasSubstr("character 6: '0' is not a number of shards"));
  EXPECT_THAT(message_of("ring#x:2k:tree"), HasSubstr("character 6: 'x' is not a number of"));
  EXPECT_THAT(message_of("ring#9999"), HasSubstr("from 1 to 1024"));
}

TEST(AllReduceSpec, PrintsWhatParsesBack) {
  for (const char* text : {"ring", "owner:2048:owner#2:65536:ring", "auto#2", "vendor:7:tree"}) {
    EXPECT_EQ(print(parse_all_reduce_spec(text)), text);
  }
  EXPECT_EQ(print(parse_all_reduce_spec("pscpu:2k:nccl/xring#2")), "owner:2048:hierarchical#2");
}

TEST(Choose, TakesTheAlgorithmThatFitsWhereRanksAre) {
  EXPECT_EQ(choose(1, {{0}}), "direct");
  EXPECT_EQ(choose(kRingFromElements, {{0, 0, 0}}), "direct");
  EXPECT_EQ(choose(kTreeBelowElements - 1, {{0, 1, 2}}), "tree");
  EXPECT_EQ(choose(kTreeBelowElements, {{0, 1, 2}}), "ring");
  EXPECT_EQ(choose(kTreeBelowElements, {{0, 1, 2, 3}}), "halving_doubling");
  EXPECT_EQ(choose(kRingFromElements, {{0, 1, 2, 3}}), "ring");
  EXPECT_EQ(choose(1, {{0, 0, 1}}), "hierarchical");
  EXPECT_EQ(choose(kRingFromElements, {{0, 1, 0, 1}}), "hierarchical");
}

}  // namespace
}  // namespace lockstep::strategy
