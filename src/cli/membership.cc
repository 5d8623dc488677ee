#include "cli/membership.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "spec/cluster.h"
#include "spec/strategies.h"
#include "strategy/all_reduce_spec.h"

namespace lockstep::cli {
namespace {

using spec::Transport;

std::vector<int> run_of(int first, int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

bool keeps_parameters_on_servers(const spec::Exchange& exchange) {
  return spec::find_strategy(exchange.variable_update).served;
}

// Servers that answer workers one by one must always be there to do so: they are never a worker's
// side job, but as many threads of their own beside the workers.
int default_servers(const spec::Exchange& exchange, int workers) {
  if (!keeps_parameters_on_servers(exchange)) return 0;
  if (exchange.num_ps > 0) return exchange.num_ps;
  return quorum(exchange, workers) > 0 ? workers : 0;
}

Membership one_process(const spec::Trial& trial) {
  Membership member;
  member.workers = member.local_workers = trial.devices;
  member.servers = default_servers(trial.exchange, member.workers);
  member.ranks = run_of(0, member.world());
  return member;
}

// A port for each rank, so that even all of them find one on the same host, and some to spare for
// those that another program has: for a port of the range that the kernel gives to connections,
// that is likely.
comm::PortRange data_ports(int first, int world) {
  constexpr int kSpare = 16;
  constexpr int kEnd = 65536;
  if (first + world <= kEnd) return {first, std::min(world + kSpare, kEnd - first)};
  throw Error(ExitCode::usage,
              fmt::format("the data ports of {} start at {}, and there are none beyond 65535",
                          counted(world, "rank"), first),
              "let them meet at a lower port");
}

int highest_port(const spec::Members& members) {
  int highest = 0;
  for (const auto* job : {&members.workers, &members.servers}) {
    for (const spec::Address& address : *job) highest = std::max(highest, address.port);
  }
  return highest;
}

// A process of the cluster that --worker_hosts and --ps_hosts list.
Membership listed_task(const spec::Trial& trial, const spec::Members& members) {
  const spec::Cluster& cluster = trial.cluster;
  const int tasks = static_cast<int>(members.workers.size());
  Membership member;
  member.transport = Transport::tcp;
  member.workers = tasks * trial.devices;
  member.coordinator = to_string(members.workers.front());
  const auto index = static_cast<std::size_t>(cluster.task_index);
  if (cluster.job_name == spec::JobName::ps) {
    member.servers = static_cast<int>(members.servers.size());
    member.ranks = {member.workers + cluster.task_index};
    member.listen = to_string(members.servers.at(index));
    return member;
  }
  const spec::Address& mine = members.workers.at(index);
  member.ranks = run_of(cluster.task_index * trial.devices, trial.devices);
  // The coordinator's port is taken by those who come to meet.
  member.listen = index == 0 ? ":0" : to_string(mine);
  const auto same_host = [&](const spec::Address& address) { return address.host == mine.host; };
  const std::span<const spec::Address> before = std::span(members.workers).first(index);
  member.local_first = static_cast<int>(std::ranges::count_if(before, same_host)) * trial.devices;
  member.local_workers =
      static_cast<int>(std::ranges::count_if(members.workers, same_host)) * trial.devices;
  if (!members.servers.empty()) {
    member.servers = static_cast<int>(members.servers.size());
    return member;
  }
  // Without servers of their own, every worker process has its share of them.
  member.servers = default_servers(trial.exchange, member.workers);
  for (int server = cluster.task_index; server < member.servers; server += tasks) {
    member.ranks.push_back(member.workers + server);
  }
  return member;
}

Membership task(const spec::Trial& trial) {
  const spec::Members members = spec::members(trial.cluster);
  Membership member = listed_task(trial, members);
  member.ports = data_ports(highest_port(members) + 1, member.world());
  return member;
}

// A process that mpirun, srun or another launcher started.
Membership launched_process(const spec::Trial& trial, const spec::Launched& launched) {
  if (trial.cluster.transport == Transport::threads) {
    throw Error(ExitCode::usage,
                fmt::format("--transport=threads in each of {} processes ({}): every one would "
                            "train by itself",
                            launched.world, launched.rank_variable),
                fmt::format("leave it out, or start one process; if {} is left over from "
                            "something else, unset it",
                            launched.rank_variable));
  }
  Membership member;
  member.launched = launched;
  const bool by_tcp = trial.cluster.transport == Transport::tcp ||
                      (trial.cluster.transport == Transport::automatic && launched.coordinator);
  member.transport = by_tcp ? Transport::tcp : Transport::mpi;
  if (by_tcp && !launched.coordinator) {
    throw Error(ExitCode::usage,
                fmt::format("{} does not say where ranks meet, which --transport tcp needs",
                            launched.launcher),
                "set LOCKSTEP_COORDINATOR=host:port for all ranks, or use --transport mpi without "
                "--devices");
  }
  if (!by_tcp && trial.devices > 1) {
    throw Error(ExitCode::usage,
                fmt::format("--devices={} in each of {}: with MPI, every device is a process of "
                            "its own",
                            trial.devices, counted(launched.world, "process")),
                fmt::format("leave --devices out and start {} processes; or set "
                            "LOCKSTEP_COORDINATOR=host:port for all ranks and use --transport tcp",
                            launched.world * trial.devices));
  }
  const int processes = launched.world;
  member.servers = keeps_parameters_on_servers(trial.exchange) ? trial.exchange.num_ps : 0;
  if (quorum(trial.exchange, processes) > 0 && member.servers == 0) {
    throw Error(ExitCode::usage,
                "servers that do not wait for all workers need processes of their own here",
                "--num_ps=1 makes the last process a server");
  }
  const int tasks = processes - member.servers;
  if (tasks < 1) {
    throw Error(ExitCode::usage, fmt::format("--num_ps={} leaves no worker of {}", member.servers,
                                             counted(processes, "process")));
  }
  member.workers = tasks * trial.devices;
  member.ranks = launched.rank < tasks ? run_of(launched.rank * trial.devices, trial.devices)
                                       : std::vector{member.workers + launched.rank - tasks};
  // Which of this host's processes are servers, no launcher says; all of them are not workers.
  member.local_workers =
      std::min(launched.local_world.value_or(launched.local_rank + 1), tasks) * trial.devices;
  member.local_first = launched.local_rank * trial.devices;
  if (launched.coordinator) {
    member.coordinator = to_string(*launched.coordinator);
    member.ports = data_ports(launched.coordinator->port + 1, member.world());
  }
  member.listen = ":0";
  return member;
}

// Whether a launched process goes its launcher's way. One that is alone does so where something of
// it is asked for: the same flags then work in worlds of every size.
bool is_joined(const spec::Trial& trial, const spec::Launched& launched) {
  const Transport asked = trial.cluster.transport;
  if (launched.world > 1) return true;
  return asked == Transport::automatic ? wants_vendor(trial.exchange) : asked != Transport::threads;
}

}  // namespace

int quorum(const spec::Exchange& exchange, int workers) {
  if (!exchange.cross_replica_sync) return 1;
  const int wanted = exchange.replicas_to_aggregate;
  return wanted > 0 && wanted < workers ? wanted : 0;
}

bool wants_vendor(const spec::Exchange& exchange) {
  const std::string& spec = exchange.all_reduce_spec;
  return !spec.empty() && std::ranges::any_of(strategy::parse_all_reduce_spec(spec).choices,
                                              &strategy::AllReduceChoice::is_vendor);
}

std::string token_of(const spec::Cluster& cluster, const Getenv& getenv) {
  if (cluster.token_file.empty()) return std::string(value_of(getenv, "LOCKSTEP_TOKEN"));
  const std::string text = read_file(cluster.token_file);
  std::string token(trim(text));
  if (!token.empty()) return token;
  throw Error(ExitCode::usage, fmt::format("--token_file={} is empty", cluster.token_file),
              "make one that only you can read: (umask 077; openssl rand -hex 16 >FILE)");
}

Error vendor_refusal(const spec::Exchange& exchange, std::string_view transport) {
  return Error(ExitCode::usage,
               fmt::format("--all_reduce_spec={} asks for the vendor's all-reduce, and the "
                           "transport {} has none",
                           exchange.all_reduce_spec, transport),
               "start the ranks with mpirun or srun, or leave vendor out");
}

void refuse_two_names(const spec::Cluster& cluster, const comm::Topology& topology, int devices) {
  if (cluster.worker_hosts.empty()) return;
  const std::vector<spec::Address> workers = spec::members(cluster).workers;
  std::map<int, std::string> name_of;  // of a host
  for (std::size_t task = 0; task < workers.size(); ++task) {
    const int host = topology.host_of.at(task * static_cast<std::size_t>(devices));
    const std::string& name = name_of.try_emplace(host, workers[task].host).first->second;
    if (name == workers[task].host) continue;
    throw Error(ExitCode::usage,
                fmt::format("{} and {} in --worker_hosts are the same host, whose workers would "
                            "all take its first cores",
                            name, workers[task].host),
                "give a host the same name everywhere");
  }
}

Membership membership(const spec::Trial& trial, const std::optional<spec::Launched>& launched) {
  if (!trial.cluster.worker_hosts.empty()) return task(trial);
  const Transport asked = trial.cluster.transport;
  if (launched && is_joined(trial, *launched)) return launched_process(trial, *launched);
  if (asked == Transport::tcp) {
    throw Error(ExitCode::usage, "--transport=tcp needs to know where the ranks are",
                "give --worker_hosts, --job_name and --task_index to every process");
  }
  if (asked == Transport::mpi) {
    throw Error(ExitCode::usage, "--transport=mpi needs processes that MPI has started",
                fmt::format("put mpirun --bind-to none -np {} before the command, and leave "
                            "--devices out",
                            std::max(2, trial.devices)));
  }
  return one_process(trial);
}

}  // namespace lockstep::cli
