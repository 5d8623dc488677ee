#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "spec/sweep.h"
#include "stats/sweep.h"

namespace lockstep::cli {

// What came of one launch.
struct Launched {
  std::optional<stats::Launch> numbers = {};  // else it has failed
  std::string failure = {};                   // why
  ExitCode code = ExitCode::rank_failed;      // of the failure
  bool worth_retrying = false;                // it may go well next time
  bool interrupted = false;                   // we were asked to end; it counts for nothing
};

// How far a sweep is.
struct SweepProgress {
  std::size_t point = 0;  // of the plan
  int round = 0;          // from 0
  int done = 0;           // launches, with those of an earlier start
  int expected = 0;       // in all; more may follow until the target is met
  double elapsed = 0;     // seconds
  double left = 0;        // seconds, by the launches so far; 0: not known
};

struct SweepHooks {
  std::function<Launched(std::size_t point, int round)> launch;
  std::function<void(const SweepProgress&)> on_start;
  std::function<void(const SweepProgress&, const Launched&, bool again)> on_end;
  std::function<double()> clock;
};

enum class SweepEnding { complete, time_up, interrupted };

// Launches every point once a round, until there are as many rounds as wanted or every point is as
// precise as wanted. Whatever drifts on the machine so hits all points alike; every other round
// goes backwards, so that what drifts within a round does, too. `records`, by point, holds what an
// earlier start measured, which is not launched again, and takes what is measured now. A point that
// fails is not launched in further rounds.
SweepEnding run_sweep(const spec::Sweep& sweep, const spec::Plan& plan, const SweepHooks& hooks,
                      std::vector<stats::PointRecord>& records);

}  // namespace lockstep::cli
