#include "cli/comm_check.h"

namespace lockstep::cli {
namespace {

constexpr float kNothing = -1;

float input(int rank, std::size_t element) {
  const std::size_t mixed = (element + 31 * static_cast<std::size_t>(rank)) * 40503;
  return static_cast<float>((mixed >> 4) % 64);
}

// Behind the operation. What is gathered is the same whoever had it.
float result(const CommShare& share, std::size_t element) {
  if (share.kind == CommKind::all_gather) return input(0, element);
  float sum = 0;
  for (int rank = 0; rank < share.world; ++rank) sum += input(rank, element);
  return sum;
}

}  // namespace

void fill_inputs(std::span<float> data, const CommShare& share) {
  const bool gathers = share.kind == CommKind::all_gather;
  for (const comm::Range bucket : share.buckets) {
    for (std::size_t i = bucket.begin; i < bucket.end; ++i) {
      data[i] = gathers ? kNothing : input(share.rank, i);
    }
  }
  if (!gathers) return;
  for (const comm::Range range : share.owned) {
    for (std::size_t i = range.begin; i < range.end; ++i) data[i] = input(0, i);
  }
}

std::int64_t count_wrong(std::span<const float> data, const CommShare& share) {
  std::int64_t wrong = 0;
  for (const comm::Range range :
       share.kind == CommKind::reduce_scatter ? share.owned : share.buckets) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (data[i] != result(share, i)) ++wrong;
    }
  }
  return wrong;
}

}  // namespace lockstep::cli
