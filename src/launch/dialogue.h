#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/process.h"

namespace lockstep::launch {

// A process that answers every line on its standard input with a line. What it says of errors is
// dropped. It ends with this object.
class Dialogue {
 public:
  // The program is searched for in PATH. Throws Error(launch) when it cannot be executed.
  explicit Dialogue(std::vector<std::string> argv);
  ~Dialogue();
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  // Nothing: it has ended, or has not answered in so many seconds.
  std::optional<std::string> ask(std::string line, double seconds);

 private:
  Descriptor socket_;
  int id_ = -1;
  std::string said_;  // behind the last answer
};

}  // namespace lockstep::launch
