#pragma once

#include <cstdint>

#include "spec/trial.h"

namespace lockstep::spec {

// What a --variable_update does with gradients. Those that do neither exchange nothing.
bool has_servers(const Exchange& exchange);     // one owner per parameter, as parameter_server
bool reduces_to_all(const Exchange& exchange);  // an all-reduce, as replicated

// Throws Error(usage) for the first thing in the trial's exchange and cluster that does not fit
// another one. Everything else is allowed, also what tf_cnn_benchmarks refuses for its own reasons:
// horovod on several devices of a host, and every --variable_update both on one host and on many.
void check_combinations(const Trial& trial);

// The part of it that needs to know how many ranks there are: call it again once that is known.
void check_ranks(const Trial& trial, std::int64_t ranks);

}  // namespace lockstep::spec
