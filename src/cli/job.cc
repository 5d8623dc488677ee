#include "cli/job.h"

#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "machine/cores.h"
#include "spec/names.h"
#include "train/epochs.h"
#include "train/optimizer.h"

namespace lockstep::cli {
namespace {

void refuse_several(const spec::Trial& trial) {
  if (trial.cluster.job_name != spec::JobName::none) {
    throw Error(ExitCode::usage,
                fmt::format("--job_name={} is not supported in this version: a run is one process "
                            "on one machine",
                            spec::name(trial.cluster.job_name)),
                "leave --job_name and the hosts out");
  }
  if (trial.devices > 1) {
    throw Error(ExitCode::usage,
                fmt::format("--num_gpus={} is not supported in this version: several devices come "
                            "with a later one",
                            trial.devices),
                "--num_gpus=1 trains on one device, with all allowed cores");
  }
}

}  // namespace

Job make_job(spec::Trial trial) {
  refuse_several(trial);
  Job job;
  job.model = &model::find(trial.model, trial.dataset);
  job.graph =
      model::build(*job.model, {.image_size = trial.image_size, .num_classes = trial.num_classes});
  trial.model = job.model->name;
  trial.dataset = job.model->dataset;
  trial.image_size = job.graph.layers.front().shape.h;
  trial.num_classes = job.graph.classes();
  if (trial.batch_size == 0) trial.batch_size = job.model->batch_size;
  if (trial.label_smoothing < 0) trial.label_smoothing = job.graph.label_smoothing;
  job.processors =
      machine::place(machine::allowed(), trial.devices, trial.threads_per_device).front();
  trial.threads_per_device = static_cast<int>(job.processors.size());
  job.trial = std::move(trial);
  job.batches = train::timed_batches(job.trial, *job.model, job.global_batch());
  return job;
}

engine::Options engine_options(const Job& job) {
  constexpr std::array kLayouts = {engine::Layout::automatic, engine::Layout::automatic,
                                   engine::Layout::nhwc, engine::Layout::nchw};
  engine::Options options;
  options.batch = job.trial.batch_size;
  options.mode = job.training() ? engine::Mode::training : engine::Mode::evaluation;
  options.layout = kLayouts[static_cast<std::size_t>(job.trial.data_format)];
  options.label_smoothing = static_cast<float>(job.trial.label_smoothing);
  options.seed = job.trial.seed;
  return options;
}

std::int64_t memory_bytes(const Job& job, const engine::PlanSummary& plan) {
  const int copies = job.training() ? 2 + train::optimizer_slots(job.trial.optimizer.kind) : 1;
  return static_cast<std::int64_t>(plan.arena_bytes) +
         copies * static_cast<std::int64_t>(plan.parameter_bytes);
}

void refuse_too_much_memory(const Job& job, std::int64_t bytes,
                            const machine::Environment& environment) {
  // Nothing left is what a full cgroup says, and a system that does not tell its memory at all.
  if (environment.memory_bytes == 0) return;
  const std::int64_t available = environment.memory_available_bytes;
  if (bytes <= available) return;
  throw Error(
      ExitCode::environment,
      fmt::format("{} with a batch of {} needs {} of memory, {} are available", job.trial.model,
                  job.trial.batch_size, human_bytes(double(bytes)), human_bytes(double(available))),
      "lower --batch_size, or use a smaller model");
}

}  // namespace lockstep::cli
