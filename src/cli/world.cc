#include "cli/world.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/getenv.h"
#include "cli/agreement.h"
#include "cli/crash.h"
#include "cli/mpi_program.h"
#include "comm/tcp/address.h"
#include "launch/here.h"
#include "spec/names.h"

namespace lockstep::cli {
namespace {

void note_open_meeting(const Membership& member, const std::string& token) {
  const bool receives = member.transport == spec::Transport::tcp && member.ranks.front() == 0 &&
                        static_cast<int>(member.ranks.size()) < member.world();
  if (receives) note_missing_token(member.coordinator, token);
}

void refuse_contradiction(const Membership& member, const comm::Transport& transport) {
  if (member.transport != spec::Transport::mpi) return;
  const auto error = spec::contradiction(*member.launched, transport.rank(), transport.world());
  if (error) throw Error(*error);
}

// A launcher may name the host that it was started on, where rank 0 need not be.
void refuse_to_meet_elsewhere(const Membership& member) {
  if (member.transport != spec::Transport::tcp || member.ranks.front() != 0) return;
  if (!member.launched || !launch::is_address_elsewhere(member.launched->coordinator->host)) return;
  throw Error(ExitCode::usage,
              fmt::format("ranks cannot meet at {}: rank 0 is on this host, which does not have "
                          "that address",
                          member.coordinator),
              fmt::format("set LOCKSTEP_COORDINATOR to the host of rank 0 for all ranks; {} named "
                          "another one",
                          member.launched->launcher));
}

}  // namespace

void note_missing_token(const std::string& address, const std::string& token) {
  if (!token.empty() || comm::tcp::is_loopback(comm::tcp::parse_address(address).host)) return;
  print_note(
      fmt::format("processes meet without a token: whoever reaches {} may take part; give all "
                  "of them the same LOCKSTEP_TOKEN or --token_file",
                  address));
}

strategy::AllReduceSpec all_reduce_of(const Job& job) {
  const std::string& spec = job.trial.exchange.all_reduce_spec;
  return strategy::parse_all_reduce_spec(spec.empty() ? "auto" : spec);
}

Ranks connect(const Job& job, Transports transports) {
  const Membership& member = job.member;
  const spec::Cluster& cluster = job.trial.cluster;
  const auto row =
      std::ranges::find(transports, spec::name(member.transport), &comm::TransportRow::name);
  LOCKSTEP_CHECK(row != transports.end());
  refuse_to_meet_elsewhere(member);
  Crash::listen(member.ranks);  // MPI may crash as it starts
  const std::string token = token_of(cluster, process_getenv);
  note_open_meeting(member, token);
  auto ranks = row->connect({.ranks = member.ranks,
                             .world = member.world(),
                             .coordinator = member.coordinator,
                             .listen = member.listen,
                             .ports = member.ports,
                             .token = token,
                             .network_interface = cluster.network_interface,
                             .deadline = cluster.deadline,
                             .start_timeout = cluster.start_timeout,
                             .on_wait = print_note});
  refuse_contradiction(member, *ranks.front());
  refuse_different_options(ranks, common_options(job.trial));
  refuse_two_names(cluster, ranks.front()->topology(), job.trial.devices);
  if (wants_vendor(job.trial.exchange) && ranks.front()->vendor() == nullptr) {
    throw vendor_refusal(job.trial.exchange, row->name);
  }
  return ranks;
}

void go_on_with(spec::Transport wanted, Transports transports, std::string_view verb,
                Arguments arguments) {
  if (std::ranges::count(transports, spec::name(wanted), &comm::TransportRow::name) > 0) return;
  std::vector<std::string> words = {"lockstep", std::string(verb)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  become_mpi_program(this_program(), argv.data());
}

train::Site site_of(const Job& job, const comm::Topology& topology) {
  train::Site site;
  site.ranks.topology = topology;
  site.ranks.servers = job.member.servers;
  site.ranks.all_reduce = all_reduce_of(job);
  const spec::Exchange& exchange = job.trial.exchange;
  site.quorum = quorum(exchange, job.member.workers);
  site.strategy = &spec::find_strategy(exchange.variable_update, site.quorum > 0);
  site.drops_late = exchange.cross_replica_sync;
  site.spin = !job.oversubscribed && site.ranks.servers == 0;
  return site;
}

}  // namespace lockstep::cli
