#pragma once

namespace lockstep {

// Seconds on the machine's monotonic clock; only differences mean anything.
double now();

}  // namespace lockstep
