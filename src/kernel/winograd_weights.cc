#include "kernel/winograd_weights.h"

#include "kernel/parallel.h"

namespace lockstep::kernel::winograd {
namespace {

// Input channels that meet the same gradients while these are in the nearest cache.
constexpr int kChannels = 16;

// Floats of sums: up to here every thread keeps some for tiles of its own.
constexpr Distance kPrivateSums = 1'500'000;
// Tiles that are multiplied at once, and tiles so few that they are better not divided at all. The
// transforms of lines are so small that a part is one that the nearest cache holds at one position.
constexpr int kTilesOfPart = 96;
constexpr int kTilesOfOnePart = 192;

// Blocks of filters in groups of three; four are two groups of two.
struct FilterGroups {
  int blocks;

  int count() const { return (blocks + kFiltersAtOnce - 1) / kFiltersAtOnce; }
  Range at(int group) const {
    const int last_two = count() - 2;
    if (blocks % kFiltersAtOnce == 1 && last_two >= 0 && group >= last_two) {
      const int first = last_two * kFiltersAtOnce + (group - last_two) * 2;
      return {first, first + 2};
    }
    const int first = group * kFiltersAtOnce;
    return {first, std::min(blocks, first + kFiltersAtOnce)};
  }
};

// How the work is dealt out, and where in the scratch memory what lies.
struct Plan {
  explicit Plan(const Correlation& c)
      : tiling(c.dy, c.form.tile),
        lanes(c.x.lanes),
        filter_block(c.form.taps.area() * lanes * lanes),
        channel_blocks(kChannels / lanes),
        channel_groups((c.x.blocks + channel_blocks - 1) / channel_blocks),
        filter_groups{c.dy.blocks},
        position_sums(Distance{kChannels} * kFiltersAtOnce * lanes),
        group_sums(c.form.positions() * position_sums),
        sums(skewed(Distance{channel_groups} * filter_groups.count() * group_sums)),
        by_tiles(sums <= kPrivateSums),
        workers(std::min(c.threads, tiling.count())),
        part(tiles_of_part(c.form)),
        position(skewed(Distance{part} * lanes)),
        block(skewed(c.form.positions() * position)),
        v_size(c.x.blocks * block),
        w_size(c.dy.blocks * block) {}

  int tiles_of_part(const Form& form) const {
    const int all = by_tiles ? (tiling.count() + workers - 1) / workers : tiling.count();
    const bool one = by_tiles ? form.is_line() : all <= kTilesOfOnePart;
    return even_size(all, one ? kTilesOfOnePart : alike(kTilesOfPart, form), kTilesTogether);
  }
  Distance at(int channel_group, int filter_group) const {
    return (Distance{channel_group} * filter_groups.count() + filter_group) * group_sums;
  }
  // Without tiles to come, sums need not be remembered.
  bool one_part() const { return tiling.count() <= part; }
  // Where the next part's are made while this one's are needed.
  int w_parts() const { return by_tiles || one_part() ? 1 : 2; }

  Tiling tiling;
  int lanes;           // of a vector, and channels of a block
  int filter_block;    // floats of the filters of a block by a block
  int channel_blocks;  // of a group
  int channel_groups;
  FilterGroups filter_groups;
  // Of one group of channels by one of filters, at one position and at all; and of all groups.
  Distance position_sums, group_sums, sums;
  bool by_tiles;  // threads divide the tiles, with sums of their own; else the channels
  int workers;    // that have tiles of their own
  int part;       // tiles that go through a step together
  Distance position, block, v_size, w_size;
};

class Run {
 public:
  Run(const Steps& steps, const Correlation& correlation, const float* x, const float* dy,
      float* d_filters, float* d_bias)
      : steps_(steps),
        c_(correlation),
        plan_(correlation),
        x_(x),
        dy_(dy),
        d_filters_(d_filters),
        d_bias_(d_bias) {}

  void operator()(float* scratch) const {
    if (plan_.by_tiles) {
      by_tiles(scratch);
    } else {
      by_channels(scratch);
    }
  }

 private:
  // Each worker takes tiles of its own through all steps; their sums are added in its order.
  void by_tiles(float* scratch) const {
    const Distance own = plan_.sums + plan_.v_size + plan_.w_size + bias_size();
    parallel_each(plan_.workers, [&](int t) {
      float* const m = scratch + t * skewed(own);
      float* const v = m + plan_.sums;
      float* const w = v + plan_.v_size;
      float* const bias = w + plan_.w_size;
      const Parts parts{share(plan_.tiling.count(), t, plan_.workers), plan_.part};
      for (int part = 0; part < parts.count(); ++part) {
        const Range tiles = parts.at(part);
        const bool first = part == 0;
        transform_inputs(tiles, {0, c_.x.blocks}, v);
        transform_gradients(tiles, {0, c_.dy.blocks}, w);
        sum_biases(tiles, {0, c_.dy.blocks}, w, bias, first);
        for (int c = 0; c < plan_.channel_groups; ++c) {
          for (int f = 0; f < plan_.filter_groups.count(); ++f) {
            multiply(tiles, c, f, v, w, m + plan_.at(c, f), first);
          }
        }
      }
    });
    parallel_each(c_.threads, [&](int t) {
      const Range channels = share(plan_.channel_groups, t, c_.threads);
      for (int c = channels.first; c < channels.end; ++c) {
        for (int f = 0; f < plan_.filter_groups.count(); ++f) {
          float* const sums = scratch + plan_.at(c, f);
          for (int other = 1; other < plan_.workers; ++other) {
            add(sums + other * skewed(own), plan_.group_sums, sums);
          }
          make_filters(c, f, sums);
        }
      }
    });
    if (d_bias_ == nullptr) return;
    const float* const bias = scratch + plan_.sums + plan_.v_size + plan_.w_size;
    std::copy_n(bias, bias_size(), d_bias_);
    for (int t = 1; t < plan_.workers; ++t) add(bias + t * skewed(own), bias_size(), d_bias_);
  }

  // Each thread makes sums for channels of its own. What all need, the gradients, is transformed
  // one part ahead: who is ready first goes on with the next part, and threads meet but once for
  // each.
  void by_channels(float* scratch) const {
    float* const v = scratch;
    float* const w = v + plan_.v_size;
    float* const sums = w + plan_.w_parts() * plan_.w_size;
    const Parts parts{{0, plan_.tiling.count()}, plan_.part};
    const auto w_of = [&](int part) { return w + part % 2 * plan_.w_size; };
    const auto transform = [&](int part, int t) {
      const Range tiles = parts.at(part);
      const Range groups = share(plan_.channel_groups, t, c_.threads);
      const Range channels = {channel_blocks(groups.first).first, channel_blocks(groups.end).first};
      const Range filters = share(c_.dy.blocks, t, c_.threads);
      transform_inputs(tiles, channels, v);
      transform_gradients(tiles, filters, w_of(part));
      if (d_bias_ != nullptr) sum_biases(tiles, filters, w_of(part), d_bias_, part == 0);
    };
    parallel_each(c_.threads, [&](int t) { transform(0, t); });
    for (int part = 0; part < parts.count(); ++part) {
      const bool last = part + 1 == parts.count();
      parallel_each(c_.threads, [&](int t) {
        const Range channels = share(plan_.channel_groups, t, c_.threads);
        for (int c = channels.first; c < channels.end; ++c) {
          for (int f = 0; f < plan_.filter_groups.count(); ++f) {
            float* const m = sums + (plan_.one_part() ? t * plan_.group_sums : plan_.at(c, f));
            multiply(parts.at(part), c, f, v, w_of(part), m, part == 0);
            if (last) make_filters(c, f, m);
          }
        }
        if (!last) transform(part + 1, t);
      });
    }
  }

  Distance bias_size() const { return Distance{c_.dy.blocks} * plan_.lanes; }

  static void add(const float* from, Distance floats, float* to) {
    for (Distance i = 0; i < floats; ++i) to[i] += from[i];
  }

  static int padded(int tiles) {
    return (tiles + kTilesTogether - 1) / kTilesTogether * kTilesTogether;
  }

  // Of vectors, v: [block of channels][position][tile]
  void transform_inputs(Range tiles, Range blocks, float* v) const {
    for_each_window(x_, c_.x, plan_.tiling, tiles, blocks, c_.top, c_.form.window.h,
                    [&](const float* plane, const Tile& tile, int block, int i) {
                      steps_.input(plane, c_.x.size, tile.top - c_.top, tile.left - c_.left,
                                   v + block * plan_.block + i * plan_.lanes, plan_.position);
                    });
    pad_tiles(tiles, blocks, v);
  }

  // Of vectors, w: [block of filters][position][tile]
  void transform_gradients(Range tiles, Range blocks, float* w) const {
    for_each_window(dy_, c_.dy, plan_.tiling, tiles, blocks, 0, plan_.tiling.tile().h,
                    [&](const float* plane, const Tile& tile, int block, int i) {
                      steps_.gradient(plane, c_.dy.size, tile.top, tile.left,
                                      w + block * plan_.block + i * plan_.lanes, plan_.position);
                    });
    pad_tiles(tiles, blocks, w);
  }

  void pad_tiles(Range tiles, Range blocks, float* transformed) const {
    for (int block = blocks.first; block < blocks.end; ++block) {
      for (int p = 0; p < c_.form.positions(); ++p) {
        float* const at = transformed + block * plan_.block + p * plan_.position;
        std::fill(at + tiles.count() * plan_.lanes, at + padded(tiles.count()) * plan_.lanes, 0.0F);
      }
    }
  }

  void sum_biases(Range tiles, Range blocks, const float* w, float* bias, bool first) const {
    for (int block = blocks.first; block < blocks.end; ++block) {
      const float* const of_tiles =
          w + block * plan_.block + c_.form.sum_of_tile() * plan_.position;
      float* const sum = bias + block * plan_.lanes;
      if (first) std::fill_n(sum, plan_.lanes, 0.0F);
      for (int i = 0; i < tiles.count(); ++i) add(of_tiles + i * plan_.lanes, plan_.lanes, sum);
    }
  }

  Range channel_blocks(int channel_group) const {
    const int first = std::min(c_.x.blocks, channel_group * plan_.channel_blocks);
    return {first, std::min(c_.x.blocks, first + plan_.channel_blocks)};
  }

  void multiply(Range tiles, int channel_group, int filter_group, const float* v, const float* w,
                float* m, bool first) const {
    const Range channels = channel_blocks(channel_group);
    const Range filters = plan_.filter_groups.at(filter_group);
    for (int p = 0; p < c_.form.positions(); ++p) {
      const Distance position = p * plan_.position;
      steps_.gradient_product(padded(tiles.count()), channels.count(), filters.count(),
                              v + channels.first * plan_.block + position,
                              w + filters.first * plan_.block + position, plan_.block,
                              m + p * plan_.position_sums, !first);
    }
  }

  void make_filters(int channel_group, int filter_group, const float* m) const {
    const Range channels = channel_blocks(channel_group);
    const Range filters = plan_.filter_groups.at(filter_group);
    const int lanes = plan_.lanes;
    for (int c = 0; c < channels.count() * lanes; ++c) {
      for (int f = 0; f < filters.count(); ++f) {
        const Distance block =
            Distance{filters.first + f} * c_.x.blocks + channels.first + c / lanes;
        steps_.filter_gradient(m + (c * kFiltersAtOnce + f) * lanes, plan_.position_sums,
                               d_filters_ + block * plan_.filter_block + c % lanes * lanes,
                               lanes * lanes);
      }
    }
  }

  const Steps& steps_;
  const Correlation& c_;
  const Plan plan_;
  const float* x_;
  const float* dy_;
  float* d_filters_;
  float* d_bias_;
};

}  // namespace

Distance scratch_floats(const Correlation& c) {
  const Plan plan(c);
  const Distance transforms = plan.v_size + plan.w_parts() * plan.w_size;
  if (plan.by_tiles)
    return plan.workers * skewed(plan.sums + transforms + Distance{c.dy.blocks} * plan.lanes);
  return transforms + (plan.one_part() ? c.threads * plan.group_sums : plan.sums);
}

void correlate(const Steps& steps, const Correlation& correlation, const float* x, const float* dy,
               float* d_filters, float* d_bias, float* scratch) {
  Run(steps, correlation, x, dy, d_filters, d_bias)(scratch);
}

}  // namespace lockstep::kernel::winograd
