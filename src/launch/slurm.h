#pragma once

#include <string>
#include <vector>

#include "launch/launchers.h"

namespace lockstep::launch {

// Within an allocation, whose hosts are the site's: srun with a task for each device and server.
std::vector<Command> slurm(const Job& job, const Site& site);

// A command to be run as a job of its own, on the first of its hosts.
struct Batch {
  std::string name;  // one that no other job has
  int hosts = 1;
  int tasks_per_host = 0;                 // 0: not told
  double time_limit = 0;                  // seconds; 0: the partition's
  std::string directory;                  // where it runs; all hosts see it
  std::string output = {};                // what it prints; empty: goes to the log
  std::string log;                        // what it says
  std::vector<std::string> options = {};  // "--partition=gpu"
  std::vector<std::string> command;
};
std::string sbatch_script(const Batch& batch);
// Hands the script in, ends when nothing of the job is left, and ends the job when its input ends.
Command submission(const Batch& batch, const std::string& script_path);

}  // namespace lockstep::launch
