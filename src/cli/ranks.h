#pragma once

#include <functional>
#include <vector>

#include "cli/job.h"
#include "cli/memory.h"
#include "cli/rank_threads.h"
#include "machine/peak.h"
#include "stats/ranks.h"
#include "train/server.h"
#include "train/worker.h"

namespace lockstep::cli {

// What a rank of this process does before and during its steps, besides training.
struct RankHooks {
  // On rank 0 only, before its first step: the plan is made, nothing has run.
  std::function<void(const machine::Peak& peak, const Memory& memory)> on_plan;
  std::function<train::Hooks(comm::Transport& transport)> hooks;  // of every rank
};

// All ranks of the world, as rank 0 sees them at the end.
struct WorldOutcome {
  train::Outcome mine;                        // of this process's first rank
  bool in_step = true;                        // ranks waited for each other every step
  std::vector<stats::RankSamples> ranks;      // of all that train
  std::vector<stats::ServerSummary> servers;  // of all that do not
  double peak_gflops = 0;                     // of all devices at once
  engine::ConvChoices convolutions;           // what --conv_algorithm=auto took
};

// Trains on all ranks of this process, one thread each, the first on the calling thread. Throws the
// first cause when some rank of the world cannot go on before its first step.
WorldOutcome run_ranks(const Job& job, Ranks& ranks, const RankHooks& hooks);

}  // namespace lockstep::cli
