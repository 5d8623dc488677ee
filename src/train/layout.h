#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace lockstep::train {

// How a network's parameters lie in the flat arrays: all that exchange and update need to know of
// it. Every rank's must be the same, down to the order of elements within a parameter, or sums
// would add what does not belong together.
struct Layout {
  struct Segment {  // a parameter
    std::size_t offset = 0, size = 0;
    bool decays = false;

    bool operator==(const Segment&) const = default;
  };
  std::vector<Segment> segments;  // in the order in which backward completes them; offsets ascend
  std::size_t floats = 0;         // of an array
  std::uint64_t orders = 0;       // a hash of how the engine orders the elements of each parameter

  bool operator==(const Layout&) const = default;
};

Layout layout_of(const engine::Engine& engine);

std::string to_text(const Layout& layout);
// Throws std::exception for other texts.
Layout layout_from_text(std::string_view text);

}  // namespace lockstep::train
