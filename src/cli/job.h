#pragma once

#include <cstdint>
#include <vector>

#include "cli/membership.h"
#include "engine/engine.h"
#include "machine/environment.h"
#include "model/zoo.h"
#include "spec/trial.h"

namespace lockstep::cli {

// A trial with everything that follows from it before anything is compiled.
struct Job {
  spec::Trial trial;  // names and sizes resolved: what a result carries
  const model::Model* model = nullptr;
  model::Graph graph;
  std::int64_t batches = 0;                 // timed steps, unless something ends the run earlier
  std::vector<std::vector<int>> placement;  // the processors of each device's team

  std::vector<int> processors() const;  // of all devices, ascending
  // More devices than there are cores for them.
  bool oversubscribed() const;

  Membership member;

  std::int64_t global_batch() const { return std::int64_t{trial.batch_size} * member.workers; }
  bool training() const { return trial.mode == spec::Mode::training; }
};
// Throws Error(usage) for a model that is not there, images that are too small for it or more
// threads than cores. Call it before the thread joins a team.
Job make_job(spec::Trial trial, const Membership& member);

engine::Options engine_options(const Job& job);

// Of one device: the plan's arena, the parameters, and in training gradients and optimizer slots.
std::int64_t memory_bytes(const Job& job, const engine::PlanSummary& plan);
// Throws Error(environment) when the machine does not have that much for every device.
void refuse_too_much_memory(const Job& job, std::int64_t bytes_per_device,
                            const machine::Environment& environment);

}  // namespace lockstep::cli
