#include "comm/schedule.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep::comm {

std::vector<Range> split(Range whole, int parts, std::size_t grain) {
  LOCKSTEP_CHECK(parts > 0 && grain > 0);
  const auto count = static_cast<std::size_t>(parts);
  const std::size_t grains = (whole.size() + grain - 1) / grain;
  // The first `larger` parts take one grain more than the others.
  const std::size_t larger = grains % count;
  std::vector<Range> ranges;
  ranges.reserve(count);
  std::size_t begin = whole.begin;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = (grains / count + (i < larger ? 1 : 0)) * grain;
    const std::size_t end = begin + std::min(size, whole.end - begin);  // the last grain may be cut
    ranges.push_back({begin, end});
    begin = end;
  }
  return ranges;
}

}  // namespace lockstep::comm
