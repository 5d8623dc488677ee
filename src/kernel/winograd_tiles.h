#pragma once

#include <algorithm>

#include "kernel/winograd_steps.h"

namespace lockstep::kernel::winograd {

// A batch of images in blocks of channels.
struct Maps {
  int images = 0, blocks = 0, lanes = 0;  // lanes: channels of a block
  Size size{};

  Distance plane(int image, int block) const {
    return (Distance{image} * blocks + block) * size.h * size.w * lanes;
  }
  Distance all() const { return plane(images, 0); }
};

// A tile of an output: which image, and its first pixel.
struct Tile {
  int image = 0, top = 0, left = 0;
};

// All tiles of a batch of outputs: image by image, row by row.
class Tiling {
 public:
  Tiling(const Maps& outputs, Size tile)
      : images_(outputs.images),
        tile_(tile),
        rows_((outputs.size.h + tile.h - 1) / tile.h),
        columns_((outputs.size.w + tile.w - 1) / tile.w) {}

  Size tile() const { return tile_; }
  int count() const { return images_ * rows_ * columns_; }

  Tile at(int i) const {
    const int in_image = i % (rows_ * columns_);
    return {i / (rows_ * columns_), in_image / columns_ * tile_.h, in_image % columns_ * tile_.w};
  }
  void advance(Tile& tile) const {
    tile.left += tile_.w;
    if (tile.left < columns_ * tile_.w) return;
    tile.left = 0;
    tile.top += tile_.h;
    if (tile.top < rows_ * tile_.h) return;
    tile.top = 0;
    ++tile.image;
  }

 private:
  int images_;
  Size tile_;
  int rows_, columns_;
};

struct Range {
  int first = 0, end = 0;
  int count() const { return end - first; }
};

// Thread t's share of [0, n): the same every time.
inline Range share(int n, int t, int threads) {
  return {static_cast<int>(Distance{n} * t / threads),
          static_cast<int>(Distance{n} * (t + 1) / threads)};
}

// A range in parts of `size`; the last may be smaller.
struct Parts {
  Range whole;
  int size;

  int count() const { return (whole.count() + size - 1) / size; }
  Range at(int part) const {
    const int first = whole.first + part * size;
    return {first, std::min(whole.end, first + size)};
  }
};

// Tiles that take as much memory as so many of 36 positions; of smaller ones, just as many.
inline int alike(int tiles, const Form& form) {
  constexpr int kPositions = 36;
  return tiles * kPositions / std::max(form.positions(), kPositions);
}

// The size, a multiple of `together`, that makes n into equal parts of about `wanted`.
inline int even_size(int n, int wanted, int together) {
  const int parts = std::max(1, (n + wanted / 2) / wanted);
  const int each = (n + parts - 1) / parts;
  return (each + together - 1) / together * together;
}

inline constexpr int kLine = 16;  // floats of a cache line

// Whole cache lines, and one more: where the same part of every position, or of every thread, is
// read at once, distances that are powers of two would put them all into the same few lines of a
// cache.
inline Distance skewed(Distance floats) {
  return (floats + kLine - 1) / kLine * kLine + kLine;
}

// Inlined always: a call of a function that does nothing but this, the compiler would leave out.
[[gnu::always_inline]] inline void prefetch(const float* first, int floats) {
  for (int i = 0; i < floats; i += kLine) __builtin_prefetch(first + i);
}

// Has the pixels of a window fetched, a line at a time.
[[gnu::always_inline]] inline void prefetch(const float* plane, const Maps& maps, int top, int left,
                                            Size window) {
  left = std::min(left, maps.size.w - 1);
  for (int row = std::max(top, 0); row < std::min(top + window.h, maps.size.h); ++row) {
    prefetch(plane + (Distance{row} * maps.size.w + left) * maps.lanes, window.w * maps.lanes);
  }
}

// Calls visit(plane, tile, block, i) for the i-th of the tiles in each of the blocks; while one is
// visited, the pixels of a later one are fetched: `rows` from `above` the tile on, and as wide as
// the tile: what the window has beyond is the next one's.
template <typename Visit>
void for_each_window(const float* data, const Maps& maps, const Tiling& tiling, Range tiles,
                     Range blocks, int above, int rows, const Visit& visit) {
  constexpr int kAhead = 8;
  struct Cursor {
    int block, i;
    Tile tile;
  };
  const Cursor first{blocks.first, 0, tiling.at(tiles.first)};
  const auto advance = [&](Cursor& cursor) {
    if (++cursor.i < tiles.count()) {
      tiling.advance(cursor.tile);
    } else {
      cursor = {cursor.block + 1, 0, first.tile};
    }
  };
  const auto plane = [&](const Cursor& cursor) {
    return data + maps.plane(cursor.tile.image, cursor.block);
  };
  Cursor later = first;
  for (int i = 0; i < kAhead; ++i) advance(later);
  for (Cursor at = first; at.block < blocks.end; advance(at), advance(later)) {
    if (later.block < blocks.end) {
      prefetch(plane(later), maps, later.tile.top - above, later.tile.left,
               {rows, tiling.tile().w});
    }
    visit(plane(at), at.tile, at.block, at.i);
  }
}

}  // namespace lockstep::kernel::winograd
