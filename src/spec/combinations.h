#pragma once

#include <cstdint>

#include "spec/trial.h"

namespace lockstep::spec {

// Throws Error(usage) for the first thing in the trial's exchange and cluster that does not fit
// another one. Everything else is allowed, also what tf_cnn_benchmarks refuses for its own reasons:
// horovod on several devices of a host, and every --variable_update both on one host and on many.
void check_combinations(const Trial& trial);

// The part of it that needs to know how many ranks there are: call it again once that is known.
void check_ranks(const Trial& trial, std::int64_t ranks);

}  // namespace lockstep::spec
