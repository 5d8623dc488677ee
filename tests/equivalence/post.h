#pragma once

#include <functional>
#include <span>
#include <vector>

#include "comm/schedule.h"

namespace lockstep::equivalence {

// What becomes of a message between two ranks; empty: nothing.
using OnTheWay = std::function<void(int from, int to, std::span<float> message)>;

// Everybody's schedule on everybody's array, by one thread: a send puts a copy into the post, a
// receive waits for its turn until there is one.
void run_serially(const std::vector<comm::Schedule>& schedules,
                  const std::vector<std::span<float>>& arrays, const OnTheWay& on_the_way = {});

}  // namespace lockstep::equivalence
