#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "launch/launchers.h"
#include "machine/finding.h"
#include "spec/hosts.h"

namespace lockstep::doctor {

// A question for the time and its answer: seconds of the calendar.
struct ClockReading {
  double asked = 0;     // by our clock
  double answered = 0;  // by theirs, at some moment between the two others
  double received = 0;  // by ours
};

// How far their clock is ahead of ours.
struct ClockOffset {
  double seconds = 0;
  double uncertainty = 0;  // at most so much more or less
};
// By the quickest answer: its time was taken half-way between question and receipt, up to half the
// time in between. Nothing: nobody answered.
std::optional<ClockOffset> clock_offset(std::span<const ClockReading> readings);

machine::Finding judge_clock_offset(const std::optional<ClockOffset>& offset);

// The time in "N TIME", the answer to question N. Nothing: it is another line, a shell's greeting.
std::optional<double> clock_answer(int question, std::string_view line);

// Asks a host over one ssh connection, several times; as many readings as it gave answers.
std::vector<ClockReading> read_clock(const spec::Host& host, const launch::Ssh& ssh);

}  // namespace lockstep::doctor
