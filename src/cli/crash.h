#pragma once

#include <cstdint>
#include <span>

namespace lockstep::cli {

// The signals of a fault of our own, such as a bad address, which end the process.
class Crash {
 public:
  // From now on, one of them is told of before: by whose fault, when, and from where in the code.
  // The process, of these ranks, then ends by it as it would have without us. What somebody else
  // listens to already, such as a sanitizer, is left to them.
  static void listen(std::span<const int> ranks);

  // What the calling thread is at.
  static void in_rank(int rank);
  static void in_step(std::int64_t step);
};

}  // namespace lockstep::cli
