#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::engine {

// A buffer that holds something from step `first` to step `last`, both included.
struct Lifetime {
  std::size_t bytes = 0;
  int first = 0, last = 0;
};

struct ArenaPlan {
  std::vector<std::size_t> offsets;  // one per lifetime, aligned to a cache line
  std::size_t bytes = 0;
};

// Places buffers in one arena so that no two that live at the same time overlap: largest first,
// each at the lowest offset that is free throughout its life.
ArenaPlan plan_arena(std::span<const Lifetime> lifetimes);

// What a buffer of `bytes` takes of the arena.
std::size_t arena_share(std::size_t bytes);

}  // namespace lockstep::engine
