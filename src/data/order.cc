#include "data/order.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "base/rng.h"

namespace lockstep::data {
namespace {

constexpr std::uint64_t kRounds = 6;  // four suffice for large sets, small ones want more

// A permutation of the numbers of 2 * half_bits bits.
std::uint64_t permute(const Rng& rng, int half_bits, std::uint64_t number) {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  std::uint64_t left = number >> half_bits, right = number & mask;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    left ^= rng.stream(round).bits(right) & mask;
    std::swap(left, right);
  }
  return left << half_bits | right;
}

}  // namespace

Order::Order(std::uint64_t records, std::optional<std::uint64_t> seed)
    : records_(records),
      seed_(seed),
      half_bits_(std::max(1, static_cast<int>(std::bit_width(records - 1) + 1) / 2)) {
  LOCKSTEP_CHECK(records > 0);
}

std::uint64_t Order::record(std::uint64_t position) const {
  std::uint64_t at = position % records_;
  if (!seed_) return at;
  const Rng rng = Rng(*seed_).stream(position / records_);
  do {
    at = permute(rng, half_bits_, at);
  } while (at >= records_);
  return at;
}

}  // namespace lockstep::data
