#pragma once

#include <string>
#include <vector>

#include "report/evidence.h"

namespace lockstep::report {

// A file for TensorBoard, which finds it in a directory of its own: the name of a run.
struct EventFile {
  std::string run;
  std::string name;
  std::string content;
};

// A run for each configuration of a network, whose step is the number of devices: images_per_s,
// speedup, efficiency; and one for each point, with step_ms of its steps, or of every so many of
// them: TensorBoard shows about a thousand.
std::vector<EventFile> event_files(const Evidence& evidence);

}  // namespace lockstep::report
