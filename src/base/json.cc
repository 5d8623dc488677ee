#include "base/json.h"

#include <string>

namespace lockstep {
namespace {

constexpr int kDeepest = 64;

template <typename Json>
Json parse(std::string_view text) {
  const auto shallow = [](int depth, typename Json::parse_event_t, const Json&) {
    if (depth <= kDeepest) return true;
    throw Error(ExitCode::usage, fmt::format("it nests deeper than {} levels", kDeepest));
  };
  try {
    return Json::parse(text, shallow);
  } catch (const typename Json::parse_error& error) {
    throw Error(ExitCode::usage, error.byte > text.size()
                                     ? fmt::format("cut off at byte {}", text.size())
                                     : fmt::format("not JSON at byte {}", error.byte));
  } catch (const typename Json::exception& error) {
    throw Error(ExitCode::usage, json_fault(error));
  }
}

// What stands between two words of a text; empty: they are not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  const std::size_t end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  return parse<nlohmann::json>(text);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return parse<nlohmann::ordered_json>(text);
}

std::string json_fault(const nlohmann::json::exception& error) {
  const std::string what = std::string(error.what()) + '\n';
  if (const auto key = between(what, "key '", "' not found"); !key.empty()) {
    return fmt::format("the key {} is missing", key);
  }
  if (const auto expected = between(what, "type must be ", ", but is "); !expected.empty()) {
    return fmt::format("expected {}, found {}", expected, between(what, ", but is ", "\n"));
  }
  if (const auto found = between(what, "cannot use at() with ", "\n"); !found.empty()) {
    return fmt::format("expected object, found {}", found);
  }
  if (!between(what, "number overflow", "\n").empty()) return "a number beyond all bounds";
  return "a value of another type than expected";
}

}  // namespace lockstep
