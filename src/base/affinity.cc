#include "base/affinity.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/check.h"
#include "base/error.h"

namespace lockstep {
namespace {

// A cpu_set_t for any number of processors: the fixed one of the C library ends at 1024.
class Mask {
 public:
  explicit Mask(int processors)
      : size_(CPU_ALLOC_SIZE(processors)), set_(CPU_ALLOC(processors), Free{}) {
    LOCKSTEP_CHECK(set_ != nullptr);
    CPU_ZERO_S(size_, set_.get());
  }
  cpu_set_t* set() const { return set_.get(); }
  std::size_t bytes() const { return size_; }

 private:
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  std::size_t size_;
  std::unique_ptr<cpu_set_t, Free> set_;
};

// Nothing of a process that cannot be seen.
std::vector<int> processors_of(pid_t process) {
  // The kernel refuses a mask that is too short for its processors without saying how long it is.
  for (int capacity = 1024; capacity < (1 << 20); capacity *= 2) {
    const Mask mask(capacity);
    if (sched_getaffinity(process, mask.bytes(), mask.set()) == 0) {
      std::vector<int> processors;
      for (int p = 0; p < capacity; ++p) {
        if (CPU_ISSET_S(p, mask.bytes(), mask.set())) processors.push_back(p);
      }
      return processors;
    }
    if (errno != EINVAL) break;
  }
  return {};
}

// Whether the calling thread runs on these, as far as it may, from here on.
bool bound_to(std::span<const int> processors) {
  LOCKSTEP_CHECK(!processors.empty());
  const Mask mask(*std::ranges::max_element(processors) + 1);
  for (const int p : processors) CPU_SET_S(p, mask.bytes(), mask.set());
  return sched_setaffinity(0, mask.bytes(), mask.set()) == 0;
}

}  // namespace

std::vector<int> bound_processors() {
  std::vector<int> processors = processors_of(0);
  LOCKSTEP_CHECK(!processors.empty());
  return processors;
}

bool bound_by_parent() {
  const std::vector<int> mine = bound_processors();
  const std::vector<int> parents = getppid() == 0 ? mine : processors_of(getppid());
  if (parents.size() <= mine.size()) return false;
  // Asked for all that the parent has, the kernel gives what the process could have.
  if (!bound_to(parents)) return false;
  const bool could_have_more = bound_processors().size() > mine.size();
  bind_thread(mine);
  return could_have_more;
}

void bind_thread(std::span<const int> processors) {
  if (bound_to(processors)) return;
  throw Error(ExitCode::environment, fmt::format("cannot bind a thread to processors {}: {}",
                                                 fmt::join(processors, ","), std::strerror(errno)));
}

}  // namespace lockstep
