#pragma once

#include <cstddef>

namespace lockstep::machine {

// How fast the calling thread's team moves memory that is in no cache: GB/s of payload, the best
// of several passes over `bytes`. A copy of n bytes counts as n.
struct MemorySpeed {
  double read = 0;
  double copy = 0;
};
MemorySpeed measure_memory(std::size_t bytes = std::size_t{256} << 20);

// The same for a += b on floats, of which every update and every exchange is made: GB/s of a, best
// of several passes. It takes three streams of memory: two that are read and one that is written.
double measure_addition(std::size_t bytes = std::size_t{256} << 20);

}  // namespace lockstep::machine
