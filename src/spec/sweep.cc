#include "spec/sweep.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/check.h"
#include "base/error.h"
#include "spec/combinations.h"
#include "spec/flags.h"
#include "spec/names.h"

namespace lockstep::spec {
namespace {

constexpr std::string_view kCeiling = "independent";

Exchange exchange_of(const std::string& strategy) {
  return {.variable_update = strategy};
}

// Flags that only some strategies take. The other points of a sweep go without them.
bool takes(const std::string& strategy, std::string_view flag) {
  constexpr std::string_view kOfServers[] = {"cross_replica_sync", "replicas_to_aggregate",
                                             "staged_vars"};
  constexpr std::string_view kOfAllReduces[] = {"all_reduce_spec", "variable_consistency",
                                                "gradient_repacking", "agg_small_grads_max_bytes",
                                                "agg_small_grads_max_group"};
  constexpr std::string_view kOfExchanges[] = {"fusion_threshold_mb", "wire_precision"};
  const Exchange exchange = exchange_of(strategy);
  const auto among = [&](const auto& list) { return std::ranges::count(list, flag) > 0; };
  if (among(kOfServers)) return strategy == "parameter_server";
  if (among(kOfAllReduces)) return reduces_to_all(exchange);
  if (among(kOfExchanges)) return reduces_to_all(exchange) || has_servers(exchange);
  return true;
}

// Flags of --data_dir and of what is done to its images: made-up ones go without them.
bool is_of_data(std::string_view flag) {
  return find_flag(flag)->group == find_flag("data_dir")->group;
}

// Different names stay different.
std::string file_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 128 && (std::isalnum(byte) != 0 || c == '.' || c == '_' || c == '-');
    name += plain ? std::string(1, c) : fmt::format("%{:02x}", byte);
  }
  return name;
}

std::string id_of(const Point& point) {
  std::string id = fmt::format("{}-b{}-d{}-{}", file_name(point.model), point.batch_size,
                               point.devices, file_name(point.strategy));
  if (point.num_ps > 0) id += fmt::format("-ps{}", point.num_ps);
  if (point.data_format != "auto") id += fmt::format("-{}", file_name(point.data_format));
  if (point.input) id += fmt::format("-{}", name(*point.input));
  return id;
}

class Expansion {
 public:
  explicit Expansion(const Sweep& sweep)
      : sweep_(sweep), inputs_(sweep.inputs.begin(), sweep.inputs.end()) {
    if (inputs_.empty()) inputs_ = {std::nullopt};
  }

  Plan plan() {
    for (const ModelBatch& model : sweep_.models) {
      for (const Scaling scaling : sweep_.scaling) {
        for (const std::string& format : sweep_.data_formats) add_series(model, scaling, format);
      }
    }
    return std::move(plan_);
  }

 private:
  void add_series(const ModelBatch& model, Scaling scaling, const std::string& format) {
    const std::size_t first = plan_.rows.size();
    for (const int devices : sweep_.devices) {
      const int batch = batch_of(model, scaling, devices);
      for (const std::string& strategy : sweep_.strategies) {
        for (const int servers : servers_of(strategy)) {
          add_rows(model, scaling, point(model.model, batch, devices, strategy, servers, format));
        }
      }
      const bool listed = std::ranges::count(sweep_.strategies, kCeiling) > 0;
      if (sweep_.ceiling && !listed && devices > sweep_.devices.front()) {
        const std::size_t first_ceiling = plan_.rows.size();
        add_rows(model, scaling,
                 point(model.model, batch, devices, std::string(kCeiling), 0, format));
        for (std::size_t r = first_ceiling; r < plan_.rows.size(); ++r) {
          plan_.rows[r].is_ceiling = true;
        }
      }
    }
    relate(first);
  }

  int batch_of(const ModelBatch& model, Scaling scaling, int devices) const {
    if (scaling == Scaling::weak) return model.batch_size;
    if (model.batch_size % devices != 0) {
      throw Error(ExitCode::usage,
                  fmt::format("strong scaling: a batch of {} ({}) cannot be divided evenly by {} "
                              "devices",
                              model.batch_size, model.model, devices),
                  fmt::format("choose a batch size that all of --devices divide, or other counts"));
    }
    return model.batch_size / devices;
  }

  std::vector<int> servers_of(const std::string& strategy) const {
    if (has_servers(exchange_of(strategy))) return sweep_.num_ps;
    return {0};
  }

  // Where no strategy takes a flag, it stays, and `run` says why that cannot be.
  bool passes(const std::string& flag, const std::string& strategy) const {
    return takes(strategy, flag) || std::ranges::none_of(sweep_.strategies, [&](const auto& any) {
             return takes(any, flag);
           });
  }

  Point point(const std::string& model, int batch, int devices, const std::string& strategy,
              int servers, const std::string& format) const {
    Point point{.id = {},
                .model = model,
                .batch_size = batch,
                .devices = devices,
                .threads_per_device = sweep_.threads_per_device,
                .strategy = strategy,
                .num_ps = servers,
                .data_format = format,
                .flags = {}};
    const auto flag = [&](std::string_view name, const auto& value) {
      point.flags.push_back(fmt::format("--{}={}", name, value));
    };
    flag("model", model);
    flag("batch_size", batch);
    flag("variable_update", strategy);
    if (format != "auto") flag("data_format", format);
    if (sweep_.threads_per_device > 0) flag("num_intra_threads", sweep_.threads_per_device);
    if (sweep_.launch_time) flag("max_time", *sweep_.launch_time);
    for (const auto& [name, value] : sweep_.run_flags) {
      if (passes(name, strategy)) flag(name, value);
    }
    return point;
  }

  // The point with each of the inputs, next to each other: what drifts hits all of them alike.
  void add_rows(const ModelBatch& model, Scaling scaling, const Point& point) {
    for (const std::optional<InputKind>& input : inputs_) {
      add_row(model, scaling, with_input(point, input));
    }
  }

  static Point with_input(Point point, std::optional<InputKind> input) {
    point.input = input;
    point.id = id_of(point);
    if (input == InputKind::synthetic) {
      std::erase_if(point.flags, [](const std::string& flag) {
        return is_of_data(std::string_view(flag).substr(2, flag.find('=') - 2));
      });
    }
    if (input == InputKind::cached) point.flags.emplace_back("--datasets_repeat_cached_sample");
    return point;
  }

  void add_row(const ModelBatch& model, Scaling scaling, Point point) {
    const auto same = std::ranges::find(plan_.points, point.id, &Point::id);
    const auto index = static_cast<std::size_t>(same - plan_.points.begin());
    if (same == plan_.points.end()) plan_.points.push_back(std::move(point));
    plan_.rows.push_back({.point = index, .scaling = scaling, .series_batch = model.batch_size});
  }

  // Speed-ups refer to the same configuration at the smallest count; a limit that is not measured
  // there, to the first one that is: without peers, strategies do not differ.
  void relate(std::size_t first) {
    const auto at = [&](std::size_t row) -> const Point& {
      return plan_.points[plan_.rows[row].point];
    };
    for (std::size_t r = first; r < plan_.rows.size(); ++r) {
      Row& row = plan_.rows[r];
      for (std::size_t other = first; other < plan_.rows.size(); ++other) {
        const Point& mine = at(r);
        const Point& peer = at(other);
        const bool same_exchange =
            std::tie(mine.strategy, mine.num_ps) == std::tie(peer.strategy, peer.num_ps);
        const bool same_input = mine.input == peer.input;
        const bool as_many = mine.devices == peer.devices;
        if (!row.baseline && same_input && (row.is_ceiling || same_exchange) &&
            peer.devices == sweep_.devices.front()) {
          row.baseline = plan_.rows[other].point;
        }
        if (peer.strategy == kCeiling && as_many && same_input && other != r) {
          row.ceiling = plan_.rows[other].point;
        }
        if (peer.input == InputKind::synthetic && as_many && same_exchange && !same_input) {
          row.synthetic = plan_.rows[other].point;
        }
      }
    }
  }

  const Sweep& sweep_;
  std::vector<std::optional<InputKind>> inputs_;  // nothing: as the flags have it
  Plan plan_;
};

}  // namespace

std::vector<int> doubling(int first, int last) {
  LOCKSTEP_CHECK(first >= 1 && first <= last);
  std::vector<int> counts;
  for (std::int64_t n = first; n < last; n *= 2) counts.push_back(static_cast<int>(n));
  counts.push_back(last);
  return counts;
}

Plan expand(const Sweep& sweep) {
  return Expansion(sweep).plan();
}

std::string to_json(const Sweep& sweep) {
  nlohmann::ordered_json json = {
      {"schema", {{"name", "lockstep-sweep"}, {"version", kSweepVersion}}}};
  std::vector<std::string> models;
  for (const ModelBatch& model : sweep.models) {
    models.push_back(model.batch_size > 0 ? fmt::format("{}:{}", model.model, model.batch_size)
                                          : model.model);
  }
  json["models"] = models;
  if (sweep.batch_size > 0) json["batch_size"] = sweep.batch_size;
  if (!sweep.devices.empty()) json["devices"] = sweep.devices;
  json["strategies"] = sweep.strategies;
  json["num_ps"] = sweep.num_ps;
  json["data_formats"] = sweep.data_formats;
  // Sweeps from before there was a choice have no such key, and go on.
  for (const InputKind input : sweep.inputs) json["inputs"].push_back(name(input));
  json["scaling"] = sweep.scaling.size() > 1 ? "both" : name(sweep.scaling.front());
  json["ceiling"] = sweep.ceiling;
  json["threads_per_device"] = sweep.threads_per_device;
  json["repeats"] = sweep.repeats;
  const auto number = [&](const char* key, const std::optional<double>& value) {
    if (value) json[key] = *value;
  };
  number("target_precision", sweep.target_precision);
  number("max_time", sweep.max_time);
  number("launch_time", sweep.launch_time);
  json["retries"] = sweep.retries;
  number("point_time_limit", sweep.point_time_limit);
  if (!sweep.launcher.empty()) json["launcher"] = sweep.launcher;
  for (const auto& [flag, value] : sweep.site) json[flag] = value;
  for (const auto& [flag, value] : sweep.run_flags) json[flag] = value;
  return json.dump(2);
}

}  // namespace lockstep::spec
