#include "cli/outlook.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "machine/cores.h"
#include "machine/memory.h"

namespace lockstep::cli {
namespace {

// Forward, and in training the gradients of the data and of the weights, which cost the same.
double passes(const Job& job) {
  return job.training() ? 3 : 1;
}

// Bytes of one forward pass: every layer reads its inputs and writes its output for every image,
// and reads its parameters once.
double forward_bytes(const Job& job) {
  std::int64_t elements = 0;
  for (const model::Layer& layer : job.graph.layers) {
    if (layer.inputs.empty()) continue;  // the images are there already
    elements += layer.shape.elements();
    for (const int input : layer.inputs) {
      elements += job.graph.layers[static_cast<std::size_t>(input)].shape.elements();
    }
  }
  return sizeof(float) * (double(elements) * double(job.global_batch()) +
                          double(model::cost(job.graph).parameters));
}

}  // namespace

double expected_step_seconds(const Job& job, double gflops, double gigabytes_per_second) {
  constexpr double kTypicalShare = 0.75;
  const double macs = double(model::cost(job.graph).macs) * double(job.global_batch());
  const double arithmetic = 2 * macs / (gflops * 1e9 * kTypicalShare);
  const double traffic = forward_bytes(job) / (gigabytes_per_second * 1e9);
  return passes(job) * std::max(arithmetic, traffic);
}

double expected_run_seconds(const Job& job, double step_seconds) {
  constexpr int kTypicalWarmup = 5;
  const int warmup = job.trial.num_warmup_batches.value_or(kTypicalWarmup);
  double timed = step_seconds * double(job.batches);
  // The step that crosses the limit is finished.
  if (job.trial.max_time) timed = std::min(timed, *job.trial.max_time + step_seconds);
  return step_seconds * warmup + timed;
}

std::string outlook(const Job& job, const machine::Peak& peak, const Memory& memory) {
  // Small, because the first step waits for it; a larger cache makes the outlook too bright.
  constexpr std::size_t kMeasuredBytes = std::size_t{8} << 20;
  const double memory_speed = machine::measure_memory(kMeasuredBytes).read;
  const double step = expected_step_seconds(job, peak.gflops, memory_speed);
  const std::int64_t devices = std::ssize(job.placement);
  const std::string threads = counted(std::ssize(job.placement.front()), "thread");
  // Memory and processors are those of this process.
  const bool alone = job.member.workers == devices;
  return fmt::format(
      "{}{} of memory; {} on processor{} {}; FMA peak{} {:.0f} GFLOP/s ({}); about {} a step, {} "
      "in "
      "all",
      devices == 1 ? "" : fmt::format("{} times ", devices),
      human_bytes(double(memory.device)) +
          (memory.servers == 0
               ? ""
               : fmt::format(" and {} for {}", human_bytes(double(memory.server * memory.servers)),
                             counted(memory.servers, "server"))),
      devices == 1 ? threads : fmt::format("{} of {}", counted(devices, "device"), threads),
      job.processors().size() == 1 ? "" : "s", machine::ranges(job.processors()),
      alone ? "" : fmt::format(" of all {} ranks", job.member.workers), peak.gflops,
      peak.instructions, human_seconds(step), human_seconds(expected_run_seconds(job, step)));
}

}  // namespace lockstep::cli
