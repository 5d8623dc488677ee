#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/command.h"
#include "spec/hosts.h"

namespace lockstep::launch {

// One launch of one point.
struct Job {
  std::string id;                  // a file name that no other launch has: for directories on hosts
  std::string program;             // the absolute path of `lockstep` on this machine
  std::vector<std::string> flags;  // of `lockstep run`, but for devices, servers, cluster, results
  int devices = 1;
  int servers = 0;         // ranks that only keep parameters, beside the devices
  std::string result_dir;  // on this machine, an absolute path
};

// How ssh gets to the hosts, beyond what a host says itself; what is empty is left to ssh.
struct Ssh {
  std::string config = {};  // a file instead of ~/.ssh/config
  std::string user = {};
  std::string key = {};
  int port = 0;
};

// Where jobs run, and what is the same for all of them.
struct Site {
  spec::Hosts hosts;  // empty: this machine
  Ssh ssh = {};
  // A directory of the hosts' own for the program and for results on their way to us; empty: the
  // hosts have our file system, and with it the program and the directory of results.
  std::string remote_dir = {};
  std::string build = {};      // of the program, which hosts have at remote_dir/lockstep-<build>/
  int port = 2230;             // where the first host's first rank listens for the others; the next
                               // ones, one for each rank, are for data
  bool processes = false;      // local: a process for each device instead of a thread
  bool root = false;           // mpirun refuses root unless it is told
  int servers_per_host = 0;    // 0: as even as can be
  bool servers_apart = false;  // on hosts of their own, before those of the devices
  std::vector<std::string> extra = {};  // arguments for mpirun or srun, before the program
};

// A launcher is a pure function to commands, to be run side by side, rank 0 in the first. Throws
// Error(usage) for a job that does not fit on the site.
using Launcher = std::vector<Command>(const Job& job, const Site& site);
Launcher no_commands;

// Whoever treats launchers differently asks for a field of their rows, never for a name.
struct LauncherRow {
  std::string_view name;
  Launcher* commands;
  // Brings what the job wrote on the hosts to job.result_dir, and removes it there; to be run when
  // all commands have ended, be it badly. No commands: it is there already.
  Launcher* collect = no_commands;
  // A command for each other host of the job, which ends badly where the host does not answer. No
  // commands: hosts are not ours to reach.
  Launcher* reach = no_commands;
  bool here = false;          // on this machine, and on no other host
  bool by_ssh = false;        // every host has to let ssh in
  bool by_mpi = false;        // joins the ranks; else they meet at the site's port
  bool needs_mpirun = false;  // here and on every host
  // A variable of the environment that is set within an allocation of hosts. Without an allocation,
  // a sweep becomes a batch job. Null: hosts are named, and need none.
  const char* allocation = nullptr;
  std::string_view on_each_host = {};  // of an allocation: runs the words that follow
  std::string_view summary;
};
std::span<const LauncherRow> launchers();

// Throws Error(usage) with all known names and the closest one.
const LauncherRow& find_launcher(std::string_view name);

// What starts ranks on this machine, if on no other host; else whoever has an allocation; else ssh.
const LauncherRow& usual_launcher(bool here, const std::function<bool(const char*)>& is_set);

// "ssh, mpi or slurm": those that start ranks on other hosts, too.
std::string launchers_of_hosts();

}  // namespace lockstep::launch
