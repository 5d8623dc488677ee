#include "train/exchange.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace lockstep::train {
namespace {

// A chunk is what one program moves: small enough that its first half can be on its way back while
// the second is summed, large enough that waiting is cheap beside moving.
constexpr std::size_t kChunkFloats = std::size_t{256} << 10;
constexpr std::size_t kBucketBytes = std::size_t{1} << 20;

int parts(std::size_t floats) {
  return static_cast<int>((floats + kChunkFloats - 1) / kChunkFloats);
}

comm::Encoding encoding(spec::WirePrecision precision) {
  switch (precision) {
    case spec::WirePrecision::fp32:
      return comm::Encoding::fp32;
    case spec::WirePrecision::fp16:
      return comm::Encoding::fp16;
    case spec::WirePrecision::bf16:
      return comm::Encoding::bf16;
  }
  LOCKSTEP_CHECK(false);
  return {};
}

// Everybody's to rank 0 and back.
comm::Exchange tally_exchange(const Site& site, comm::Range range, int rank) {
  if (!site.strategy->in_step)
    return {.collective = {.reduce = {}, .owned = {range}, .distribute = {}}};
  return {.collective = comm::tree(site.ranks.topology, rank, range, range.size())};
}

}  // namespace

Exchange::Exchange(comm::Transport& transport, const Site& site, const Layout& layout,
                   const spec::Exchange& options, bool training)
    : transport_(transport), site_(site), options_(options), completed_by_(layout.segments.size()) {
  if (training) {
    for (const Bucket& bucket : buckets(layout.segments, options, kBucketBytes)) {
      for (const comm::Range range : split(bucket.range, parts(bucket.range.size()), 16)) {
        completed_by_[static_cast<std::size_t>(bucket.last_parameter)].push_back(
            static_cast<int>(chunks_.size()));
        chunks_.push_back({.range = range});
      }
    }
  }
  place_on_servers(chunks_, site.ranks);
  const std::size_t floats = layout.floats + kTallyFloats;
  chunks_.push_back({.range = {layout.floats, floats}});

  const std::size_t counters = 2 * chunks_.size();  // of broadcast_parameters, too
  transport.share(comm::window_bytes(counters, floats));
  for (int rank = 0; rank < transport.world(); ++rank) {
    const std::span<std::byte> memory = transport.memory_of(rank);
    windows_.push_back(memory.empty() ? comm::Window{}
                                      : comm::window(memory, counters, floats, rank));
  }
  mine_ = windows_[static_cast<std::size_t>(transport.rank())];
}

void Exchange::connect(comm::Keeper& keeper) {
  std::vector<comm::Program> programs;
  for (const strategy::Chunk& chunk : chunks_) {
    const bool tally = &chunk == &chunks_.back();
    std::vector<comm::Exchange> all;
    for (int rank = 0; rank < transport_.world(); ++rank) {
      all.push_back(tally ? tally_exchange(site_, chunk.range, rank)
                          : site_.strategy->exchange(site_.ranks, chunk, rank));
    }
    programs.push_back(comm::compile(
        transport_.topology(), transport_.rank(),
        [&](int rank) -> const comm::Exchange& { return all[static_cast<std::size_t>(rank)]; }));
  }
  executor_ = std::make_unique<comm::Executor>(transport_, std::move(programs), windows_, keeper,
                                               site_.spin, encoding(options_.wire_precision));
}

void Exchange::begin() {
  executor_->begin();
}

void Exchange::before_gradients() {
  executor_->settle();
}

void Exchange::completed(int parameter) {
  for (const int chunk : completed_by_[static_cast<std::size_t>(parameter)]) {
    executor_->produced(chunk);
  }
  executor_->progress();
}

void Exchange::all_completed() {
  for (std::size_t i = 0; i < completed_by_.size(); ++i) completed(static_cast<int>(i));
}

Tally Exchange::finish(const Tally& mine) {
  const comm::Range range = chunks_.back().range;
  using Floats = std::array<float, sizeof(Tally) / sizeof(float)>;
  std::ranges::copy(std::bit_cast<Floats>(mine), &mine_.gradients[range.begin]);
  executor_->produced(static_cast<int>(chunks_.size()) - 1);
  executor_->finish();
  Floats sums{};
  std::copy_n(&mine_.parameters[range.begin], sums.size(), sums.begin());
  return std::bit_cast<Tally>(sums);
}

}  // namespace lockstep::train
