#include "cli/job.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "machine/cores.h"
#include "spec/combinations.h"
#include "train/epochs.h"
#include "train/optimizer.h"

namespace lockstep::cli {
namespace {

// Whether the launcher gave this process cores of its own, so that there is nothing to share.
bool bound_by_launcher(const machine::Allowed& allowed) {
  return static_cast<long>(allowed.processors.size()) < sysconf(_SC_NPROCESSORS_ONLN);
}

// Devices that share cores have one thread each: larger teams would spin for a core that another
// one has.
std::vector<std::vector<int>> shared_cores(const machine::Allowed& allowed, int devices,
                                           int threads) {
  if (threads > 1) {
    throw Error(ExitCode::usage,
                fmt::format("{} devices of {} threads do not fit on {} cores", devices, threads,
                            allowed.usable),
                "devices that share cores (--oversubscribe) have one thread each");
  }
  std::vector<std::vector<int>> groups;
  for (int device = 0; device < devices; ++device) {
    groups.push_back({allowed.processors[static_cast<std::size_t>(device % allowed.usable)]});
  }
  return groups;
}

// The processors of each device of this process: its share of the host's.
std::vector<std::vector<int>> placement(const spec::Trial& trial, const Membership& member) {
  const machine::Allowed allowed = machine::allowed();
  if (!member.trains()) return {{allowed.processors.front()}};
  const auto mine = static_cast<int>(
      std::ranges::count_if(member.ranks, [&](int r) { return r < member.workers; }));
  const bool shares = member.local_workers > mine && !bound_by_launcher(allowed);
  const int devices = shares ? member.local_workers : mine;
  const auto groups = trial.oversubscribe && devices > allowed.usable
                          ? shared_cores(allowed, devices, trial.threads_per_device)
                          : machine::place(allowed, devices, trial.threads_per_device);
  const auto first = groups.begin() + (shares ? member.local_first : 0);
  return {first, first + mine};
}

}  // namespace

std::vector<int> Job::processors() const {
  std::vector<int> all;
  for (const std::vector<int>& device : placement) {
    all.insert(all.end(), device.begin(), device.end());
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

bool Job::oversubscribed() const {
  return trial.oversubscribe && member.local_workers > machine::allowed().usable;
}

Job make_job(spec::Trial trial, const Membership& member) {
  spec::check_ranks(trial, member.workers);
  Job job;
  job.member = member;
  job.model = &model::find(trial.model, trial.dataset);
  job.graph =
      model::build(*job.model, {.image_size = trial.image_size, .num_classes = trial.num_classes});
  trial.model = job.model->name;
  trial.dataset = job.model->dataset;
  trial.image_size = job.graph.layers.front().shape.h;
  trial.num_classes = job.graph.classes();
  if (trial.batch_size == 0) trial.batch_size = job.model->batch_size;
  if (!trial.optimizer.weight_decay) trial.optimizer.weight_decay = job.model->weight_decay;
  if (trial.label_smoothing < 0) trial.label_smoothing = job.graph.label_smoothing;
  job.placement = placement(trial, member);
  trial.threads_per_device = static_cast<int>(job.placement.front().size());
  job.trial = std::move(trial);
  job.batches = train::timed_batches(job.trial, *job.model, job.global_batch());
  return job;
}

engine::Options engine_options(const Job& job) {
  constexpr std::array kLayouts = {engine::Layout::automatic, engine::Layout::automatic,
                                   engine::Layout::nhwc, engine::Layout::nchw};
  constexpr std::array kAlgorithms = {engine::ConvAlgorithm::automatic,
                                      engine::ConvAlgorithm::direct,
                                      engine::ConvAlgorithm::winograd};
  engine::Options options;
  options.batch = job.trial.batch_size;
  options.mode = job.training() ? engine::Mode::training : engine::Mode::evaluation;
  options.layout = kLayouts[static_cast<std::size_t>(job.trial.data_format)];
  options.conv_algorithm = kAlgorithms[static_cast<std::size_t>(job.trial.conv_algorithm)];
  options.workspace_bytes = static_cast<std::size_t>(job.trial.workspace_mb) << 20;
  options.label_smoothing = static_cast<float>(job.trial.label_smoothing);
  options.seed = job.trial.seed;
  return options;
}

std::int64_t memory_bytes(const Job& job, const engine::PlanSummary& plan) {
  const int copies = job.training() ? 2 + train::optimizer_slots(job.trial.optimizer.kind) : 1;
  return static_cast<std::int64_t>(plan.arena_bytes) +
         copies * static_cast<std::int64_t>(plan.parameter_bytes);
}

void refuse_too_much_memory(const Job& job, std::int64_t bytes_per_device,
                            const machine::Environment& environment) {
  const std::int64_t bytes = bytes_per_device * static_cast<std::int64_t>(job.placement.size());
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
