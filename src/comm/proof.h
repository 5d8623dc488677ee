#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/program.h"

namespace lockstep::comm {

// All ranks' programs for one chunk.
struct ProgrammedWorld {
  Topology topology;
  Range range;
  std::vector<Exchange> exchanges;  // by rank
  std::vector<Program> programs;    // by rank
};
ProgrammedWorld compile_all(const Topology& topology, Range range, std::vector<Exchange> exchanges);

// What is to be proven.
struct Claim {
  bool in_place = false;    // gradients and parameters are one array
  bool distributes = true;  // all who contribute have all parameters in the end, not only owners
};

// Looks for a way in which two steps of the programs could go wrong; none found is a proof. Waits,
// messages and each rank's own order say what happens before what; two accesses to the same
// elements of a rank's memory, one of them a write, must be ordered by it. Then any one run stands
// for all, and that run must not get stuck, must update every element exactly once per step, with
// the sum over all contributing ranks, each once.
std::optional<std::string> find_flaw(const ProgrammedWorld& world, Claim claim = {});

}  // namespace lockstep::comm
