#include "machine/memory.h"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/buffer.h"
#include "base/clock.h"

namespace lockstep::machine {
namespace {

constexpr int kPasses = 5;

// The slice of the calling member of the team: always the same, so that each thread touches first,
// and so places on its own NUMA node, what it works on later.
template <typename Word = std::uint64_t>
std::span<Word> own_slice(const Buffer& buffer) {
  const std::size_t words = buffer.size() / sizeof(Word);
  const auto self = static_cast<std::size_t>(omp_get_thread_num());
  const auto team = static_cast<std::size_t>(omp_get_num_threads());
  const std::size_t first = words * self / team;
  return {reinterpret_cast<Word*>(buffer.data()) + first, words * (self + 1) / team - first};
}

// GB/s at which the team does `body` to its slices.
template <typename Body>
double best_rate(std::size_t bytes, const Body& body) {
  double best = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const double start = now();
#pragma omp parallel
    body();
    best = std::max(best, static_cast<double>(bytes) / (now() - start) * 1e-9);
  }
  return best;
}

}  // namespace

MemorySpeed measure_memory(std::size_t bytes) {
  const Buffer from(bytes);
  const Buffer to(bytes);
#pragma omp parallel
  {
    std::memset(own_slice(from).data(), 1, own_slice(from).size_bytes());
    std::memset(own_slice(to).data(), 2, own_slice(to).size_bytes());
  }
  MemorySpeed speed;
  speed.read = best_rate(bytes, [&] {
    std::uint64_t sum = 0;
    for (const std::uint64_t word : own_slice(from)) sum += word;
    [[maybe_unused]] volatile std::uint64_t sink = sum;  // lest the compiler drop the loop
  });
  speed.copy = best_rate(bytes, [&] {
    std::memcpy(own_slice(to).data(), own_slice(from).data(), own_slice(from).size_bytes());
  });
  return speed;
}

double measure_addition(std::size_t bytes) {
  const Buffer sum(bytes);
  const Buffer term(bytes);
#pragma omp parallel
  {
    std::ranges::fill(own_slice<float>(sum), 0.0F);
    std::ranges::fill(own_slice<float>(term), 1.0F);
  }
  return best_rate(bytes, [&] {
    const std::span<float> a = own_slice<float>(sum);
    const std::span<const float> b = own_slice<float>(term);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  });
}

}  // namespace lockstep::machine
