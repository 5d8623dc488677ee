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

  bool regression() const { return failed || verdict == Verdict::slower; }
  bool undecided() const { return !failed && verdict == Verdict::undecided; }
};

struct Gate {
  std::vector<GateRow> rows = {};       // by points of the baseline that were tried
  std::vector<std::string> added = {};  // ids of points that only the candidate has
  int compared = 0;                     // rows of points that the candidate planned, too

  bool regression() const;
};

// Points are compared with those of the same id: network, batch, devices, strategy. What differs in
// anything else that makes work or devices others is undecided.
Gate gate(const Measurements& baseline, const Measurements& candidate, double min_effect);

}  // namespace lockstep::stats
