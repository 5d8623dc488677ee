#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/getenv.h"

namespace lockstep::spec {

// A machine that ranks may live on.
struct Host {
  std::string name;       // what we call it: its alias, else its address
  std::string address;    // where other hosts reach its ranks
  std::string ssh = {};   // where we reach it by ssh: an alias of ssh's configuration, an address
  std::string user = {};  // empty: ssh's own
  int port = 0;           // of its sshd; 0: ssh's own
  int slots = 0;          // devices that it may take; 0: not told
  bool here = false;      // this machine: nothing has to be reached

  bool operator==(const Host&) const = default;
};
using Hosts = std::vector<Host>;

// Each of these throws Error(usage) with `source` and the line for: no host at all, a host that is
// there twice, a count that is none, and a name that has anything but what names and addresses are
// made of. So no name can become an option or a command of what it is handed to. "user@name" is a
// name for ssh; '#' starts a comment.

// "10.0.0.1 node1", a line for each host: its address and what ssh calls it, the same where there
// is one word. Also "node1 slots=4", as Open MPI has it, and "node1:4", as MPICH has it.
Hosts parse_hosts_file(std::string_view text, std::string_view source);

// As in $PBS_NODEFILE: a line with the host's name for each of its slots.
Hosts parse_pbs_nodefile(std::string_view text, std::string_view source);

// "node1:4,ubuntu@node2:4,[fe80::1]:2"; without a count: one slot.
Hosts parse_host_list(std::string_view list);

// One host a line in each: where ssh reaches the hosts, and where they reach each other.
Hosts pair_addresses(std::string_view public_text, std::string_view public_source,
                     std::string_view private_text, std::string_view private_source);

// The file as what it is; the one that PBS_NODEFILE names is PBS's.
Hosts read_hosts_file(const std::filesystem::path& path, const Getenv& getenv);

// The hosts that a batch system or a cluster's set-up gave us, the first of these that is there:
// a Slurm allocation; PBS_NODEFILE; the first DEEPLEARNING_WORKERS_COUNT lines of the file
// DEEPLEARNING_WORKERS_PATH, with DEEPLEARNING_WORKER_GPU_COUNT slots each. Empty: none.
Hosts hosts_of_environment(const Getenv& getenv);

// Marks those that are this machine, which goes by all these names and addresses. One that ssh
// reaches through a port of its own is another machine, whatever its name.
void mark_here(Hosts& hosts, std::span<const std::string> own_names);

}  // namespace lockstep::spec
