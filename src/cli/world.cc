#include "cli/world.h"

namespace lockstep::cli {

namespace {

// Servers that do not wait for all workers.
int quorum(const Job& job) {
  const spec::Exchange& exchange = job.trial.exchange;
  if (!exchange.cross_replica_sync) return 1;
  const int wanted = exchange.replicas_to_aggregate;
  return wanted > 0 && wanted < job.workers ? wanted : 0;
}

const strategy::StrategyRow& strategy_of(const Job& job) {
  return strategy::find_strategy(quorum(job) > 0 ? "parameter_server (asynchronous)"
                                                 : job.trial.exchange.variable_update);
}

// Ranks that only keep parameters. Those that answer workers one by one must always be there to do
// so: they are never a worker's side job.
int servers(const Job& job) {
  if (!strategy_of(job).served) return 0;
  if (quorum(job) > 0 && job.trial.exchange.num_ps == 0) return job.workers;
  return job.trial.exchange.num_ps;
}

}  // namespace

std::vector<std::unique_ptr<comm::Transport>> connect(const Job& job) {
  return comm::connect_threads(job.workers + servers(job));
}

train::Site site_of(const Job& job, const comm::Topology& topology) {
  train::Site site;
  site.ranks.topology = topology;
  site.ranks.servers = topology.world() - job.workers;
  if (!job.trial.exchange.all_reduce_spec.empty()) {
    site.ranks.all_reduce = strategy::parse_all_reduce_spec(job.trial.exchange.all_reduce_spec);
  }
  site.strategy = &strategy_of(job);
  site.quorum = quorum(job);
  site.spin = !job.oversubscribed() && site.ranks.servers == 0;
  return site;
}

}  // namespace lockstep::cli
