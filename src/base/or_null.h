#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace lockstep {

template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace lockstep
