#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::comm {

// A run of elements of a flat array.
struct Range {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
  bool operator==(const Range&) const = default;
};

// The whole in `parts` consecutive ranges, as even as multiples of `grain` allow; the last ones may
// be empty.
std::vector<Range> split(Range whole, int parts, std::size_t grain = 1);

// A collective is plain data: what one rank does with which peer, in order. A send to a rank and
// that rank's recv (or recv_add) from here match by order: the k-th of one is the k-th of the
// other, over the same range. Moves with the same round may run side by side; adds are done in the
// order in which they stand, so that sums are the same every time.
enum class Act : std::uint8_t {
  send,      // the peer may read my range
  recv,      // the peer's range replaces mine
  recv_add,  // the peer's range is added to mine
};
struct Move {
  int round = 0;  // ascending within a schedule
  Act act = Act::send;
  int peer = 0;
  Range range;

  bool operator==(const Move&) const = default;
};
using Schedule = std::vector<Move>;

}  // namespace lockstep::comm
