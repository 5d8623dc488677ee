#include "cli/world.h"

#include <future>

#include "comm/tcp.h"

namespace lockstep::cli {

namespace {

const strategy::StrategyRow& strategy_of(const Job& job) {
  const spec::Exchange& exchange = job.trial.exchange;
  return strategy::find_strategy(quorum(exchange, job.member.workers) > 0
                                     ? "parameter_server (asynchronous)"
                                     : exchange.variable_update);
}

// Every rank of the process meets the others by itself, and all of them at once.
std::vector<std::unique_ptr<comm::Transport>> connect_over_tcp(const Job& job) {
  const Membership& member = job.member;
  std::vector<std::unique_ptr<comm::Transport>> ranks(member.ranks.size());
  std::vector<std::future<void>> meetings;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    meetings.push_back(std::async(std::launch::async, [&, i] {
      comm::TcpOptions options;
      options.rank = member.ranks[i];
      options.world = member.world();
      options.coordinator = member.coordinator;
      options.listen = i == 0 ? member.listen : ":0";
      options.network_interface = job.trial.cluster.network_interface;
      options.deadline = job.trial.cluster.deadline;
      options.start_timeout = job.trial.cluster.start_timeout;
      ranks[i] = comm::connect_tcp(options);
    }));
  }
  for (std::future<void>& meeting : meetings) meeting.get();
  return ranks;
}

}  // namespace

std::vector<std::unique_ptr<comm::Transport>> connect(const Job& job) {
  if (job.member.transport == spec::Transport::tcp) return connect_over_tcp(job);
  return comm::connect_threads(job.member.world());
}

train::Site site_of(const Job& job, const comm::Topology& topology) {
  train::Site site;
  site.ranks.topology = topology;
  site.ranks.servers = job.member.servers;
  if (!job.trial.exchange.all_reduce_spec.empty()) {
    site.ranks.all_reduce = strategy::parse_all_reduce_spec(job.trial.exchange.all_reduce_spec);
  }
  site.strategy = &strategy_of(job);
  site.quorum = quorum(job.trial.exchange, job.member.workers);
  site.spin = !job.oversubscribed() && site.ranks.servers == 0;
  return site;
}

}  // namespace lockstep::cli
