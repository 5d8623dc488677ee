#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "spec/sweep.h"
#include "stats/sweep.h"

namespace lockstep::stats {

// A point and what came of it.
struct MeasuredPoint {
  const spec::Point& point;
  const PointRecord& record;
};

// In what two measured points differ that are otherwise each other's counterparts, as far as both
// say: "classes 10 vs 1001; image size 32 vs 224".
struct Difference {
  std::string work = {};           // speeds of other work say nothing about each other
  std::string configuration = {};  // what `compare` puts side by side
  std::string devices = {};        // other parts of a machine
  std::string machines = {};       // of another size

  // "not comparable: threads per device 2 vs 1": other work or other devices. Empty: comparable.
  std::string not_comparable() const;
};
Difference difference(const MeasuredPoint& candidate, const MeasuredPoint& baseline);

// Where the point has no numbers, why: "failed in NAME: out of memory". Empty: it has some.
std::string why_no_numbers(const PointRecord& record, std::string_view name);

// "the candidate started 2 of 3 launches under load (load average up to 6.2 on 2 processors)".
// Empty: it did not.
std::string under_load(const PointRecord& record, std::string_view name);

// Parts that are not empty, with "; " between them.
std::string clauses(std::initializer_list<std::string> parts);

}  // namespace lockstep::stats
