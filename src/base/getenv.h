#pragma once

#include <cstdlib>
#include <functional>

namespace lockstep {

// Where environment variables come from: the process, or a test. Null: not set.
using Getenv = std::function<const char*(const char* name)>;

inline const char* process_getenv(const char* name) {
  return std::getenv(name);
}

}  // namespace lockstep
