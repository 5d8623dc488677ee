#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/sweep_view.h"

namespace lockstep::cli {

// Shows on stdout how a sweep goes on: on a terminal a table that is drawn again in its place,
// while what stands above it is left alone; elsewhere a line whenever something has begun or ended.
class LiveTable {
 public:
  LiveTable();
  void show(const report::SweepView& view);

 private:
  bool terminal_ = false;
  std::string shown_;
};

// As many lines as fit on a terminal of this size, none longer than it is wide.
std::string fitted(std::string_view text, std::size_t columns, std::size_t lines);

}  // namespace lockstep::cli
