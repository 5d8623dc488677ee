#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stats/compare.h"
#include "stats/sweep.h"

namespace lockstep::stats {

// What a gate says of a point of the baseline.
struct GateRow {
  spec::Point point = {};
  std::optional<Estimate> baseline = {}, candidate = {};  // images per second
  std::optional<Estimate> ratio = {};                     // candidate over baseline
  Verdict verdict = Verdict::undecided;
  bool failed = false;      // it was measured once, and now it fails
  std::string reason = {};  // why it failed or is undecided
  std::string load = {};    // which of the two started under load; empty: none

  // Whether its speeds, or that it has none any more, count.
  bool compared() const { return failed || ratio.has_value(); }
  bool regression() const { return failed || verdict == Verdict::slower; }
  bool undecided() const { return !failed && verdict == Verdict::undecided; }
};

struct Gate {
  std::vector<GateRow> rows = {};       // by points of the baseline that were tried
  std::vector<std::string> added = {};  // ids of points that only the candidate has

  bool regression() const;
  int compared() const;  // rows
};

// Points are compared with those of the same id: network, batch, devices, strategy. Those that
// differ in anything else of their work or their devices are not compared, and undecided.
Gate gate(const Measurements& baseline, const Measurements& candidate, double min_effect);

}  // namespace lockstep::stats
