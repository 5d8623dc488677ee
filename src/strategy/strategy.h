#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/program.h"
#include "spec/strategies.h"
#include "strategy/all_reduce_spec.h"

namespace lockstep::strategy {

// What happens between gradients and new weights, by the table of spec/strategies.h: a pure
// function says which exchange a rank takes part in for a chunk; everything else follows from that.

// A run of the flat parameter array that is exchanged in one go, and the rank that would keep it if
// parameters lived in one place only.
struct Chunk {
  comm::Range range;
  std::size_t bucket_elements = 0;  // of the bucket that it is part of
  int server = 0;
};

// Who takes part.
struct Site {
  comm::Topology topology;  // workers first, dedicated servers behind them
  int servers = 0;          // so many of the ranks, the last ones, train nothing
  AllReduceSpec all_reduce = parse_all_reduce_spec("auto");
  int self = 0;  // the rank that asks: servers that do not wait for all deal with it alone

  int workers() const { return topology.world() - servers; }
  bool trains(int rank) const { return rank < workers(); }
};

// The rank's part.
comm::Exchange exchange(const spec::StrategyRow& strategy, const Site& site, const Chunk& chunk,
                        int rank);

// Which all-reduce exchanges a bucket of this size, what `auto` stands for resolved: "ring",
// "owner#2", "vendor". Empty where there is none: the strategy does without, or there is one
// worker.
std::string all_reduce_taken(const spec::StrategyRow& strategy, const Site& site,
                             std::size_t elements);

// Gives every chunk its server, each time the one with the fewest bytes so far: dedicated ones
// where there are any, else all ranks.
void place_on_servers(std::span<Chunk> chunks, const Site& site);

}  // namespace lockstep::strategy
