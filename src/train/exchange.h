#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/executor.h"
#include "strategy/strategy.h"
#include "train/buckets.h"
#include "train/flight_log.h"
#include "train/layout.h"
#include "train/tally.h"

namespace lockstep::train {

// What ranks agree on before the first step.
struct Site {
  strategy::Site ranks;
  const spec::StrategyRow* strategy = nullptr;
  // Asynchronous strategies only: servers update as soon as they have this many gradients.
  int quorum = 0;
  bool drops_late = false;  // gradients of parameters that have been updated since do not count
  bool spin = true;         // every thread has a core of its own
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
  // Both collective, between two steps that have landed. Everybody takes rank 0's parameters:
  void broadcast_parameters();
  // Rank 0's gradients become what the rank that updates a parameter keeps of it. `kept`: an array
  // like the parameters, of which the elements count that this rank updates.
  void gather(std::span<const float> kept);

  // What a server without a schedule deals with: the windows of workers (empty: on another host),
  // and its own window for each of them, where gradients from other hosts and answers go.
  const comm::Window& worker(int rank) const { return windows_[static_cast<std::size_t>(rank)]; }
  const comm::Window& mailbox(int rank) const { return mailboxes_[static_cast<std::size_t>(rank)]; }
  const comm::Window& mine() const { return mine_; }
  comm::Encoding encoding() const;  // of gradients between hosts

  // A step, in this order:
  void begin();
  void before_gradients();
  void completed(int parameter);  // by backward
  void all_completed();           // of a rank that has no backward
  // The sums over all ranks. Parameters may still be on their way, behind the next forward:
  Tally finish(const Tally& mine);
  void need(int parameter);  // until it is here
  void land();               // until all are

  comm::ExchangeTimes take_times() { return executor_->take_times(); }
  void restart_flights() { flights_.restart(); }
  record::Flight flight() const { return flights_.mean(); }
  const comm::Executor& executor() const { return *executor_; }
  std::span<const strategy::Chunk> chunks() const { return chunks_; }

 private:
  // Chunks [first, last) of a bucket.
  struct Span {
    int first = 0, last = 0;
  };

  Exchange(comm::Transport& transport, const Site& site, const Layout& layout,
           const spec::Exchange& options, std::span<const Bucket> buckets);
  void map_windows(std::size_t floats);
  void round_trip();
  template <typename Work>
  void idle(const Work& work);

  comm::Transport& transport_;
  const Site site_;
  const spec::Exchange options_;
  std::vector<strategy::Chunk> chunks_;         // the tally's last
  std::vector<std::vector<int>> completed_by_;  // by parameter: chunks
  std::vector<Span> holding_;                   // by parameter: chunks that it lies in
  std::vector<Span> buckets_;
  FlightLog flights_;
  std::vector<Interval> on_their_way_;  // by bucket, of a step
  bool landed_ = true;
  std::vector<comm::Window> windows_;
  std::vector<comm::Window> mailboxes_;  // of a server: by worker; of a worker: by server
  comm::Window mine_;
  std::span<float> stale_;
  std::vector<comm::Range> updated_;  // by this rank, and by none before it
  std::unique_ptr<comm::Executor> executor_;
  std::unique_ptr<comm::Keeper> root_;
  std::unique_ptr<comm::Executor> round_trips_;
};

}  // namespace lockstep::train
