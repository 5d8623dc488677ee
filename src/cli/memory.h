#pragma once

#include <cstdint>

#include "cli/job.h"

namespace lockstep::cli {

// A rank's thread with its stack, its compiled kernels and the scratch memory of its exchange:
// measured, because others allocate most of it.
inline constexpr std::int64_t kRankBytes = std::int64_t{6} << 20;

// What the ranks of this process take, in bytes. docs/measurement.md has the sum.
struct Memory {
  std::int64_t device = 0, server = 0;    // each of them
  std::int64_t devices = 0, servers = 0;  // how many

  std::int64_t total() const { return device * devices + server * servers; }
};

// With the plan of the network, and of the one that evaluates during training, if there is one.
Memory memory_of(const Job& job, const engine::PlanSummary& plan,
                 const engine::PlanSummary* evaluator);

// No run of the job takes less: what is known before anything is compiled.
Memory least_memory_of(const Job& job);

// Throws Error(environment) with the arithmetic when the machine does not have that much.
void refuse_too_much_memory(const Job& job, const Memory& memory,
                            const machine::Environment& environment);

}  // namespace lockstep::cli
