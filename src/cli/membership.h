#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/getenv.h"
#include "comm/collective.h"
#include "comm/transports.h"
#include "spec/launched.h"
#include "spec/trial.h"

namespace lockstep::cli {

// What this process is in the world: by the trial's cluster flags, by the launcher's variables, or,
// without either, all of it.
struct Membership {
  spec::Transport transport = spec::Transport::threads;  // never automatic
  int workers = 1;         // ranks that train, on all hosts: 0, 1, ...
  int servers = 0;         // ranks that only keep parameters: behind them
  std::vector<int> ranks;  // of this process, ascending

  // Of the workers on this host, as far as is known: how many there are, and how many of them have
  // lower ranks than this process's own. They share the cores evenly.
  int local_workers = 1;
  int local_first = 0;

  std::optional<spec::Launched> launched;  // who says so; nothing: flags

  std::string coordinator;  // "host:port", where rank 0 listens; of tcp
  std::string listen;       // where this process listens for data; of tcp
  comm::PortRange ports;    // where its ranks do that have no place of their own; of tcp

  int world() const { return workers + servers; }
  bool trains() const { return !ranks.empty() && ranks.front() < workers; }
};

// Throws Error(usage) for flags and variables that do not go together.
Membership membership(const spec::Trial& trial, const std::optional<spec::Launched>& launched);

// What all processes share and nobody else knows: of --token_file or LOCKSTEP_TOKEN; empty: there
// is none. Throws Error(usage) for a file that has none.
std::string token_of(const spec::Cluster& cluster, const Getenv& getenv);

// Throws Error(usage) where a host goes by two names in --worker_hosts: workers find out by names
// with whom they share cores, before they meet. `devices`: of each of their processes.
void refuse_two_names(const spec::Cluster& cluster, const comm::Topology& topology, int devices);

// Whether all-reduces are to be those of the MPI library, at least for some sizes.
bool wants_vendor(const spec::Exchange& exchange);

// Of the transport without such.
Error vendor_refusal(const spec::Exchange& exchange, std::string_view transport);

// So many gradients are enough for servers that do not wait for all workers; 0: they do wait.
int quorum(const spec::Exchange& exchange, int workers);

}  // namespace lockstep::cli
