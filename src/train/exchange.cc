#include "train/exchange.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace lockstep::train {
namespace {

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
      for (const comm::Range range : comm::cut_into_chunks(bucket.range)) {
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
  windows_ = comm::share_windows(transport, counters, floats);
  mine_ = windows_[static_cast<std::size_t>(transport.rank())];
}

void Exchange::connect(comm::Keeper& keeper) {
  std::vector<comm::Program> programs = comm::compile_chunks(
      transport_.topology(), transport_.rank(), chunks_.size(), [&](std::size_t i, int rank) {
        const strategy::Chunk& chunk = chunks_[i];
        const bool tally = &chunk == &chunks_.back();
        return tally ? tally_exchange(site_, chunk.range, rank)
                     : site_.strategy->exchange(site_.ranks, chunk, rank);
      });
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
