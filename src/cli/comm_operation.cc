#include "cli/comm_operation.h"

#include <algorithm>
#include <iterator>

#include "comm/executor.h"

namespace lockstep::cli {
namespace {

struct Chunk {
  comm::Range range;
  comm::Algorithm* algorithm;  // its bucket's

  comm::Collective whole(const comm::Topology& topology, int rank) const {
    return algorithm(topology, rank, range, comm::kLineGrain);
  }
};

std::vector<Chunk> chunks_of(const CommPlan& plan) {
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < plan.buckets.size(); ++i) {
    for (const comm::Range range : comm::cut_into_chunks(plan.buckets[i])) {
      chunks.push_back({range, plan.algorithms[i]});
    }
  }
  return chunks;
}

// The half of an all-reduce that the kind is, or both. Nothing happens to sums in between, so
// nothing is owned.
comm::Exchange part(comm::Collective collective, CommKind kind) {
  if (kind == CommKind::reduce_scatter) collective.distribute.clear();
  if (kind == CommKind::all_gather) collective.reduce.clear();
  collective.owned.clear();
  return {.collective = std::move(collective)};
}

std::vector<comm::Program> programs(const comm::Transport& transport, CommKind kind,
                                    std::span<const Chunk> chunks) {
  return comm::compile_chunks(transport.topology(), transport.rank(), chunks.size(),
                              [&](std::size_t i, int rank) {
                                return part(chunks[i].whole(transport.topology(), rank), kind);
                              });
}

std::vector<comm::Window> in_place(std::span<const comm::Window> arrays) {
  std::vector<comm::Window> windows(arrays.begin(), arrays.end());
  for (comm::Window& window : windows) window.parameters = window.gradients;
  return windows;
}

class ScheduledOperation : public CommOperation {
 public:
  ScheduledOperation(comm::Transport& transport, std::span<const comm::Window> arrays,
                     const CommPlan& plan, std::span<const Chunk> chunks)
      : chunks_(static_cast<int>(chunks.size())),
        executor_(transport, programs(transport, plan.kind, chunks), in_place(arrays), keeper_,
                  plan.spin) {}

  void run() override {
    executor_.begin();
    executor_.settle();
    for (int chunk = 0; chunk < chunks_; ++chunk) executor_.produced(chunk);
    executor_.finish();
  }
  void settle() override { executor_.settle(); }

 private:
  struct NothingToKeep : comm::Keeper {
    double update(comm::Range, const float*) override { return 0; }
    double received(comm::Range, const float*) override { return 0; }
  };

  const int chunks_;
  NothingToKeep keeper_;
  comm::Executor executor_;
};

class VendorOperation : public CommOperation {
 public:
  VendorOperation(comm::VendorAllReduce& vendor, std::span<float> data, const Buckets& buckets)
      : vendor_(vendor), data_(data), buckets_(buckets) {}

  void run() override {
    for (const comm::Range bucket : buckets_) {
      vendor_.all_reduce(data_.subspan(bucket.begin, bucket.size()));
    }
  }
  void settle() override {}

 private:
  comm::VendorAllReduce& vendor_;
  const std::span<float> data_;
  const Buckets buckets_;
};

struct Room {
  std::size_t chunks = 0, floats = 0;
};

Room room_for(std::span<const Buckets> cases) {
  Room room;
  for (const Buckets& buckets : cases) {
    std::size_t chunks = 0;
    for (const comm::Range bucket : buckets) {
      chunks += comm::cut_into_chunks(bucket).size();
      room.floats = std::max(room.floats, bucket.end);
    }
    room.chunks = std::max(room.chunks, chunks);
  }
  return room;
}

}  // namespace

std::size_t floats_in(const Buckets& buckets) {
  std::size_t floats = 0;
  for (const comm::Range bucket : buckets) floats += bucket.size();
  return floats;
}

CommMemory memory_of(std::span<const Buckets> cases) {
  const Room room = room_for(cases);
  const std::size_t shared = comm::window_bytes(room.chunks, room.floats);
  return {.used = shared - room.floats * sizeof(float), .shared = shared};
}

std::vector<comm::Window> share_arrays(comm::Transport& transport, std::span<const Buckets> cases) {
  const Room room = room_for(cases);
  return comm::share_windows(transport, room.chunks, room.floats);
}

std::vector<comm::Range> owned_ranges(const comm::Topology& topology, int rank,
                                      const CommPlan& plan) {
  std::vector<comm::Range> owned;
  for (const Chunk& chunk : chunks_of(plan)) {
    std::ranges::copy(chunk.whole(topology, rank).owned, std::back_inserter(owned));
  }
  return owned;
}

std::unique_ptr<CommOperation> start_operation(comm::Transport& transport,
                                               std::span<const comm::Window> arrays,
                                               const CommPlan& plan) {
  const comm::Window& mine = arrays[static_cast<std::size_t>(transport.rank())];
  if (plan.algorithms.empty()) {
    return std::make_unique<VendorOperation>(*transport.vendor(), mine.gradients, plan.buckets);
  }
  transport.barrier();  // nobody waits for a counter any more
  for (comm::Counter& counter : mine.counters) counter.value = 0;
  transport.barrier();
  return std::make_unique<ScheduledOperation>(transport, arrays, plan, chunks_of(plan));
}

}  // namespace lockstep::cli
