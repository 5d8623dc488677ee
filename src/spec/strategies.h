#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::spec {

// The way that gradients take: module `strategy` has a function for each.
enum class Route {
  none,          // every rank follows its own
  servers,       // to servers, who wait for all workers, and new parameters back
  each_server,   // the same, but servers deal with every worker by itself
  host_leaders,  // workers of a host sum up first, then one of them deals with the servers
  all_reduce,    // among all ranks
};

// What happens between gradients and new weights: what is true of a --variable_update. Whoever
// treats strategies differently asks for a field of their rows, never for a name.
struct StrategyRow {
  std::string_view name;  // of --variable_update
  Route route;
  bool averages = true;  // over all workers; else every rank follows its own gradients
  bool in_step = true;   // ranks wait for each other every step
  bool served = false;   // parameters live on servers, who may be ranks of their own
  bool reduces = false;  // by an all-reduce, which --all_reduce_spec and others can change
  // Workers may be told not to wait: --staged_vars, --cross_replica_sync=false and
  // --replicas_to_aggregate. The last two lead to the row of the same name that is `asynchronous`.
  bool can_lag = false;
  bool asynchronous = false;
  bool collective_only = false;         // --all_reduce_spec leaves the algorithm to us
  bool needs_launcher = false;          // one starts its ranks: they have no --job_name
  bool controlled = false;              // --controller_host has a process to start from
  bool ceiling = false;                 // the limit of the hardware, which others are compared with
  std::string_view automatic = "auto";  // the algorithm of an all-reduce that none is chosen for
  std::string_view summary;
};
std::span<const StrategyRow> strategies();
// What --variable_update chooses from.
std::vector<std::string_view> strategy_names();

// Null: none is called so.
const StrategyRow* strategy_named(std::string_view name, bool asynchronous = false);
// Throws Error(usage) with the closest name and all known ones.
const StrategyRow& find_strategy(std::string_view name, bool asynchronous = false);

// False of an unknown name: results may be of another version.
bool has_trait(std::string_view strategy, bool StrategyRow::*trait);
bool is_ceiling(std::string_view strategy);
std::string_view ceiling_strategy();

// "replicated, distributed_all_reduce or horovod": the names that --variable_update takes of those
// that have a trait.
std::string strategies_with(bool StrategyRow::*trait);

// What people call it: "parameter_server (asynchronous)".
std::string title(const StrategyRow& strategy);

}  // namespace lockstep::spec
