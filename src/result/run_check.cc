#include "result/run_check.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/characters.h"
#include "base/error.h"
#include "result/metrics.h"
#include "spec/flags.h"
#include "spec/names.h"

namespace lockstep::result {
namespace {

using SortedJson = nlohmann::json;

constexpr const char* kMeasured[] = {"statistics", "phases",      "ranks", "servers",
                                     "straggler",  "evaluations", "input"};

// What no phase claims is a difference.
bool may_be_negative(const std::string& key) {
  return key == "other" || std::ranges::any_of(metrics(), [&](const Metric& metric) {
           return metric.may_be_negative && metric.key == key;
         });
}

constexpr double kNone = 1e18;  // more than any computer has or does

void check_amount(const SortedJson& value, const std::string& name) {
  if (value.is_number() && !(value.get<double>() >= 0 && value.get<double>() < kNone)) {
    throw Error(ExitCode::usage,
                fmt::format("its {} is {}, which cannot be", name, value.get<double>()));
  }
  if (!value.is_structured()) return;
  for (const auto& [key, nested] : value.items()) {
    if (may_be_negative(key)) continue;
    check_amount(nested, fmt::format("{}.{}", name, printable(key)));
  }
}

// Nothing: the file does not say it.
std::optional<std::string> text_at(const SortedJson& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return std::nullopt;
  const SortedJson& value = object.at(key);
  if (value.is_null()) return std::nullopt;
  return value.is_string() ? value.get<std::string>() : value.dump();
}

const SortedJson& member(const SortedJson& object, const char* key) {
  static const SortedJson nothing;
  return object.is_object() && object.contains(key) ? object.at(key) : nothing;
}

// Elements of a list; nothing of what others measured, whose ranks are not known.
std::optional<std::string> size_of(const SortedJson& list) {
  return list.is_array() ? std::optional(std::to_string(list.size())) : std::nullopt;
}

std::optional<std::string> strategy_in(const SortedJson& exchange) {
  auto name = text_at(exchange, "variable_update");
  if (!name) return std::nullopt;
  try {
    return std::get<std::string>(
        parse_value(spec::find_flag("variable_update")->type, *name, "variable_update"));
  } catch (const Error&) {
    return name;  // not a strategy of any point
  }
}

spec::InputKind input_in(const SortedJson& data) {
  if (member(data, "repeat_cached_sample") == true) return spec::InputKind::cached;
  return text_at(data, "dir").value_or("").empty() ? spec::InputKind::synthetic
                                                   : spec::InputKind::real;
}

}  // namespace

void check_amounts(const SortedJson& run) {
  for (const char* part : kMeasured) check_amount(member(run, part), part);
}

void check_identity(const SortedJson& run, const spec::Point& point) {
  const SortedJson& config = member(run, "config");
  const SortedJson& exchange = member(config, "exchange");
  const auto compare = [&](const char* what, const std::optional<std::string>& found,
                           const std::string& expected) {
    if (!found || *found == expected) return;
    throw Error(ExitCode::usage, fmt::format("it belongs to another point: its {} is {}, not {}",
                                             what, printable(*found), printable(expected)));
  };
  // Processes know their own devices alone, but all have written their part.
  const auto ranks = size_of(member(run, "ranks"));
  const auto servers = size_of(member(run, "servers"));
  compare("model", text_at(config, "model"), point.model);
  compare("batch_size", text_at(config, "batch_size"), std::to_string(point.batch_size));
  compare("number of devices", ranks ? ranks : text_at(config, "devices"),
          std::to_string(point.devices));
  compare("variable_update", strategy_in(exchange), point.strategy);
  if (servers || point.num_ps > 0) {
    compare("number of servers", servers ? servers : text_at(exchange, "num_ps"),
            std::to_string(point.num_ps));
  }
  if (point.threads_per_device > 0) {
    compare("threads_per_device", text_at(config, "threads_per_device"),
            std::to_string(point.threads_per_device));
  }
  if (point.data_format != "auto") {
    compare("data_format", text_at(config, "data_format"), point.data_format);
  }
  if (point.input && member(config, "data").is_object()) {
    compare("input", std::string(name(input_in(config.at("data")))),
            std::string(name(*point.input)));
  }
}

}  // namespace lockstep::result
