#pragma once

#include <cstdint>

#include "comm/transport.h"
#include "model/zoo.h"
#include "spec/trial.h"
#include "train/exchange.h"

namespace lockstep::train {

// What a server has done.
struct Service {
  std::int64_t updates = 0;  // of chunks
  // Of gradients that it took while not waiting for all workers: updates of the chunk since the
  // worker had read it.
  std::int64_t gradients = 0;
  double staleness_sum = 0;
  std::int64_t staleness_max = 0;
  std::int64_t dropped = 0;  // gradients that came too late to count
  std::uint64_t bytes_sent = 0, bytes_received = 0;
};

// A rank that keeps parameters and trains nothing: takes part in the world's steps until they end,
// or, where workers do not wait for each other, answers each of them until all are done. Collective
// with train().
Service serve(const spec::Trial& trial, const model::Model& model, comm::Transport& transport,
              const Site& site);

}  // namespace lockstep::train
