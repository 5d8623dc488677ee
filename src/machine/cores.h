#pragma once

#include <span>
#include <string>
#include <vector>

namespace lockstep::machine {

// The processors that the calling thread may use: its affinity mask (ask before joining a team,
// which narrows it), and no more of them than the cgroup's CPU quota pays for. Ordered so that
// neighbours share caches; one per physical core first, then the further hardware threads of the
// same cores.
struct Allowed {
  std::vector<int> processors;  // operating-system indices, in placement order
  int cores = 0;                // distinct physical cores among them
  double quota = 0;             // processors' worth of time per period; 0: unlimited
  int usable = 0;               // how many of the first ones placement may hand out: at least 1
};
Allowed allowed();

// The processors of each device: `devices` groups of `threads` (0: as many as fit evenly) on
// disjoint physical cores. Throws Error(usage) with the arithmetic when they do not fit.
std::vector<std::vector<int>> place(const Allowed& allowed, int devices, int threads);

// "0-3,8": processors as Linux writes them.
std::string ranges(std::span<const int> processors);

// The calling thread becomes the master of a team of OpenMP threads, one for each of `processors`
// and the workers pinned to theirs: every parallel region that it starts afterwards runs on them
// and nowhere else, and takes numbers too small to be normal for zero (x86-64). Call it before the
// thread's first parallel region.
void join_team(std::span<const int> processors);

// Pins any member of the team that is new since the last call. Cheap; call it between steps.
void settle_team();

// libgomp reads its environment before main: settings that would bind several teams to the same
// places, or make idle threads spin for ever, are corrected by running the program once more with
// the right ones. Returns when there is nothing to correct.
void correct_openmp_environment(char** argv);

}  // namespace lockstep::machine
