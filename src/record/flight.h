#pragma once

#include <vector>

namespace lockstep::record {

// How a rank's gradients travelled, in seconds per step. A bucket is on its way from the moment
// that its gradients are final until its new parameters are there. Exposed is the part of that time
// in which the rank did not compute: it moved memory or waited for others. The rest is hidden
// behind compute.
struct Flight {
  struct Bucket {
    double bytes = 0;
    double seconds = 0, exposed = 0;
    double waiting = 0;  // the part of `exposed` without anything to move

    bool operator==(const Bucket&) const = default;
  };
  std::vector<Bucket> buckets;      // in the order in which backward completes them
  double seconds = 0, exposed = 0;  // of any of them: less than the sums, where some overlap

  bool operator==(const Flight&) const = default;
};

}  // namespace lockstep::record
