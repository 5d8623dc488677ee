#include "base/text.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using testing::ElementsAre;

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,b,c", ','), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split(",a,,", ','), ElementsAre("", "a", "", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Join, UndoesSplit) {
  for (const std::string text : {"", ",", "a", "a,b", ",a,,b,"}) {
    EXPECT_EQ(text, join(split(text, ','), ","));
  }
  EXPECT_EQ("", join({}, ", "));
}

TEST(Alternatives, AreAList) {
  const auto text = [](std::vector<std::string> words) { return alternatives(words); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({"a"}), "a");
  EXPECT_EQ(text({"a", "b"}), "a or b");
  EXPECT_EQ(text({"a", "b", "c"}), "a, b or c");
}

TEST(Wrap, BreaksBetweenWordsOnly) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("one two three", 3), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(wrap("", 7), std::vector<std::string>{""});
}

TEST(Trim, RemovesSpaceFromBothEndsOnly) {
  EXPECT_EQ("a b", trim(" \t a b\r\n"));
  EXPECT_EQ("a", trim("a"));
  EXPECT_EQ("", trim(" \n "));
  EXPECT_EQ("", trim(""));
}

TEST(Lower, ChangesLettersOnly) {
  EXPECT_EQ("resnet50_v1.5", lower("ResNet50_V1.5"));
}

TEST(ParseInt, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(42, parse_int("42"));
  EXPECT_EQ(-7, parse_int("-7"));
  EXPECT_EQ(INT64_MAX, parse_int("9223372036854775807"));
  for (const char* text : {"", " 1", "1 ", "1x", "1.0", "x", "-", "9223372036854775808"}) {
    EXPECT_EQ(std::nullopt, parse_int(text)) << text;
  }
}

TEST(ParseDouble, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(0.1, parse_double("0.1"));
  EXPECT_EQ(-2.5e-3, parse_double("-2.5e-3"));
  EXPECT_EQ(5, parse_double("5"));
  for (const char* text : {"", " 1", "1 ", "1.5x", "1,5", "e5", "1e999"}) {
    EXPECT_EQ(std::nullopt, parse_double(text)) << text;
  }
}

TEST(EditDistance, CountsInsertionsRemovalsAndReplacements) {
  EXPECT_EQ(0, edit_distance("", ""));
  EXPECT_EQ(3, edit_distance("", "vgg"));
  EXPECT_EQ(1, edit_distance("resnet50", "resnet5"));
  EXPECT_EQ(3, edit_distance("kitten", "sitting"));
  EXPECT_EQ(3, edit_distance("sitting", "kitten"));
}

TEST(Closest, FindsWhatWasMeant) {
  const std::vector<std::string> models = {"alexnet", "vgg16", "vgg19", "resnet50", "inception3"};
  EXPECT_EQ("resnet50", closest("resnet5", models));
  EXPECT_EQ("alexnet", closest("AlexNte", models));
  EXPECT_EQ("inception3", closest("inceptionv3", models));
  EXPECT_EQ("vgg16", closest("vgg1", models));  // as near as vgg19: the first one
}

TEST(Closest, FindsNothingWhenNothingIsNear) {
  const std::vector<std::string> models = {"alexnet", "vgg16"};
  EXPECT_EQ(std::nullopt, closest("transformer", models));
  EXPECT_EQ(std::nullopt, closest("alexnet", {}));
}

TEST(HumanBytes, ShowsThreeDigitsOrSo) {
  EXPECT_EQ("0 B", human_bytes(0));
  EXPECT_EQ("1023 B", human_bytes(1023));
  EXPECT_EQ("1.00 KiB", human_bytes(1024));
  EXPECT_EQ("97.5 MiB", human_bytes(97.5 * 1024 * 1024));
  EXPECT_EQ("1.50 GiB", human_bytes(1.5 * (1 << 30)));
  EXPECT_EQ("2048.0 TiB", human_bytes(0x1p51));
}

TEST(Counted, MakesAPluralOfAllNumbersButOne) {
  EXPECT_EQ("0 cores", counted(0, "core"));
  EXPECT_EQ("1 core", counted(1, "core"));
  EXPECT_EQ("2 cores", counted(2, "core"));
  EXPECT_EQ("1 more launch", counted(1, "more launch"));
  EXPECT_EQ("2 more launches", counted(2, "more launch"));
  EXPECT_EQ("3 processes", counted(3, "process"));
  EXPECT_EQ("1 directory", counted(1, "directory"));
  EXPECT_EQ("0 directories", counted(0, "directory"));
}

TEST(HumanCount, GroupsDigitsByThree) {
  EXPECT_EQ("0", human_count(0));
  EXPECT_EQ("999", human_count(999));
  EXPECT_EQ("1,000", human_count(1000));
  EXPECT_EQ("25,559,081", human_count(25559081));
  EXPECT_EQ("-123,456", human_count(-123456));
}

TEST(HumanSeconds, ChoosesTheUnit) {
  EXPECT_EQ("1.5 ms", human_seconds(0.0015));
  EXPECT_EQ("0.3 s", human_seconds(0.25 + 0.01));
  EXPECT_EQ("59.0 s", human_seconds(59));
  EXPECT_EQ("1 min 20 s", human_seconds(80));
  EXPECT_EQ("2 h 5 min", human_seconds(7500));
}

}  // namespace
}  // namespace lockstep
