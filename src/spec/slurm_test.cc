#include "spec/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/text.h"
#include "spec/usage_error_for_test.h"

namespace lockstep::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Hostlist, WritesOutNumbersAndRanges) {
  EXPECT_THAT(expand_hostlist("gnode[10,20,25-27],login1"),
              ElementsAre("gnode10", "gnode20", "gnode25", "gnode26", "gnode27", "login1"));
  EXPECT_THAT(expand_hostlist("node1"), ElementsAre("node1"));
  EXPECT_THAT(expand_hostlist("b,a"), ElementsAre("b", "a"));
  EXPECT_THAT(expand_hostlist("nid[5].lan"), ElementsAre("nid5.lan"));
}

TEST(Hostlist, KeepsLeadingZeros) {
  EXPECT_THAT(expand_hostlist("n[08-11]"), ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(expand_hostlist("n[8-11]"), ElementsAre("n8", "n9", "n10", "n11"));
  EXPECT_THAT(expand_hostlist("n[098-101,7]"), ElementsAre("n098", "n099", "n100", "n101", "n7"));
}

TEST(Hostlist, CombinesSeveralBracketsWithTheLastOneFastest) {
  EXPECT_THAT(expand_hostlist("r[1-2]n[3,05]x,y"),
              ElementsAre("r1n3x", "r1n05x", "r2n3x", "r2n05x", "y"));
}

TEST(Hostlist, SaysWhatIsWrongWithIt) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "a name is missing"},
      {"a,,b", "a name is missing"},
      {"a[1-2", "a bracket is not closed"},
      {"a1-2]", "a bracket is closed that was not opened"},
      {"a[1[2]]", "brackets within brackets"},
      {"a[]", "'' is no number"},
      {"a[1,]", "'' is no number"},
      {"a[x]", "'x' is no number"},
      {"a[3-1]", "'3-1' is no number and no range of numbers"},
      {"a[1--2]", "'1--2' is no number"},
      {"a[-2]", "'-2' is no number"},
      {"a[99999999999]", "'99999999999' is no number"},
      {"a[1-65537]", "too many hosts"},
      {"a[1-65536],b", "too many hosts"},
      {"a[1-300]b[1-300]", "too many hosts"},
  };
  for (const auto& [text, reason] : wrong) {
    SCOPED_TRACE(text);
    EXPECT_THAT(usage_error_of([text = text] { expand_hostlist(text); }), HasSubstr(reason));
  }
}

// Names with a number at the end, as short as Slurm writes them.
std::string compress(const std::string& prefix, const std::vector<int>& numbers, int width) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    std::string range = fmt::format("{:0{}}", numbers[i], width);
    if (end > i + 1) range += fmt::format("-{:0{}}", numbers[end - 1], width);
    ranges.push_back(range);
    i = end;
  }
  return fmt::format("{}[{}]", prefix, join(ranges, ","));
}

TEST(Hostlist, GivesBackAnyListThatWasMadeShort) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Rng rng(seed);
    std::uint64_t at = 0;
    std::vector<std::string> lists;
    std::vector<std::string> hosts;
    for (std::uint64_t group = rng.bits(at++) % 4 + 1; group > 0; --group) {
      const std::string prefix = fmt::format("p{}-", group);
      const int width = static_cast<int>(rng.bits(at++) % 5 + 1);
      std::vector<int> numbers;
      int number = static_cast<int>(rng.bits(at++) % 12);
      for (std::uint64_t n = rng.bits(at++) % 20 + 1; n > 0; --n) {
        numbers.push_back(number);
        hosts.push_back(fmt::format("{}{:0{}}", prefix, number, width));
        number += static_cast<int>(rng.bits(at++) % 3) + 1;
      }
      lists.push_back(compress(prefix, numbers, width));
    }
    const std::string text = join(lists, ",");
    EXPECT_EQ(expand_hostlist(text), hosts) << text;
  }
}

TEST(TaskCounts, RepeatCountsOverHosts) {
  EXPECT_THAT(expand_task_counts("2(x3),1"), ElementsAre(2, 2, 2, 1));
  EXPECT_THAT(expand_task_counts("4"), ElementsAre(4));
  EXPECT_THAT(expand_task_counts("1,16(x2)"), ElementsAre(1, 16, 16));
}

TEST(TaskCounts, SayWhatIsWrongWithThem) {
  for (const char* text : {"", "2(x3", "2(3)", "x", "2(x)", "2,", "-1", "2(x-1)"}) {
    EXPECT_THAT(usage_error_of([text] { expand_task_counts(text); }), HasSubstr("is no count"))
        << text;
  }
  EXPECT_THAT(usage_error_of([] { expand_task_counts("1(x65537)"); }), HasSubstr("too many hosts"));
}

}  // namespace
}  // namespace lockstep::spec
