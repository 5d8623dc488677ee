#include "doctor/clock_offset.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/text.h"
#include "launch/dialogue.h"
#include "launch/remote.h"

namespace lockstep::doctor {
namespace {

using machine::Finding;
using machine::Level;

constexpr double kFarOff = 0.01;  // seconds
constexpr int kQuestions = 10;
constexpr double kPatience = 15;  // seconds for an answer; the first one waits for the connection

double calendar() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::optional<ClockOffset> clock_offset(std::span<const ClockReading> readings) {
  if (readings.empty()) return std::nullopt;
  const ClockReading& quickest = *std::ranges::min_element(
      readings, {}, [](const ClockReading& reading) { return reading.received - reading.asked; });
  return ClockOffset{
      .seconds = quickest.answered - (quickest.asked + quickest.received) / 2,
      .uncertainty = (quickest.received - quickest.asked) / 2,
  };
}

Finding judge_clock_offset(const std::optional<ClockOffset>& offset) {
  if (!offset) {
    return {.subject = "clock offset",
            .level = Level::warning,
            .sentence = "its clock could not be read",
            .remedy = "`date +%s.%N` has to work there"};
  }
  Finding finding{
      .subject = "clock offset",
      .value = offset->seconds * 1e3,
      .unit = "ms",
      .sentence = fmt::format("ahead of this machine, +/- {:.1f} ms", offset->uncertainty * 1e3)};
  if (std::abs(offset->seconds) > offset->uncertainty + kFarOff) {
    finding.level = Level::warning;
    finding.sentence += ": its logs and dates do not fit those of others";
    finding.remedy = "let a time service set both clocks: systemctl enable --now chronyd";
  }
  return finding;
}

std::optional<double> clock_answer(int question, std::string_view line) {
  const std::vector<std::string> words = split(trim(line), ' ');
  if (words.size() != 2 || words[0] != fmt::format("{}", question)) return std::nullopt;
  return parse_double(words[1]);
}

std::vector<ClockReading> read_clock(const spec::Host& host, const launch::Ssh& ssh) {
  launch::Dialogue dialogue(launch::on_host(
      host, ssh, "while read -r question; do echo \"$question $(date +%s.%N)\"; done"));
  std::vector<ClockReading> readings;
  for (int question = 0; question < kQuestions; ++question) {
    ClockReading reading{.asked = calendar()};
    if (!dialogue.say(fmt::format("{}", question))) break;
    std::optional<double> answer;
    while (!answer) {
      const auto line = dialogue.hear(kPatience);
      if (!line) return readings;
      reading.received = calendar();
      answer = clock_answer(question, *line);
    }
    reading.answered = *answer;
    readings.push_back(reading);
  }
  return readings;
}

}  // namespace lockstep::doctor
