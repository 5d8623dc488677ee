#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "comm/transport.h"
#include "comm/window.h"

namespace lockstep::cli {

// A collective by itself, on one array per rank and in place.
enum class CommKind : std::uint8_t { all_reduce, reduce_scatter, all_gather };
inline constexpr std::string_view kCommKinds[] = {"all_reduce", "reduce_scatter", "all_gather"};

// What is exchanged in one go: ranges of the array, each in chunks of its own.
using Buckets = std::vector<comm::Range>;

std::size_t floats_in(const Buckets& buckets);

// What share_arrays takes for a rank: twice the array, of which operations in place use one half.
// Threads take only what they use; processes, which share large pages, take all (comm/host_memory).
struct CommMemory {
  std::size_t used = 0, shared = 0;
};
CommMemory memory_of(std::span<const Buckets> cases);

// Collective, once per transport: arrays with room for each of `cases`, one after the other. By
// rank; empty for those of other hosts.
std::vector<comm::Window> share_arrays(comm::Transport& transport, std::span<const Buckets> cases);

struct CommPlan {
  CommKind kind = CommKind::all_reduce;
  Buckets buckets = {};
  std::vector<comm::Algorithm*> algorithms = {};  // by bucket; empty: the vendor's, an all_reduce
  bool spin = true;                               // see comm::Executor
};

// The ranges of the array whose sums a rank has behind a reduce_scatter, or that it has before an
// all_gather.
std::vector<comm::Range> owned_ranges(const comm::Topology& topology, int rank,
                                      const CommPlan& plan);

// One rank's part in a collective operation that is run again and again.
class CommOperation {
 public:
  virtual ~CommOperation() = default;
  // Returns with this rank's results in its array; peers may still read them there.
  virtual void run() = 0;
  // Returns when they do not: before the rank writes to its array.
  virtual void settle() = 0;
};

// Collective. A rank has one operation of these at a time, and its peers the same one.
std::unique_ptr<CommOperation> start_operation(comm::Transport& transport,
                                               std::span<const comm::Window> arrays,
                                               const CommPlan& plan);

}  // namespace lockstep::cli
