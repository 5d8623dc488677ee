#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/executor.h"
#include "strategy/strategy.h"
#include "train/buckets.h"
#include "train/layout.h"
#include "train/tally.h"

namespace lockstep::train {

// What ranks agree on before the first step.
struct Site {
  strategy::Site ranks;
  const strategy::StrategyRow* strategy = nullptr;
  // Servers that do not wait for all workers update as soon as they have so many fresh gradients,
  // or, with 1, any. 0: servers wait for all of them, as schedules have it.
  int quorum = 0;
  bool spin = true;  // every thread has a core of its own
};

// One rank's memory and its part in the exchange: parameters and gradients where peers of the host
// see them, cut into chunks that travel as soon as backward has completed them.
class Exchange {
 public:
  // Collective: takes the memory. `training`: gradients are exchanged, not the tally alone.
  Exchange(comm::Transport& transport, const Site& site, const Layout& layout,
           const spec::Exchange& options, bool training);

  std::span<float> parameters() const { return mine_.parameters; }  // the tally's behind them
  std::span<float> gradients() const { return mine_.gradients; }

  // Behind the constructor and the keeper's, once; then steps can come.
  void connect(comm::Keeper& keeper);
  // The network reads `stale` in place of the parameters, which stays one step behind them.
  void stage(std::span<float> stale) { stale_ = stale; }
  // Collective: everybody takes rank 0's parameters.
  void broadcast_parameters();

  // What a server without a schedule deals with: the windows of workers (empty: on another host),
  // and its own window for each of them, where gradients from other hosts and answers go.
  const comm::Window& worker(int rank) const { return windows_[static_cast<std::size_t>(rank)]; }
  const comm::Window& mailbox(int rank) const { return mailboxes_[static_cast<std::size_t>(rank)]; }
  const comm::Window& mine() const { return mine_; }

  // A step, in this order:
  void begin();
  void before_gradients();
  void completed(int parameter);    // by backward
  void all_completed();             // of a rank that has no backward
  Tally finish(const Tally& mine);  // the sums over all ranks

  const comm::Executor& executor() const { return *executor_; }
  std::span<const strategy::Chunk> chunks() const { return chunks_; }

 private:
  void map_windows(std::size_t floats);

  comm::Transport& transport_;
  const Site site_;
  const spec::Exchange options_;
  std::vector<strategy::Chunk> chunks_;         // the tally's last
  std::vector<std::vector<int>> completed_by_;  // by parameter: chunks
  std::vector<comm::Window> windows_;
  std::vector<comm::Window> mailboxes_;  // of a server: by worker; of a worker: by server
  comm::Window mine_;
  std::span<float> stale_;
  std::unique_ptr<comm::Executor> executor_;
};

}  // namespace lockstep::train
