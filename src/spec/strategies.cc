#include "spec/strategies.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/unknown_name.h"

namespace lockstep::spec {
namespace {

constexpr StrategyRow kStrategies[] = {
    {.name = "parameter_server",
     .route = Route::servers,
     .served = true,
     .can_lag = true,
     .summary = "servers keep the parameters: gradients go there, new parameters come back"},
    {.name = "parameter_server",
     .route = Route::each_server,
     .in_step = false,
     .served = true,
     .can_lag = true,
     .asynchronous = true,
     .summary = "the same, but servers do not wait for all workers"},
    {.name = "distributed_replicated",
     .route = Route::host_leaders,
     .served = true,
     .summary = "hosts sum up first, then deal with the servers"},
    {.name = "replicated",
     .route = Route::all_reduce,
     .reduces = true,
     .summary = "every rank has all parameters; gradients are all-reduced"},
    {.name = "distributed_all_reduce",
     .route = Route::all_reduce,
     .reduces = true,
     .controlled = true,
     .summary = "the same, over hosts"},
    {.name = "collective_all_reduce",
     .route = Route::all_reduce,
     .reduces = true,
     .collective_only = true,
     .summary = "the same, over hosts"},
    {.name = "horovod",
     .route = Route::all_reduce,
     .reduces = true,
     .needs_launcher = true,
     .automatic = "ring",
     .summary = "ring all-reduce over all ranks, unless --all_reduce_spec says otherwise"},
    {.name = "independent",
     .route = Route::none,
     .averages = false,
     .in_step = false,
     .ceiling = true,
     .summary = "no exchange: the ceiling of the hardware"},
    {.name = "barrier_only",
     .route = Route::none,
     .averages = false,
     .summary = "ranks wait for each other but exchange nothing"},
};

}  // namespace

std::span<const StrategyRow> strategies() {
  return kStrategies;
}

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> names;
  for (const StrategyRow& row : kStrategies) {
    if (!row.asynchronous) names.push_back(row.name);
  }
  return names;
}

const StrategyRow* strategy_named(std::string_view name, bool asynchronous) {
  const auto row = std::ranges::find_if(kStrategies, [&](const StrategyRow& any) {
    return any.name == name && any.asynchronous == asynchronous;
  });
  return row == std::end(kStrategies) ? nullptr : row;
}

const StrategyRow& find_strategy(std::string_view name, bool asynchronous) {
  if (const StrategyRow* row = strategy_named(name, asynchronous)) return *row;
  const std::vector<std::string_view> names = strategy_names();
  const std::vector<std::string> known(names.begin(), names.end());
  throw unknown_name("strategy", name, known);
}

bool has_trait(std::string_view strategy, bool StrategyRow::*trait) {
  const StrategyRow* row = strategy_named(strategy);
  return row != nullptr && row->*trait;
}

bool is_ceiling(std::string_view strategy) {
  return has_trait(strategy, &StrategyRow::ceiling);
}

std::string_view ceiling_strategy() {
  return std::ranges::find_if(kStrategies, &StrategyRow::ceiling)->name;
}

std::string strategies_with(bool StrategyRow::*trait) {
  std::vector<std::string> names;
  for (const StrategyRow& row : kStrategies) {
    if (row.*trait && !row.asynchronous) names.emplace_back(row.name);
  }
  return alternatives(names);
}

std::string title(const StrategyRow& strategy) {
  return fmt::format("{}{}", strategy.name, strategy.asynchronous ? " (asynchronous)" : "");
}

}  // namespace lockstep::spec
