#include "train/exchange.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "base/clock.h"
#include "comm/arithmetic.h"

namespace lockstep::train {
namespace {

std::vector<double> bucket_bytes(std::span<const Bucket> buckets) {
  std::vector<double> bytes;
  for (const Bucket& bucket : buckets) {
    bytes.push_back(static_cast<double>(bucket.range.size() * sizeof(float)));
  }
  return bytes;
}

// Everybody's to rank 0 and back.
comm::Exchange tally_exchange(const Site& site, comm::Range range, int rank) {
  if (!site.strategy->in_step)
    return {.collective = {.reduce = {}, .owned = {range}, .distribute = {}}};
  return {.collective = comm::tree(site.ranks.topology, rank, range, range.size())};
}

// Keeps the sums where the gradients were.
class Root : public comm::Keeper {
 public:
  explicit Root(std::span<float> gradients) : gradients_(gradients) {}

  double update(comm::Range range, const float* sums) override {
    if (sums != &gradients_[range.begin]) {
      std::copy_n(sums, range.size(), &gradients_[range.begin]);
    }
    return 0;
  }
  double received(comm::Range, const float*) override { return 0; }

 private:
  const std::span<float> gradients_;
};

// What a rank updates that no rank before it does.
std::vector<comm::Range> updated_first(std::span<const comm::Program> programs, int rank) {
  std::vector<comm::Range> ranges;
  for (const comm::Program& program : programs) {
    if (program.vendor && rank > 0) continue;  // everybody updates everything
    for (const comm::Operation& operation : program.operations) {
      if (operation.kind == comm::Operation::Kind::update) ranges.push_back(operation.range);
    }
  }
  return ranges;
}

}  // namespace

Exchange::Exchange(comm::Transport& transport, const Site& site, const Layout& layout,
                   const spec::Exchange& options, bool training)
    : Exchange(transport, site, layout, options,
               training ? buckets(layout.segments, options, kBucketBytes) : std::vector<Bucket>{}) {
}

Exchange::Exchange(comm::Transport& transport, const Site& site, const Layout& layout,
                   const spec::Exchange& options, std::span<const Bucket> buckets)
    : transport_(transport),
      site_(site),
      options_(options),
      completed_by_(layout.segments.size()),
      flights_(bucket_bytes(buckets), 2 * layout.segments.size() + 8),
      on_their_way_(buckets.size()) {
  const auto chunks = [&] { return static_cast<int>(chunks_.size()); };
  for (const Bucket& bucket : buckets) {
    buckets_.push_back({.first = chunks()});
    for (const comm::Range range : comm::cut_into_chunks(bucket.range)) {
      completed_by_[static_cast<std::size_t>(bucket.last_parameter)].push_back(chunks());
      chunks_.push_back({.range = range, .bucket_elements = bucket.range.size()});
    }
    buckets_.back().last = chunks();
  }
  for (const Layout::Segment& segment : layout.segments) {
    const comm::Range range{segment.offset, segment.offset + segment.size};
    const auto overlaps = [&](const strategy::Chunk& chunk) { return chunk.range.overlaps(range); };
    const auto first = std::ranges::find_if(chunks_, overlaps);
    const auto last = std::find_if_not(first, chunks_.end(), overlaps);
    holding_.push_back(
        {static_cast<int>(first - chunks_.begin()), static_cast<int>(last - chunks_.begin())});
  }
  place_on_servers(chunks_, site.ranks);
  const std::size_t floats = layout.floats + kTallyFloats;
  chunks_.push_back({.range = {layout.floats, floats}});

  map_windows(floats);
}

// A server that answers workers one by one has a window for each of them behind its own: what they
// see of it in place of that.
void Exchange::map_windows(std::size_t floats) {
  const std::size_t counters = 2 * chunks_.size();  // of broadcast_parameters, too
  const std::size_t bytes = (comm::window_bytes(counters, floats) + 4095) / 4096 * 4096;
  const int workers = site_.ranks.workers();
  const auto has_mailboxes = [&](int rank) {
    return site_.strategy->asynchronous && !site_.ranks.trains(rank);
  };
  const auto nth = [&](int rank, int index) {
    const std::span<std::byte> memory = transport_.memory_of(rank);
    if (memory.empty()) return comm::Window{};
    return comm::window(memory.subspan(static_cast<std::size_t>(index) * bytes), counters, floats,
                        rank + index);
  };
  const int me = transport_.rank();
  transport_.share(bytes * (has_mailboxes(me) ? static_cast<std::size_t>(1 + workers) : 1));
  for (int rank = 0; rank < transport_.world(); ++rank) {
    windows_.push_back(nth(rank, 0));
    comm::Window mailbox = windows_.back();
    if (has_mailboxes(me) && rank < workers) {
      mailbox = nth(me, 1 + rank);
    } else if (has_mailboxes(rank) && me < workers) {
      mailbox = nth(rank, 1 + me);
    }
    mailbox.bell = windows_.back().bell;
    mailboxes_.push_back(mailbox);
  }
  mine_ = windows_[static_cast<std::size_t>(me)];
}

void Exchange::connect(comm::Keeper& keeper) {
  strategy::Site ranks = site_.ranks;
  ranks.self = transport_.rank();
  std::vector<comm::Program> programs = comm::compile_chunks(
      transport_.topology(), transport_.rank(), chunks_.size(), [&](std::size_t i, int rank) {
        const strategy::Chunk& chunk = chunks_[i];
        if (i + 1 == chunks_.size()) return tally_exchange(site_, chunk.range, rank);
        return strategy::exchange(*site_.strategy, ranks, chunk, rank);
      });
  // The tally's floats are no gradients: they travel as they are.
  for (std::size_t i = 0; i + 1 < programs.size(); ++i) {
    programs[i].encoding = encoding();
  }
  updated_ = updated_first(std::span(programs).first(programs.size() - 1), transport_.rank());
  executor_ = std::make_unique<comm::Executor>(transport_, std::move(programs), mailboxes_, keeper,
                                               site_.spin);
}

void Exchange::broadcast_parameters() {
  round_trip();
}

void Exchange::gather(std::span<const float> kept) {
  LOCKSTEP_CHECK(landed_);
  executor_->settle();
  std::ranges::fill(mine_.gradients, 0.0F);
  for (const comm::Range range : updated_) {
    std::ranges::copy(kept.subspan(range.begin, range.size()), &mine_.gradients[range.begin]);
  }
  round_trip();
}

// Everybody's gradients to rank 0, whose gradients become the sums, and rank 0's parameters back.
// It has counters of its own, behind the chunks', which go on counting from trip to trip.
void Exchange::round_trip() {
  if (!round_trips_) {
    std::vector<comm::Window> windows = windows_;
    for (comm::Window& window : windows) {
      if (window.bell != nullptr) window.counters = window.counters.subspan(chunks_.size());
    }
    std::vector<comm::Program> programs = comm::compile_chunks(
        transport_.topology(), transport_.rank(), chunks_.size(), [&](std::size_t i, int rank) {
          const comm::Range range = chunks_[i].range;
          return comm::Exchange{.collective =
                                    comm::tree(site_.ranks.topology, rank, range, range.size())};
        });
    root_ = std::make_unique<Root>(mine_.gradients);
    round_trips_ = std::make_unique<comm::Executor>(transport_, std::move(programs),
                                                    std::move(windows), *root_, false);
  }
  round_trips_->begin();
  for (std::size_t i = 0; i < chunks_.size(); ++i) round_trips_->produced(static_cast<int>(i));
  round_trips_->finish();
  round_trips_->settle();
}

comm::Encoding Exchange::encoding() const {
  switch (options_.wire_precision) {
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

// Work that keeps the rank from computing.
template <typename Work>
void Exchange::idle(const Work& work) {
  const double begin = now();
  work();
  flights_.idle({begin, now()});
}

void Exchange::begin() {
  LOCKSTEP_CHECK(landed_);
  landed_ = false;
  executor_->begin();
}

void Exchange::before_gradients() {
  executor_->settle();
}

void Exchange::completed(int parameter) {
  for (const int chunk : completed_by_[static_cast<std::size_t>(parameter)]) {
    if (!stale_.empty()) {
      const comm::Range range = chunks_[static_cast<std::size_t>(chunk)].range;
      comm::copy(&stale_[range.begin], &mine_.parameters[range.begin], range.size());
    }
    executor_->produced(chunk);
  }
  idle([&] { executor_->progress(); });
}

void Exchange::all_completed() {
  for (std::size_t i = 0; i < completed_by_.size(); ++i) completed(static_cast<int>(i));
}

Tally Exchange::finish(const Tally& mine) {
  const comm::Range range = chunks_.back().range;
  using Floats = std::array<float, sizeof(Tally) / sizeof(float)>;
  std::ranges::copy(std::bit_cast<Floats>(mine), &mine_.gradients[range.begin]);
  const int tally = static_cast<int>(chunks_.size()) - 1;
  executor_->produced(tally);
  idle([&] { executor_->await(tally); });
  Floats sums{};
  std::copy_n(&mine_.parameters[range.begin], sums.size(), sums.begin());
  return std::bit_cast<Tally>(sums);
}

void Exchange::need(int parameter) {
  if (landed_) return;
  const Span& chunks = holding_[static_cast<std::size_t>(parameter)];
  idle([&] {
    for (int chunk = chunks.first; chunk < chunks.last; ++chunk) executor_->await(chunk);
  });
}

void Exchange::land() {
  if (landed_) return;
  idle([&] { executor_->finish(); });
  landed_ = true;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    Interval& flight = on_their_way_[i];
    flight = {executor_->produced_at(buckets_[i].first), 0};
    for (int chunk = buckets_[i].first; chunk < buckets_[i].last; ++chunk) {
      flight.end = std::max(flight.end, executor_->done_at(chunk));
    }
  }
  flights_.land(on_their_way_, executor_->waited());
}

}  // namespace lockstep::train
