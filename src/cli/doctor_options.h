#pragma once

#include <span>
#include <string>

#include "base/getenv.h"
#include "spec/sweep.h"

namespace lockstep::cli {

// What a command line of `lockstep doctor` comes to.
struct DoctorOptions {
  spec::Sweep sweep;  // no more of it than where one would run
  std::string result_dir = "results";
  bool quick = false;
  bool json = false;
};

// The arguments behind `lockstep doctor`; LOCKSTEP_<FLAG> variables stand below them. Throws
// Error(usage).
DoctorOptions parse_doctor(std::span<const std::string> arguments, const Getenv& getenv);

std::string doctor_help(bool full);

}  // namespace lockstep::cli
