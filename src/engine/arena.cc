#include "engine/arena.h"

#include <algorithm>
#include <numeric>

namespace lockstep::engine {
namespace {

constexpr std::size_t kLine = 64;
// Buffers whose sizes are powers of two would all start at the same offset of a page, and loads
// would then seem to depend on stores that merely share the low address bits.
constexpr std::size_t kSkew = 17 * kLine;

}  // namespace

std::size_t arena_share(std::size_t bytes) {
  return (bytes + kLine - 1) / kLine * kLine + kSkew;
}

ArenaPlan plan_arena(std::span<const Lifetime> lifetimes) {
  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return lifetimes[a].bytes > lifetimes[b].bytes;
  });

  ArenaPlan plan;
  plan.offsets.resize(lifetimes.size());
  std::vector<std::size_t> placed;  // ascending by offset
  for (const std::size_t i : order) {
    const Lifetime& mine = lifetimes[i];
    std::size_t offset = 0;
    for (const std::size_t other : placed) {
      const Lifetime& theirs = lifetimes[other];
      if (theirs.last < mine.first || mine.last < theirs.first) continue;
      if (offset + arena_share(mine.bytes) <= plan.offsets[other]) break;
      offset = std::max(offset, plan.offsets[other] + arena_share(theirs.bytes));
    }
    plan.offsets[i] = offset;
    plan.bytes = std::max(plan.bytes, offset + arena_share(mine.bytes));
    const auto place = std::upper_bound(
        placed.begin(), placed.end(), offset,
        [&](std::size_t value, std::size_t other) { return value < plan.offsets[other]; });
    placed.insert(place, i);
  }
  return plan;
}

}  // namespace lockstep::engine
