#include "spec/flags.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "base/unknown_name.h"

namespace lockstep::spec {
namespace {

std::optional<bool> parse_bool(std::string_view text) {
  const std::string word = lower(text);
  for (const char* yes : {"true", "t", "1", "yes", "y", "on"}) {
    if (word == yes) return true;
  }
  for (const char* no : {"false", "f", "0", "no", "n", "off"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

bool within(const Type& type, double x) {
  return std::isfinite(x) && (type.low_excluded ? x > type.low : x >= type.low) &&
         (type.high_excluded ? x < type.high : x <= type.high);
}

std::optional<Value> try_parse(const Type& type, std::string_view text) {
  switch (type.kind) {
    case Kind::boolean:
      if (const auto truth = parse_bool(text)) return *truth;
      return std::nullopt;
    case Kind::integer:
      if (const auto n = parse_int(text); n && within(type, static_cast<double>(*n))) return *n;
      return std::nullopt;
    case Kind::real:
      if (const auto x = parse_double(text); x && within(type, *x)) return *x;
      return std::nullopt;
    case Kind::choice:
      for (const std::string_view choice : type.choices) {
        if (lower(choice) == lower(text)) return std::string(choice);
      }
      return std::nullopt;
    case Kind::text:
    case Kind::list:
      return std::string(text);
  }
  return std::nullopt;
}

std::string range(const Type& type) {
  if (std::isinf(type.high)) {
    return fmt::format("{} {}", type.low_excluded ? "above" : "of at least", type.low);
  }
  if (type.low_excluded && type.high_excluded) {
    return fmt::format("between {} and {}, both excluded", type.low, type.high);
  }
  return fmt::format("from {} to {}{}", type.low, type.high,
                     type.low_excluded || type.high_excluded
                         ? fmt::format(", {} excluded", type.low_excluded ? type.low : type.high)
                         : "");
}

std::string one_of(std::span<const std::string_view> choices) {
  std::vector<std::string> words;
  for (const std::string_view choice : choices) {
    words.emplace_back(choice.empty() ? "nothing" : choice);
  }
  return fmt::format("{}{}", words.size() > 1 ? "one of " : "", alternatives(words));
}

}  // namespace

const Flag* find_flag(std::string_view name) {
  std::string key(name);
  std::replace(key.begin(), key.end(), '-', '_');
  for (const Flag& flag : flags()) {
    if (flag.name == key || (!flag.alias.empty() && flag.alias == key)) return &flag;
  }
  return nullptr;
}

std::string expectation(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::integer:
      return fmt::format("an integer {}", range(type));
    case Kind::real:
      return fmt::format("a number {}", range(type));
    case Kind::choice:
      return one_of(type.choices);
    case Kind::list:
      return "words separated by commas";
    case Kind::text:
      return "text";
  }
  return "";
}

Value parse_value(const Type& type, std::string_view text, std::string_view shown) {
  if (auto value = try_parse(type, text)) return *std::move(value);
  std::string hint;
  if (type.kind == Kind::choice) {
    const std::vector<std::string> known(type.choices.begin(), type.choices.end());
    hint = did_you_mean(text, known);
  }
  throw Error(ExitCode::usage, fmt::format("{}: expected {}", shown, expectation(type)), hint);
}

}  // namespace lockstep::spec
