#pragma once

#include <cstdint>

#include "base/descriptor.h"

namespace lockstep::data {

// A clock of the thread that makes it. It goes on while the thread runs or waits for a disk, and
// stands still while others have its core: who gives way to them is no slower for it.
class ThreadClock {
 public:
  ThreadClock() noexcept;

  double now() const;  // seconds; only differences mean anything

 private:
  std::uint64_t nanoseconds_in_queue() const;

  Descriptor
      statistics_;  // the kernel's, of this thread; none: it keeps none, and time is just time
};

}  // namespace lockstep::data
