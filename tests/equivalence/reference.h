#pragma once

#include <deque>
#include <span>
#include <vector>

#include "tests/equivalence/network.h"
#include "tests/equivalence/ranks.h"
#include "tests/equivalence/rule.h"

namespace lockstep::equivalence {

// What ranks in step are held to: one thread that runs their batches one after the other and
// executes their schedules with plain loops.
class Reference {
 public:
  explicit Reference(spec::Trial trial) : trial_(std::move(trial)) {}

  // The workers in the end. `chunks`: in which gradients travel.
  std::vector<Trained> train(const train::Site& site, std::span<const strategy::Chunk> chunks);

 private:
  void start(const train::Site& site);
  void exchange(const train::Site& site, const strategy::Chunk& chunk);

  const spec::Trial trial_;
  std::deque<Network> networks_;  // as many as the largest site needed so far
  std::deque<Rule> rules_;        // of this run, by rank
};

// Bit for bit: the workers, and a run of their site's on one thread.
void expect_same(const std::vector<Trained>& workers, const std::vector<Trained>& reference);

}  // namespace lockstep::equivalence
