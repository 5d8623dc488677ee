#include "spec/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/rng.h"
#include "spec/fields.h"
#include "spec/names.h"

namespace lockstep::spec {
namespace {

using ::testing::HasSubstr;

// Values that are hard to print: full mantissas, quotes, line ends, text that is not ASCII.
class Random {
 public:
  explicit Random(std::uint64_t seed) : rng_(seed) {}

  template <typename Field>
  void fill(Field& field) {
    if constexpr (kIsOptional<Field>) {
      if (bits() % 2 == 0) {
        field.reset();
      } else {
        fill(field.emplace());
      }
    } else if constexpr (std::is_enum_v<Field>) {
      field = static_cast<Field>(bits() % kNames<Field>.size());
    } else if constexpr (std::is_same_v<Field, bool>) {
      field = bits() % 2 == 0;
    } else if constexpr (std::is_same_v<Field, std::string>) {
      const std::vector<std::string> parts = {"a", "\"", "\\", "\n", "é", "\x01", "/", ";", "{"};
      field.clear();
      for (std::uint64_t n = bits() % 8; n > 0; --n) field += parts[bits() % parts.size()];
    } else if constexpr (std::is_same_v<Field, double>) {
      field = std::ldexp(static_cast<double>(bits()), static_cast<int>(bits() % 200) - 130);
      if (bits() % 2 == 0) field = -field;
    } else if constexpr (std::is_integral_v<Field>) {
      field = static_cast<Field>(bits());
    } else {
      visit_fields(field, [&](const char*, auto& inner) { fill(inner); });
    }
  }

 private:
  std::uint64_t bits() { return rng_.bits(position_++); }

  Rng rng_;
  std::uint64_t position_ = 0;
};

std::string error_of(std::string_view json) {
  try {
    trial_from_json(json);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return std::string(error.what()) + " | " + error.hint();
  }
  return "no error";
}

TEST(Trial, ReadsBackEveryValueOfEveryField) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Trial trial;
    Random(seed).fill(trial);
    EXPECT_EQ(trial_from_json(to_json(trial)), trial) << to_json(trial);
  }
}

TEST(Trial, PrintsEachFieldUnderAKeyOfItsOwn) {
  int fields = 0;
  const Trial original;
  // Changing one field at a time changes the text each time.
  for (int changed = 0; changed == 0 || changed < fields; ++changed) {
    Trial trial;
    int field = 0;
    Random random(static_cast<std::uint64_t>(changed));
    visit_fields(trial, [&](const char*, auto& value) {
      if (field++ != changed) return;
      const auto before = value;
      while (value == before) random.fill(value);
    });
    fields = field;
    EXPECT_NE(to_json(trial), to_json(original)) << "field " << changed;
  }
}

TEST(Trial, KeepsDefaultsWhereKeysAreMissing) {
  Trial expected;
  expected.optimizer.momentum = 0.5;
  EXPECT_EQ(trial_from_json(R"({"optimizer": {"momentum": 0.5}})"), expected);
}

TEST(Trial, RefusesUnknownKeysWithTheClosestOne) {
  EXPECT_EQ(error_of(R"({"batchsize": 3})"),
            "trial: unknown key batchsize | did you mean batch_size?");
  EXPECT_EQ(error_of(R"({"optimizer": {"momentom": 3}})"),
            "trial: unknown key optimizer.momentom | did you mean optimizer.momentum?");
}

TEST(Trial, RefusesValuesOfTheWrongType) {
  EXPECT_THAT(error_of(R"({"batch_size": "3"})"), HasSubstr(R"(batch_size is "3"; expected)"));
  EXPECT_THAT(error_of(R"({"batch_size": 4294967296})"), HasSubstr("an integer of 32 bits"));
  EXPECT_THAT(error_of(R"({"batch_size": 18446744073709551615})"), HasSubstr("of 32 bits"));
  EXPECT_THAT(error_of(R"({"batch_size": 1.5})"), HasSubstr("an integer of 32 bits"));
  EXPECT_THAT(error_of(R"({"exchange": {"agg_small_grads_max_bytes": 9223372036854775808}})"),
              HasSubstr("an integer of 64 bits"));
  EXPECT_THAT(error_of(R"({"seed": -1})"), HasSubstr("seed is -1; expected"));
  EXPECT_THAT(error_of(R"({"strict": 1})"), HasSubstr("strict is 1; expected true or false"));
  EXPECT_THAT(error_of(R"({"model": null})"), HasSubstr("model is null; expected text"));
  EXPECT_THAT(error_of(R"({"max_time": "1"})"), HasSubstr("expected a number"));
  EXPECT_THAT(error_of(R"({"mode": "train"})"), HasSubstr("training, forward_only, evaluation"));
  EXPECT_THAT(error_of("[]"), HasSubstr("the document is []; expected an object"));
  EXPECT_THAT(error_of("{"), HasSubstr("trial: cut off at byte 1"));
}

}  // namespace
}  // namespace lockstep::spec
