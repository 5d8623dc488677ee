#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::machine {

// warning: figures are worse, or less certain, than they could be. problem: runs will fail.
enum class Level { ok, warning, problem };
std::string_view name(Level level);

// What a look at one property of a machine came to.
struct Finding {
  std::string subject;  // what was looked at: "load"
  Level level = Level::ok;
  std::optional<double> value = {};  // the figure; nothing: there is none
  std::string unit = {};
  std::string sentence;
  std::string remedy = {};  // empty: nothing has to be done
  std::string peer = {};    // the other host, where something between two was looked at

  bool operator==(const Finding&) const = default;
};

Level worst(std::span<const Finding> findings);  // ok, where there are none

// Those that are not ok, as one sentence each: what it is, and what to do about it.
std::vector<std::string> warnings(std::span<const Finding> findings);

}  // namespace lockstep::machine
