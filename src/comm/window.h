#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/transport.h"

namespace lockstep::comm {

// How far a rank has come with a chunk: steps begun, then operations done within the step. On a
// cache line of its own: peers poll it.
struct alignas(64) Counter {
  std::atomic<std::uint64_t> value = 0;
  double figure = 0;  // of the range that the rank has updated, for those who got it

  // `step` counts from 1.
  static std::uint64_t position(std::uint64_t step, std::uint64_t count) {
    return (step << 20U) + count;
  }
  void reach(std::uint64_t step, std::uint64_t count) {
    value.store(position(step, count), std::memory_order_release);
  }
  bool reached(std::uint64_t step, std::uint64_t count) const {
    return value.load(std::memory_order_acquire) >= position(step, count);
  }
};

// Where a rank sleeps while it waits for peers.
struct alignas(64) Bell {
  std::atomic<std::uint32_t> rings = 0;
  std::atomic<std::uint32_t> sleepers = 0;

  // Behind whatever the sleeper waits for.
  void ring();
  // Sleeps until somebody rings after the last `seen`, for at most this many milliseconds.
  void sleep(std::uint32_t seen, int milliseconds = 1);
};

// What the ranks of a host see of one of them: views into its shared memory.
struct Window {
  Bell* bell = nullptr;
  std::span<Counter> counters;  // one per chunk
  std::span<float> gradients, parameters;
};

// Memory for `chunks` counters and two arrays of `floats`.
std::size_t window_bytes(std::size_t chunks, std::size_t floats);

// Lays out a rank's memory, which starts as zeros. The arrays of different ranks begin at different
// offsets within a page: an addition that reads two of them at the same one runs at half the speed,
// because the processor compares no more than 12 bits of an address at first.
Window window(std::span<std::byte> memory, std::size_t chunks, std::size_t floats, int rank);

// Collective, once: takes such memory on every rank. The windows by rank; empty for other hosts.
std::vector<Window> share_windows(Transport& transport, std::size_t chunks, std::size_t floats);

}  // namespace lockstep::comm
