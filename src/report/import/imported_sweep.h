#pragma once

#include <span>
#include <vector>

#include "report/import/imported.h"
#include "spec/sweep.h"

namespace lockstep::report {

// Imported runs as the sweep that would have measured them: runs of one point are its launches.
struct ImportedSweep {
  struct Place {
    std::size_t point = 0;
    int round = 0;
  };
  spec::Sweep sweep;
  spec::Plan plan;
  std::vector<Place> places;  // by run
};

// Of complete runs. Throws Error(usage) for names that no sweep can have, and for runs that are of
// one point and still differ.
ImportedSweep sweep_of(std::span<const ImportedRun> runs);

}  // namespace lockstep::report
