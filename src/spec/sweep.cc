#include "spec/sweep.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "base/check.h"
#include "base/error.h"
#include "base/file_name.h"
#include "base/text.h"
#include "spec/flags.h"
#include "spec/names.h"
#include "spec/strategies.h"

namespace lockstep::spec {
namespace {

// Flags that only some strategies take. The other points of a sweep go without them.
bool takes(const std::string& strategy, std::string_view flag) {
  constexpr std::string_view kOfLagging[] = {"cross_replica_sync", "replicas_to_aggregate",
                                             "staged_vars"};
  constexpr std::string_view kOfAllReduces[] = {"all_reduce_spec", "variable_consistency",
                                                "gradient_repacking", "agg_small_grads_max_bytes",
                                                "agg_small_grads_max_group"};
  constexpr std::string_view kOfExchanges[] = {"fusion_threshold_mb", "wire_precision"};
  const auto among = [&](const auto& list) { return std::ranges::count(list, flag) > 0; };
  if (among(kOfLagging)) return has_trait(strategy, &StrategyRow::can_lag);
  if (among(kOfAllReduces)) return has_trait(strategy, &StrategyRow::reduces);
  if (among(kOfExchanges)) return has_trait(strategy, &StrategyRow::averages);
  return true;
}

// Flags of --data_dir and of what is done to its images: made-up ones go without them.
bool is_of_data(std::string_view flag) {
  return find_flag(flag)->group == find_flag("data_dir")->group;
}

std::string id_of(const Point& point) {
  std::string id = fmt::format("{}-b{}-d{}-{}", distinct_file_name(point.model), point.batch_size,
                               point.devices, distinct_file_name(point.strategy));
  if (point.num_ps > 0) id += fmt::format("-ps{}", point.num_ps);
  if (point.data_format != "auto") id += fmt::format("-{}", distinct_file_name(point.data_format));
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
    refuse_too_many();
    for (const ModelBatch& model : sweep_.models) {
      for (const Scaling scaling : sweep_.scaling) {
        for (const std::string& format : sweep_.data_formats) add_series(model, scaling, format);
      }
    }
    return std::move(plan_);
  }

 private:
  bool adds_ceiling() const {
    return sweep_.ceiling && std::ranges::none_of(sweep_.strategies, is_ceiling);
  }

  // Those that weak and strong scaling share count twice.
  void refuse_too_many() const {
    std::size_t exchanges = 0;
    for (const std::string& strategy : sweep_.strategies) exchanges += servers_of(strategy).size();
    const auto counts = static_cast<double>(sweep_.devices.size());
    const double points =
        static_cast<double>(sweep_.models.size()) * static_cast<double>(sweep_.scaling.size()) *
        static_cast<double>(sweep_.data_formats.size()) * static_cast<double>(inputs_.size()) *
        (counts * static_cast<double>(exchanges) + (adds_ceiling() ? counts - 1 : 0));
    if (points <= kMaxPoints) return;
    throw Error(ExitCode::usage,
                fmt::format("a sweep of {} points is too large: at most {}",
                            human_count(std::llround(points)), human_count(kMaxPoints)),
                "give fewer models, device counts or strategies; several sweeps can be compared");
  }

  void add_series(const ModelBatch& model, Scaling scaling, const std::string& format) {
    const std::size_t first = plan_.rows.size();
    for (const int devices : sweep_.devices) {
      const int batch = batch_of(model, scaling, devices);
      for (const std::string& strategy : sweep_.strategies) {
        for (const int servers : servers_of(strategy)) {
          add_rows(model, scaling, point(model.model, batch, devices, strategy, servers, format));
        }
      }
      if (adds_ceiling() && devices > sweep_.devices.front()) {
        const std::size_t first_ceiling = plan_.rows.size();
        add_rows(model, scaling,
                 point(model.model, batch, devices, std::string(ceiling_strategy()), 0, format));
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
    if (has_trait(strategy, &StrategyRow::served)) return sweep_.num_ps;
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
    const auto [same, fresh] = index_of_.try_emplace(point.id, plan_.points.size());
    if (fresh) plan_.points.push_back(std::move(point));
    plan_.rows.push_back(
        {.point = same->second, .scaling = scaling, .series_batch = model.batch_size});
  }

  // Speed-ups refer to the same configuration at the smallest count; a limit that is not measured
  // there, to the first one that is: without peers, strategies do not differ.
  void relate(std::size_t first) {
    using Exchanged = std::tuple<std::string, int, std::optional<InputKind>>;
    std::map<Exchanged, std::size_t> smallest;                              // at the smallest count
    std::map<std::optional<InputKind>, std::size_t> any_smallest;           // of any exchange
    std::map<std::pair<int, std::optional<InputKind>>, std::size_t> limit;  // by devices
    std::map<std::tuple<std::string, int, int>, std::size_t> synthetic;     // by exchange, devices
    const auto at = [&](std::size_t row) -> const Point& {
      return plan_.points[plan_.rows[row].point];
    };
    const auto find = [](const auto& points, const auto& key) -> std::optional<std::size_t> {
      const auto found = points.find(key);
      if (found == points.end()) return std::nullopt;
      return found->second;
    };
    for (std::size_t r = first; r < plan_.rows.size(); ++r) {
      const Point& point = at(r);
      const std::size_t index = plan_.rows[r].point;
      if (point.devices == sweep_.devices.front()) {
        smallest.try_emplace({point.strategy, point.num_ps, point.input}, index);
        any_smallest.try_emplace(point.input, index);
      }
      if (is_ceiling(point.strategy)) limit[{point.devices, point.input}] = index;
      if (point.input == InputKind::synthetic) {
        synthetic[{point.strategy, point.num_ps, point.devices}] = index;
      }
    }
    for (std::size_t r = first; r < plan_.rows.size(); ++r) {
      const Point& point = at(r);
      Row& row = plan_.rows[r];
      row.baseline = row.is_ceiling
                         ? find(any_smallest, point.input)
                         : find(smallest, Exchanged(point.strategy, point.num_ps, point.input));
      if (!is_ceiling(point.strategy)) {
        row.ceiling = find(limit, std::pair(point.devices, point.input));
      }
      if (point.input != InputKind::synthetic) {
        row.synthetic = find(synthetic, std::tuple(point.strategy, point.num_ps, point.devices));
      }
    }
  }

  const Sweep& sweep_;
  std::vector<std::optional<InputKind>> inputs_;           // nothing: as the flags have it
  std::unordered_map<std::string, std::size_t> index_of_;  // of a point, by its id
  Plan plan_;
};

// What is left of a point's flags on one device: those of the exchange have no effect there.
std::vector<std::string> flags_of_work(const Point& point) {
  std::vector<std::string> flags = point.flags;
  std::erase_if(flags, [](const std::string& flag) {
    return flag.starts_with("--variable_update=") || flag.starts_with("--all_reduce_spec=") ||
           flag.starts_with("--wire_precision=");
  });
  return flags;
}

}  // namespace

bool same_work(const Point& a, const Point& b) {
  const auto alone = [](const Point& point) { return point.devices == 1 && point.num_ps == 0; };
  const auto work = [](const Point& point) {
    return std::tie(point.model, point.batch_size, point.threads_per_device, point.data_format,
                    point.input);
  };
  return alone(a) && alone(b) && work(a) == work(b) && flags_of_work(a) == flags_of_work(b);
}

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
