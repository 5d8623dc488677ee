#pragma once

#include <algorithm>

#include "kernel/winograd_steps.h"

namespace lockstep::kernel::winograd {

// A batch of images in blocks of eight channels.
struct Maps {
  int images = 0, blocks = 0;
  Size size{};

  Distance plane(int image, int block) const {
    return (Distance{image} * blocks + block) * size.h * size.w;
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

// The size, a multiple of `together`, that makes n into equal parts of about `wanted`.
inline int even_size(int n, int wanted, int together) {
  const int parts = std::max(1, (n + wanted / 2) / wanted);
  const int each = (n + parts - 1) / parts;
  return (each + together - 1) / together * together;
}

// Vectors, up to a cache line more: where the same part of every position, or of every thread, is
// read at once, distances that are powers of two would put them all into the same few lines of a
// cache.
inline Distance skewed(Distance vectors) {
  return (vectors + 1) / 2 * 2 + 2;
}

// Inlined always: a call of a function that does nothing but this, the compiler would leave out.
[[gnu::always_inline]] inline void prefetch(const Floats* first, int vectors) {
  constexpr int kLine = 2;
  for (int i = 0; i < vectors; i += kLine) __builtin_prefetch(first + i);
}

// Has the pixels of a window fetched, a line at a time.
[[gnu::always_inline]] inline void prefetch(const Floats* plane, Size size, int top, int left,
                                            int rows, int columns) {
  left = std::min(left, size.w - 1);
  for (int row = std::max(top, 0); row < std::min(top + rows, size.h); ++row) {
    const Floats* pixel = plane + Distance{row} * size.w + left;
    prefetch(pixel, columns);
  }
}

// Calls visit(plane, tile, block, i) for the i-th of the tiles in each of the blocks; while one is
// visited, the pixels of a later one are fetched: `rows` from `above` the tile on, and as wide as
// the tile: what the window has beyond is the next one's.
template <typename Visit>
void for_each_window(const Floats* data, const Maps& maps, const Tiling& tiling, Range tiles,
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
      prefetch(plane(later), maps.size, later.tile.top - above, later.tile.left, rows,
               tiling.tile().w);
    }
    visit(plane(at), at.tile, at.block, at.i);
  }
}

}  // namespace lockstep::kernel::winograd
