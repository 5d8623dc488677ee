#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "doctor/examination.h"
#include "launch/launchers.h"
#include "launch/staging.h"

namespace lockstep::doctor {

// What is the same for all hosts.
struct Rounds {
  launch::Site site;                          // with all hosts
  std::string program;                        // the path of lockstep
  std::filesystem::path result_dir;           // where results go, on hosts that share our files
  std::optional<launch::Bundle> bundle = {};  // for those that do not
  bool quick = false;                         // leave out what takes measurements
  std::function<void(const std::string&)> tell = [](const std::string&) {};  // what is done next
};

// How a host answered when it was asked for our program.
enum class Answer {
  same_build,
  no_build,  // none, or another one
  none,      // it cannot be reached
};
machine::Finding judge_reach(const spec::Host& host, Answer answer, double seconds,
                             const std::string& said);
// `copied`: it has it now. `refusal`: why it could not be copied.
machine::Finding judge_build(const Rounds& rounds, Answer answer, bool copied,
                             const std::string& refusal);

// Looks at all hosts but this machine: whether ssh reaches them, whether they have our program
// (which is brought there, with a remote_dir), what their clocks say, and what the program finds
// there. Then, between all that can be reached, what differs, and the network; `examinations` has
// the one of this machine, and takes all others.
void examine_hosts(const Rounds& rounds, std::vector<Examination>& examinations);

// The same as a guard, in about a second: hosts are taken to have the program, and tell what they
// see of themselves at once.
void glance_at_hosts(const Rounds& rounds, std::vector<Examination>& examinations);

}  // namespace lockstep::doctor
