#include "spec/trial.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "spec/fields.h"
#include "spec/names.h"

namespace lockstep::spec {
namespace {

using Json = nlohmann::ordered_json;  // keys stay in the order of the fields

template <typename Object>
Json write(const Object& object);

template <typename Field>
Json write_field(const Field& field) {
  if constexpr (kIsOptional<Field>) {
    return field ? write_field(*field) : Json();
  } else if constexpr (std::is_enum_v<Field>) {
    return name(field);
  } else if constexpr (Nested<Field>) {
    return write(field);
  } else {
    return field;
  }
}

template <typename Object>
Json write(const Object& object) {
  Json json = Json::object();
  visit_fields(object, [&](const char* key, const auto& field) { json[key] = write_field(field); });
  return json;
}

[[noreturn]] void wrong(const std::string& path, std::string_view expected, const Json& found) {
  throw Error(ExitCode::usage,
              fmt::format("trial: {} is {}; expected {}", path, found.dump(), expected));
}

template <typename Object>
void read(const Json& json, Object& object, const std::string& path);

template <typename Field>
void read_field(const Json& json, Field& field, const std::string& path) {
  if constexpr (kIsOptional<Field>) {
    field.reset();
    if (!json.is_null()) read_field(json, field.emplace(), path);
  } else if constexpr (std::is_enum_v<Field>) {
    const auto value = json.is_string() ? named<Field>(json.get<std::string>()) : std::nullopt;
    if (!value) wrong(path, fmt::format("one of {}", fmt::join(kNames<Field>, ", ")), json);
    field = *value;
  } else if constexpr (Nested<Field>) {
    read(json, field, path);
  } else if constexpr (std::is_same_v<Field, bool>) {
    if (!json.is_boolean()) wrong(path, "true or false", json);
    field = json.get<bool>();
  } else if constexpr (std::is_same_v<Field, std::string>) {
    if (!json.is_string()) wrong(path, "text", json);
    field = json.get<std::string>();
  } else if constexpr (std::is_same_v<Field, double>) {
    if (!json.is_number()) wrong(path, "a number", json);
    field = json.get<double>();
  } else if constexpr (std::is_same_v<Field, int> || std::is_same_v<Field, std::int64_t>) {
    // Compared as text, since a number beyond the range wraps around on its way into it.
    if (!json.is_number_integer() || json.dump() != fmt::format("{}", json.get<Field>())) {
      wrong(path, fmt::format("an integer of {} bits", 8 * sizeof(Field)), json);
    }
    field = json.get<Field>();
  } else {
    static_assert(std::is_same_v<Field, std::uint64_t>);
    if (!json.is_number_unsigned()) wrong(path, "an integer of at least 0", json);
    field = json.get<std::uint64_t>();
  }
}

template <typename Object>
void read(const Json& json, Object& object, const std::string& path) {
  if (!json.is_object()) wrong(path.empty() ? "the document" : path, "an object", json);
  const std::string prefix = path.empty() ? "" : path + ".";
  std::vector<std::string> known;
  visit_fields(object, [&](const char* key, auto& field) {
    known.emplace_back(key);
    if (json.contains(key)) read_field(json[key], field, prefix + key);
  });
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw Error(ExitCode::usage, fmt::format("trial: unknown key {}{}", prefix, key),
                did_you_mean(key, known, prefix));
  }
}

}  // namespace

std::string to_json(const Trial& trial) {
  return write(trial).dump(2);
}

Trial trial_from_json(std::string_view text) {
  Trial trial;
  Json json;
  try {
    json = parse_ordered_json(text);
  } catch (const Error& error) {
    throw Error(ExitCode::usage, fmt::format("trial: {}", error.what()));
  }
  read(json, trial, "");
  return trial;
}

}  // namespace lockstep::spec
