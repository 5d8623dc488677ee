#include "cli/world.h"

namespace lockstep::cli {

std::vector<std::unique_ptr<comm::Transport>> connect(const Job& job) {
  return comm::connect_threads(job.trial.devices);
}

train::Site site_of(const Job& job, const comm::Topology& topology) {
  train::Site site;
  site.ranks.topology = topology;
  site.ranks.all_reduce = [](std::size_t) { return &comm::direct; };
  site.strategy = &strategy::find_strategy(job.trial.exchange.variable_update);
  site.spin = !job.oversubscribed();
  return site;
}

}  // namespace lockstep::cli
