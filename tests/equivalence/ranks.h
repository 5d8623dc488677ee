#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "comm/transport.h"
#include "tests/equivalence/subject.h"
#include "train/exchange.h"

namespace lockstep::equivalence {

// What a worker has in the end.
struct Trained {
  std::vector<float> base_losses, losses;      // by step
  std::vector<float> stored;                   // parameters, in the engine's own order
  std::vector<std::vector<float>> parameters;  // as plain tensors
  std::vector<strategy::Chunk> chunks;         // in which the gradients travelled
};

train::Site site_of(const spec::StrategyRow& row, const comm::Topology& topology, int servers = 0,
                    std::string_view all_reduce = "auto");

// Brings every rank's engine.
using Compile = std::function<std::unique_ptr<engine::Engine>(const spec::Trial&)>;
inline std::unique_ptr<engine::Engine> as_it_is(const spec::Trial& trial) {
  return compile(trial);
}

// A rank's part in a run of the trial; a server has nothing in the end.
Trained train_rank(const spec::Trial& trial, const train::Site& site, comm::Transport& transport,
                   const Compile& compile_engine = as_it_is);

// Runs work(transport) on a thread for every rank.
using OnRanks = void(const comm::Topology& topology,
                     const std::function<void(comm::Transport&)>& work);
OnRanks in_memory;  // the threads transport, and a wire in memory between hosts
OnRanks over_tcp;   // the tcp transport

// The workers in the end, by rank.
std::vector<Trained> train_on(OnRanks& on_ranks, const spec::Trial& trial, const train::Site& site,
                              const Compile& compile_engine = as_it_is);

std::vector<std::vector<float>> plain_parameters(const engine::Engine& engine);

}  // namespace lockstep::equivalence
