#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "spec/sweep.h"
#include "stats/sweep.h"

namespace lockstep::stats {

// In what the work of two launches differs, so that their speeds say nothing about each other:
// "10 classes, not 1000; 32 pixels, not 224". Empty: in nothing that both of them tell.
std::string other_work(const Launch& candidate, const Launch& baseline);

// In what the devices differ: "2 threads a device, not 1". Empty: in nothing.
std::string other_devices(const spec::Point& candidate, const spec::Point& baseline);

// Where the point has no numbers, why: "failed in NAME: out of memory". Empty: it has some.
std::string why_no_numbers(const PointRecord& record, std::string_view name);

// Parts that are not empty, with "; " between them.
std::string clauses(std::initializer_list<std::string> parts);

}  // namespace lockstep::stats
