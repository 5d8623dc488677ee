#pragma once

#include <span>
#include <string>

#include "base/getenv.h"
#include "cli/load_results.h"

namespace lockstep::cli {

// What a command line of `lockstep gate` comes to.
struct GateOptions {
  std::string baseline, candidate;  // directories
  double min_effect = kMinEffect;
  bool strict = false;
  bool json = false;
  bool annotations = false;
  std::string junit;  // file; empty: none
};

// The arguments behind `lockstep gate`; LOCKSTEP_<FLAG> variables stand below them. Throws
// Error(usage).
GateOptions parse_gate(std::span<const std::string> arguments, const Getenv& getenv);

std::string gate_help(bool full);

}  // namespace lockstep::cli
