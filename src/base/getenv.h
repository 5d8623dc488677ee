#pragma once

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Where environment variables come from: the process, or a test. Null: not set.
using Getenv = std::function<const char*(const char* name)>;

// Empty: not set, or set to nothing, which is how a shell takes a variable away for one command.
inline std::string_view value_of(const Getenv& getenv, const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

inline const char* process_getenv(const char* name) {
  return std::getenv(name);
}

// The names of all that the process has.
inline std::vector<std::string> process_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    names.push_back(text.substr(0, text.find('=')));
  }
  return names;
}

}  // namespace lockstep
