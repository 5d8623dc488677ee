#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace lockstep {

// A whole JSON document. Throws Error(usage) with the byte where it goes wrong, also where it nests
// deeper than any document of ours: each level takes memory, and whoever walks through it stack.
nlohmann::json parse_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::string_view text);

// What the library complains of, in our words: a key that is missing, a value of another type.
std::string json_fault(const nlohmann::json::exception& error);

// The value of a key of an object. Throws Error(usage) that names the key where there is none of
// that type.
template <typename Value, typename Json>
Value json_value(const Json& object, const char* key) {
  if (object.is_object() && !object.contains(key)) {
    throw Error(ExitCode::usage, fmt::format("the key {} is missing", key));
  }
  try {
    return object.at(key).template get<Value>();
  } catch (const nlohmann::json::exception& error) {
    throw Error(ExitCode::usage, fmt::format("{}: {}", key, json_fault(error)));
  }
}

}  // namespace lockstep
