#include "kernel/winograd_convolve.h"

#include <atomic>

#include "kernel/parallel.h"

namespace lockstep::kernel::winograd {
namespace {

// Floats of transformed filters: up to here they stay in the last cache while all tiles pass by.
// More are better made again for each of a few large parts of the tiles, if these are few.
constexpr Distance kCachedFilters = 1'500'000;
constexpr int kFewTiles = 512;
// Tiles, and tiles that are lines, whose transforms fill a core's own cache; and tiles whose
// transforms fill the one that all cores share.
constexpr int kTilesOfOwnPart = 4 * kTilesAtOnce;
constexpr int kLinesOfOwnPart = 12 * kTilesAtOnce;
constexpr int kTilesOfSharedPart = 24 * kTilesAtOnce;
// Floats of outputs: more will not be found in a cache by who reads them next.
constexpr Distance kStreamedOutput = 4'000'000;
// Smaller tiles would stream halves of cache lines.
constexpr int kStreamedTile = 4;

// How the work is dealt out, and where in the scratch memory what lies.
struct Plan {
  explicit Plan(const Convolution& c)
      : tiling(c.out, c.form.tile),
        lanes(c.in.lanes),
        filter_block(c.form.taps.area() * lanes * lanes),
        groups((c.out.blocks + kOutputsAtOnce - 1) / kOutputsAtOnce),
        u_position(skewed(Distance{c.in.blocks} * lanes * kOutputsAtOnce * lanes)),
        u_group(c.form.positions() * u_position),
        by_outputs(groups * u_group > kCachedFilters && tiling.count() <= alike(kFewTiles, c.form)),
        part(tiles_of_part(c.form)),
        v_position(skewed(Distance{part} * c.in.blocks * lanes)),
        m_position(skewed(Distance{part} * kOutputsAtOnce * lanes)),
        v_size(skewed(c.form.positions() * v_position)),
        m_size(skewed(c.form.positions() * m_position)) {}

  int tiles_of_part(const Form& form) const {
    if (by_outputs) return even_size(tiling.count(), alike(kTilesOfSharedPart, form), kTilesAtOnce);
    return form.is_line() ? kLinesOfOwnPart : kTilesOfOwnPart;
  }

  Tiling tiling;
  int lanes;         // of a vector, and channels of a block
  int filter_block;  // floats of the filters of a block by a block
  int groups;        // of output channels that are computed together
  Distance u_position, u_group;
  bool by_outputs;  // threads share the tiles' transforms and divide the outputs; else the tiles
  int part;         // tiles that go through a step together
  Distance v_position, m_position, v_size, m_size;
};

class Run {
 public:
  Run(const Steps& steps, const Convolution& convolution, const float* x, const float* filters,
      const Ending& ending, float* y)
      : steps_(steps),
        c_(convolution),
        plan_(convolution),
        x_(x),
        filters_(filters),
        ending_(ending),
        y_(y) {
    ending_.stream = c_.form.tile.w >= kStreamedTile && c_.out.all() > kStreamedOutput;
  }

  void operator()(float* scratch) const {
    if (plan_.by_outputs) {
      by_outputs(scratch);
    } else {
      by_tiles(scratch);
    }
  }

 private:
  // All filters first, then each thread takes parts of the tiles through all steps. It takes what
  // comes next: an output is the same whoever makes it, and a thread that is held up holds up none.
  void by_tiles(float* scratch) const {
    float* const u = scratch;
    float* const own = u + plan_.groups * plan_.u_group;
    parallel_each(c_.threads, [&](int t) {
      const Range groups = share(plan_.groups, t, c_.threads);
      for (int g = groups.first; g < groups.end; ++g) transform_filters(g, u + g * plan_.u_group);
    });
    const Parts parts{{0, plan_.tiling.count()}, plan_.part};
    std::atomic<int> next = 0;
    parallel_each(c_.threads, [&](int t) {
      float* const v = own + t * (plan_.v_size + plan_.m_size);
      float* const m = v + plan_.v_size;
      for (int part = next++; part < parts.count(); part = next++) {
        const Range tiles = parts.at(part);
        transform_inputs(tiles, {0, c_.in.blocks}, v);
        for (int g = 0; g < plan_.groups; ++g) make_outputs(g, tiles, v, u + g * plan_.u_group, m);
      }
      if (ending_.stream) steps_.fence();
    });
  }

  // Part by part, all inputs first, then each thread makes outputs of its own with filters that are
  // never stored beyond its cache.
  void by_outputs(float* scratch) const {
    float* const v = scratch;
    float* const own = v + plan_.v_size;
    const Parts parts{{0, plan_.tiling.count()}, plan_.part};
    for (int part = 0; part < parts.count(); ++part) {
      const Range tiles = parts.at(part);
      parallel_each(c_.threads,
                    [&](int t) { transform_inputs(tiles, share(c_.in.blocks, t, c_.threads), v); });
      parallel_each(c_.threads, [&](int t) {
        float* const u = own + t * (plan_.u_group + plan_.m_size);
        float* const m = u + plan_.u_group;
        const Range groups = share(plan_.groups, t, c_.threads);
        for (int g = groups.first; g < groups.end; ++g) {
          transform_filters(g, u);
          make_outputs(g, tiles, v, u, m);
        }
        if (ending_.stream) steps_.fence();
      });
    }
  }

  int vectors(int group) const {
    return std::min(kOutputsAtOnce, c_.out.blocks - group * kOutputsAtOnce);
  }

  const float* filter_block(int in, int out) const {
    const Distance block =
        c_.turned ? Distance{in} * c_.out.blocks + out : Distance{out} * c_.in.blocks + in;
    return filters_ + block * plan_.filter_block;
  }

  // Of vectors, u: [position][input channel][vectors]
  void transform_filters(int group, float* u) const {
    const int width = vectors(group);
    for (int in = 0; in < c_.in.blocks; ++in) {
      for (int i = 0; i < width; ++i) {
        const int out = group * kOutputsAtOnce + i;
        if (in + 1 < c_.in.blocks) prefetch(filter_block(in + 1, out), plan_.filter_block);
        steps_.filter(filter_block(in, out), c_.turned,
                      u + (in * plan_.lanes * width + i) * plan_.lanes, width * plan_.lanes,
                      plan_.u_position);
      }
    }
  }

  // Of vectors, v: [position][tile / 6][block of input channels][6]
  void transform_inputs(Range tiles, Range blocks, float* v) const {
    for_each_window(x_, c_.in, plan_.tiling, tiles, blocks, c_.top, c_.form.window.h,
                    [&](const float* plane, const Tile& tile, int block, int i) {
                      const Distance six = i / kTilesAtOnce * c_.in.blocks + block;
                      steps_.input(plane, c_.in.size, tile.top - c_.top, tile.left - c_.left,
                                   v + (six * kTilesAtOnce + i % kTilesAtOnce) * plan_.lanes,
                                   plan_.v_position);
                    });
  }

  // Of vectors, m: [position][tile][2]
  void make_outputs(int group, Range tiles, const float* v, const float* u, float* m) const {
    for (int p = 0; p < c_.form.positions(); ++p) {
      steps_.product(tiles.count(), c_.in.blocks, vectors(group), v + p * plan_.v_position,
                     u + p * plan_.u_position, m + p * plan_.m_position);
    }
    for (int i = 0; i < vectors(group); ++i) {
      const int block = group * kOutputsAtOnce + i;
      Tile tile = plan_.tiling.at(tiles.first);
      for (int at = 0; at < tiles.count(); ++at, plan_.tiling.advance(tile)) {
        const Distance plane = c_.out.plane(tile.image, block);
        Ending here = ending_;
        if (here.bias != nullptr) here.bias += block * plan_.lanes;
        if (here.addend != nullptr) here.addend += plane;
        if (here.mask != nullptr) here.mask += plane;
        steps_.output(m + (at * kOutputsAtOnce + i) * plan_.lanes, plan_.m_position, here,
                      c_.out.size, tile.top, tile.left, y_ + plane);
      }
    }
  }

  const Steps& steps_;
  const Convolution& c_;
  const Plan plan_;
  const float* x_;
  const float* filters_;
  Ending ending_;
  float* y_;
};

}  // namespace

Distance scratch_floats(const Convolution& convolution) {
  const Plan plan(convolution);
  return plan.by_outputs
             ? plan.v_size + convolution.threads * (plan.u_group + plan.m_size)
             : plan.groups * plan.u_group + convolution.threads * (plan.v_size + plan.m_size);
}

void convolve(const Steps& steps, const Convolution& convolution, const float* x,
              const float* filters, const Ending& ending, float* y, float* scratch) {
  Run(steps, convolution, x, filters, ending, y)(scratch);
}

}  // namespace lockstep::kernel::winograd
