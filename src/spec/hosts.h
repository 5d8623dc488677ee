#pragma once

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

// Each of these throws Error(usage) that names `source` and the line for: no host at all, a host
// that is there twice, a count that is no number, and a name that has anything but what host names
// and addresses are made of. So no name can become an option or a command of what it is given to.

// "10.0.0.1 node1", a line for each host: an address and what ssh calls it; without the second
// word, ssh uses the address.
Hosts parse_nodes_file(std::string_view text, std::string_view source);

// "node1 slots=4", as Open MPI has it; "node1:4", as MPICH has it.
Hosts parse_hostfile(std::string_view text, std::string_view source);

// A host's name on a line of its own for each of its slots, as in $PBS_NODEFILE.
Hosts parse_pbs_nodefile(std::string_view text, std::string_view source);

// A nodes file, a hostfile or a PBS nodefile, by what stands in it.
Hosts parse_hosts_file(std::string_view text, std::string_view source);

// "node1:4,ubuntu@node2:4,[fe80::1]:2"; without a count: one.
Hosts parse_host_list(std::string_view list);

// One address a line in each: where ssh reaches the hosts, and where they reach each other.
Hosts pair_addresses(std::string_view public_text, std::string_view public_source,
                     std::string_view private_text, std::string_view private_source);

// The hosts of a Slurm allocation, with their tasks as slots; empty: not within one.
Hosts slurm_hosts(const Getenv& getenv);

// What the CloudFormation stack of awslabs/deeplearning-cfn says: the file that
// DEEPLEARNING_WORKERS_PATH names, its first _COUNT lines, slots by DEEPLEARNING_WORKER_GPU_COUNT;
// empty: not set.
Hosts deeplearning_hosts(const Getenv& getenv);

}  // namespace lockstep::spec
