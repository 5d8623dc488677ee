#include "base/json.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"

namespace lockstep {
namespace {

std::string refusal(std::string_view text) {
  const Error error = error_of([&] { parse_json(text); });
  return fmt::format("{} {}", static_cast<int>(error.code()), error.what());
}

TEST(Json, IsReadWhole) {
  EXPECT_EQ(parse_json(R"({"b": [1], "a": null})").dump(), R"({"a":null,"b":[1]})");
  EXPECT_EQ(parse_ordered_json(R"({"b": [1], "a": null})").dump(), R"({"b":[1],"a":null})");
}

TEST(Json, IsRefusedWithTheByteWhereItGoesWrong) {
  EXPECT_EQ(refusal(R"({"a": [1, 2)"), "2 cut off at byte 11");
  EXPECT_EQ(refusal(""), "2 cut off at byte 0");
  EXPECT_EQ(refusal(R"({"a": nan})"), "2 not JSON at byte 8");
  EXPECT_EQ(refusal("{} {}"), "2 not JSON at byte 4");
  EXPECT_EQ(refusal("[1e999]"), "2 a number beyond all bounds");
  EXPECT_THAT(refusal("\"\xff\""), testing::StartsWith("2 not JSON at byte "));
}

TEST(Json, IsRefusedWhereItNestsTooDeep) {
  const std::string nested = std::string(60, '[') + std::string(60, ']');
  EXPECT_TRUE(parse_json(nested).is_array());
  EXPECT_EQ(refusal(std::string(1'000'000, '[')), "2 it nests deeper than 64 levels");
}

TEST(JsonValue, NamesTheKeyThatIsWrong) {
  const auto object = parse_json(R"({"name": "a", "count": -1, "none": null})");
  EXPECT_EQ(json_value<std::string>(object, "name"), "a");
  const auto why = [&](const auto& from, const char* key) {
    return std::string(error_of([&] { json_value<double>(from, key); }).what());
  };
  EXPECT_EQ(why(object, "speed"), "the key speed is missing");
  EXPECT_EQ(why(object, "name"), "name: expected number, found string");
  EXPECT_EQ(why(object["none"], "name"), "name: expected object, found null");
}

}  // namespace
}  // namespace lockstep
