#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/process.h"

namespace lockstep::launch {

// A process that is talked to line by line. What it says of errors is dropped. It ends with this
// object.
class Dialogue {
 public:
  // The program is searched for in PATH. Throws Error(launch) when it cannot be executed.
  explicit Dialogue(std::vector<std::string> argv);
  ~Dialogue();
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  bool say(std::string line);  // false: it has ended
  // Its next line. Nothing: it has ended, or has said nothing for so many seconds.
  std::optional<std::string> hear(double seconds);

 private:
  Descriptor socket_;
  int id_ = -1;
  std::string said_;  // and not heard yet
};

}  // namespace lockstep::launch
