#include "spec/combinations.h"

#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "spec/cluster.h"
#include "spec/names.h"
#include "spec/strategies.h"

namespace lockstep::spec {
namespace {

// A trial, and what its rules count.
struct Facts {
  const Exchange& exchange;
  const StrategyRow& strategy;
  const Cluster& cluster;
  bool team = false;  // devices of several threads
  bool oversubscribe = false;
  bool saves = false;            // checkpoints
  bool looks_at_itself = false;  // evaluates during training
  bool counts = false;           // evaluates a dataset
  std::size_t workers = 0;
  std::size_t servers = 0;
  std::size_t tasks = 0;  // of the job of this process

  // Ranks go on without each other: they have no step in common.
  bool asynchronous() const {
    return !exchange.cross_replica_sync || exchange.replicas_to_aggregate > 0;
  }
  bool has_job() const { return cluster.job_name != JobName::none; }
};

Facts facts(const Trial& trial) {
  const Members all = members(trial.cluster);
  Facts result{.exchange = trial.exchange,
               .strategy = find_strategy(trial.exchange.variable_update),
               .cluster = trial.cluster};
  result.team = trial.threads_per_device > 1;
  result.oversubscribe = trial.oversubscribe;
  const bool training = trial.mode == Mode::training;
  result.saves = training && !trial.checkpoints.dir.empty();
  result.looks_at_itself =
      training && !trial.data.dir.empty() && trial.evaluation.during_training();
  result.counts = trial.mode == Mode::evaluation && !trial.data.dir.empty();
  result.workers = all.workers.size();
  result.servers = all.servers.size();
  switch (trial.cluster.job_name) {
    case JobName::worker:
      result.tasks = result.workers;
      break;
    case JobName::ps:
      result.tasks = result.servers;
      break;
    case JobName::none:
    case JobName::controller:
      result.tasks = 1;
      break;
  }
  return result;
}

bool is_collective_spec(std::string_view spec) {
  return spec.empty() || spec == "collective" || spec.starts_with("collective#");
}

// The braces of messages and hints stand for {update}, {job}, {index}, {last}, {num_ps}, {servers},
// {transport}, and for the strategies that have a trait.
struct Rule {
  bool (*broken)(const Facts&);
  std::string_view message;
  std::string_view hint;
};

constexpr std::string_view kAllReduces = "choose --variable_update={that_reduce}";

constexpr Rule kRules[] = {
    // Exchange
    {[](const Facts& f) { return f.exchange.staged_vars && !f.strategy.can_lag; },
     "--staged_vars works with --variable_update={that_can_lag} only, not with {update}",
     "leave it out, or choose {that_can_lag}; --variable_consistency=relaxed lets an all-reduce "
     "act one step late"},
    {[](const Facts& f) { return !f.exchange.cross_replica_sync && !f.strategy.can_lag; },
     "--cross_replica_sync=false works with --variable_update={that_can_lag} only, not with "
     "{update}",
     "leave it out, or choose {that_can_lag}"},
    {[](const Facts& f) { return f.exchange.replicas_to_aggregate > 0 && !f.strategy.can_lag; },
     "--replicas_to_aggregate works with --variable_update={that_can_lag} only, not with {update}",
     "leave it out, or choose {that_can_lag}"},
    {[](const Facts& f) {
       return f.exchange.replicas_to_aggregate > 0 && !f.exchange.cross_replica_sync;
     },
     "--replicas_to_aggregate makes steps of several gradients, --cross_replica_sync=false makes "
     "one of each",
     "leave one of them out"},
    {[](const Facts& f) {
       return f.exchange.variable_consistency == VariableConsistency::relaxed &&
              !f.strategy.reduces;
     },
     "--variable_consistency=relaxed delays an all-reduce, and {update} has none", kAllReduces},
    {[](const Facts& f) { return f.exchange.gradient_repacking > 0 && !f.strategy.reduces; },
     "--gradient_repacking packs gradients for an all-reduce, and {update} has none", kAllReduces},
    {[](const Facts& f) { return f.exchange.agg_small_grads_max_bytes > 0 && !f.strategy.reduces; },
     "--agg_small_grads_max_bytes joins gradients for an all-reduce, and {update} has none",
     kAllReduces},
    {[](const Facts& f) { return !f.exchange.all_reduce_spec.empty() && !f.strategy.reduces; },
     "--all_reduce_spec chooses how an all-reduce is done, and {update} has none", kAllReduces},
    {[](const Facts& f) {
       return f.strategy.collective_only && !is_collective_spec(f.exchange.all_reduce_spec);
     },
     "--variable_update={update} takes --all_reduce_spec=collective or collective#n "
     "only",
     "choose --variable_update=distributed_all_reduce for an algorithm of your own"},
    {[](const Facts& f) { return f.exchange.num_ps > 0 && !f.strategy.served; },
     "--num_ps asks for parameter servers, and {update} has none",
     "leave it out, or choose --variable_update={that_are_served}"},

    // Checkpoints and evaluation
    {[](const Facts& f) { return f.saves && f.asynchronous(); },
     "--train_dir keeps what all ranks have in common behind a step, and these have none",
     "leave --train_dir out, or --cross_replica_sync=false and --replicas_to_aggregate"},
    {[](const Facts& f) { return f.saves && f.exchange.staged_vars; },
     "--train_dir cannot go on exactly where --staged_vars was: gradients are on their way",
     "leave one of them out"},
    {[](const Facts& f) {
       return f.saves && f.exchange.variable_consistency == VariableConsistency::relaxed;
     },
     "--train_dir cannot go on exactly where --variable_consistency=relaxed was: gradients are on "
     "their way",
     "leave one of them out"},
    {[](const Facts& f) { return f.looks_at_itself && f.asynchronous(); },
     "evaluation during training stops all ranks behind a step, and these have none in common",
     "evaluate checkpoints: --eval --train_dir"},
    {[](const Facts& f) { return f.counts && (f.asynchronous() || !f.strategy.in_step); },
     "--eval shares the images of --data_dir out to the ranks and adds up, and {update} here does "
     "not",
     "leave the flags of asynchronous updates out"},

    // Cluster
    {[](const Facts& f) { return f.strategy.needs_launcher && f.has_job(); },
     "--variable_update={update} goes without --job_name: a launcher starts its ranks",
     "start it with mpirun or srun, or choose --variable_update=collective_all_reduce"},
    {[](const Facts& f) {
       return !f.has_job() &&
              (f.workers > 0 || f.servers > 0 || !f.cluster.controller_host.empty());
     },
     "the cluster's hosts are given, but not which of them this process is",
     "add --job_name and --task_index"},
    {[](const Facts& f) { return !f.has_job() && f.cluster.task_index > 0; },
     "--task_index={index} needs --job_name", "add --job_name and --worker_hosts"},
    {[](const Facts& f) { return f.has_job() && f.workers == 0; },
     "--job_name={job} needs --worker_hosts", "name all workers: --worker_hosts=node1:2230,node2"},
    {[](const Facts& f) {
       return (f.servers > 0 || f.cluster.job_name == JobName::ps) && !f.strategy.served;
     },
     "--variable_update={update} has no parameter servers",
     "leave --ps_hosts and their processes out, or choose --variable_update={that_are_served}"},
    {[](const Facts& f) { return f.cluster.job_name == JobName::ps && f.servers == 0; },
     "--job_name=ps needs --ps_hosts", "name all servers: --ps_hosts=node1:2222,node2"},
    {[](const Facts& f) {
       return f.cluster.job_name == JobName::controller && f.cluster.controller_host.empty();
     },
     "--job_name=controller needs --controller_host", "name it: --controller_host=node1:2221"},
    {[](const Facts& f) { return !f.cluster.controller_host.empty() && !f.strategy.controlled; },
     "--controller_host works with --variable_update={that_are_controlled} only, not with "
     "{update}",
     "leave the controller out"},
    {[](const Facts& f) {
       return f.has_job() && static_cast<std::size_t>(f.cluster.task_index) >= f.tasks;
     },
     "--task_index={index}: the tasks of --job_name={job} are 0 to {last}",
     "task indices follow the order of the hosts, the first one is 0"},
    {[](const Facts& f) {
       return f.exchange.num_ps > 0 && f.servers > 0 &&
              static_cast<std::size_t>(f.exchange.num_ps) != f.servers;
     },
     "--num_ps={num_ps} contradicts --ps_hosts, which names {servers}",
     "leave --num_ps out: the hosts say it"},
    {[](const Facts& f) { return f.exchange.num_ps > 0 && f.has_job() && f.servers == 0; },
     "--num_ps={num_ps} needs --ps_hosts here: a cluster's servers are processes of their own",
     "name them in --ps_hosts, or leave --num_ps out: then every worker serves a share"},
    {[](const Facts& f) {
       const Transport transport = f.cluster.transport;
       return f.has_job() && transport != Transport::automatic && transport != Transport::tcp;
     },
     "--job_name={job} and its hosts are for --transport=tcp, not for {transport}",
     "leave --transport out"},

    // Devices
    {[](const Facts& f) { return f.oversubscribe && f.team; },
     "--oversubscribe makes devices of one thread",
     "leave --num_intra_threads out, or set it to 1"},
};

// Where the trial says so itself: a launcher may start any number.
std::optional<std::int64_t> ranks_of(const Trial& trial, const Facts& facts) {
  if (facts.workers > 0) return static_cast<std::int64_t>(facts.workers) * trial.devices;
  if (trial.cluster.transport == Transport::threads) return trial.devices;
  return std::nullopt;
}

}  // namespace

void check_combinations(const Trial& trial) {
  const Facts known = facts(trial);
  for (const Rule& rule : kRules) {
    if (!rule.broken(known)) continue;
    const auto filled_in = [&](std::string_view text) {
      return fmt::format(
          fmt::runtime(text), fmt::arg("update", trial.exchange.variable_update),
          fmt::arg("job", name(trial.cluster.job_name)),
          fmt::arg("index", trial.cluster.task_index), fmt::arg("last", known.tasks - 1),
          fmt::arg("num_ps", trial.exchange.num_ps), fmt::arg("servers", known.servers),
          fmt::arg("transport", name(trial.cluster.transport)),
          fmt::arg("that_can_lag", strategies_with(&StrategyRow::can_lag)),
          fmt::arg("that_reduce", strategies_with(&StrategyRow::reduces)),
          fmt::arg("that_are_served", strategies_with(&StrategyRow::served)),
          fmt::arg("that_are_controlled", strategies_with(&StrategyRow::controlled)));
    };
    throw Error(ExitCode::usage, filled_in(rule.message), filled_in(rule.hint));
  }
  if (const auto ranks = ranks_of(trial, known)) check_ranks(trial, *ranks);
}

void check_ranks(const Trial& trial, std::int64_t ranks) {
  const Facts known = facts(trial);
  if (ranks > 1 && !known.strategy.averages && (known.saves || known.looks_at_itself)) {
    throw Error(ExitCode::usage,
                fmt::format("--variable_update={} trains {} networks: there is none that {}",
                            trial.exchange.variable_update, ranks,
                            known.saves ? "--train_dir could keep" : "could be evaluated"),
                "choose a --variable_update that exchanges something, or --num_gpus=1");
  }
  const int wanted = trial.exchange.replicas_to_aggregate;
  if (wanted <= ranks) return;
  throw Error(
      ExitCode::usage,
      fmt::format("--replicas_to_aggregate={} waits for more gradients than the {} can send",
                  wanted, counted(ranks, "rank")),
      fmt::format("lower it, or leave it out: then a step takes all {}", ranks));
}

}  // namespace lockstep::spec
