#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "comm/schedule.h"

namespace lockstep::comm {

// Where the ranks are.
struct Topology {
  std::vector<int> host_of;  // of every rank; hosts count from 0

  int world() const { return static_cast<int>(host_of.size()); }
  bool same_host(int rank, int other) const { return host_of[rank] == host_of[other]; }
};

// An all-reduce on one rank, in two halves. Behind `reduce`, the ranges that a rank owns hold the
// sums over all ranks; every element is owned by exactly one rank. `distribute` carries owned
// ranges to everybody. Run on one array they make an all-reduce; with the update of owned
// parameters in between, `reduce` on gradients and `distribute` on parameters make a step of
// training; alone they are reduce-scatter and all-gather.
struct Collective {
  Schedule reduce;
  std::vector<Range> owned;  // ascending, apart, not empty
  Schedule distribute;       // its rounds count from 0 again
  // Within a host, who sends in `distribute` writes into the receiver's memory, on all ranks. That
  // pays where all send as much: behind its update, a range need not be read again to be sent.
  bool pushes = false;
};

// A grain that makes shares begin on cache lines where their range does.
inline constexpr std::size_t kLineGrain = 16;

// Boundaries between ranks' shares of a range fall on multiples of `grain` elements from its begin.
using Algorithm = Collective(const Topology& topology, int rank, Range range, std::size_t grain);

Algorithm ring;              // neighbours only; 2 (n - 1) rounds of 1/n of the range
Algorithm halving_doubling;  // 2 log2 n rounds; any world
Algorithm tree;              // binomial, to rank 0 and back: few rounds, whole ranges
Algorithm direct;            // everybody to each owner at once: for ranks that share memory
Algorithm hierarchical;      // direct within hosts, ring between them
Algorithm owner;             // to_owner: everybody contributes, rank 0 owns

// All of the range to one owner, who may be a rank that contributes nothing (a server), and back to
// all contributors: what a parameter server does.
Collective to_owner(std::span<const int> contributors, int server, int rank, Range range);

// What a schedule moves between this rank and others, in elements.
struct Traffic {
  std::size_t sent = 0, received = 0;

  bool operator==(const Traffic&) const = default;
};
Traffic traffic(const Schedule& schedule);
// The moves of `rank` that go over a wire: their peers are on other hosts.
Schedule between_hosts(const Topology& topology, int rank, const Schedule& schedule);

struct AlgorithmRow {
  std::string_view name;
  Algorithm* make;
  bool one_owner = false;  // of everything: which rank that is, the caller may choose (to_owner)
  bool by_host = false;    // differs from others only where hosts have several ranks
  std::string_view summary;
};
std::span<const AlgorithmRow> algorithms();

}  // namespace lockstep::comm
