#include "cli/memory.h"

#include <algorithm>

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"
#include "comm/window.h"
#include "record/sample.h"
#include "train/optimizer.h"
#include "train/worker.h"

namespace lockstep::cli {
namespace {

// What a rank keeps of each of its peers: windows, and for every chunk the operations of the
// exchange with it, at most four, and what they wait for.
constexpr std::int64_t kPeer = 3 * sizeof(comm::Window);
constexpr std::int64_t kPeerAndChunk = 4 * 160;
constexpr std::int64_t kChunk = std::int64_t{1} << 20;  // bytes of parameters

// As many huge pages as hold it: the kernel gives no less.
std::int64_t whole_pages(std::int64_t bytes) {
  constexpr auto kPage = static_cast<std::int64_t>(Buffer::kHugePage);
  return (bytes + kPage - 1) / kPage * kPage;
}

std::int64_t chunks_of(std::int64_t parameter_bytes) {
  return 2 + parameter_bytes / kChunk;
}

std::int64_t exchange_bytes(const Job& job, std::int64_t parameter_bytes) {
  return job.member.world() * (kPeer + chunks_of(parameter_bytes) * kPeerAndChunk);
}

// Gradients and parameters, which other ranks see.
std::int64_t window_bytes(std::int64_t parameter_bytes) {
  const auto floats = static_cast<std::size_t>(parameter_bytes) / sizeof(float);
  return static_cast<std::int64_t>(
      comm::window_bytes(static_cast<std::size_t>(2 * chunks_of(parameter_bytes)), floats));
}

// These and what the optimiser keeps.
std::int64_t parameters_bytes(const Job& job, std::int64_t parameter_bytes) {
  const spec::Exchange& exchange = job.trial.exchange;
  const std::int64_t bytes = whole_pages(window_bytes(parameter_bytes));
  if (!job.training()) return bytes;
  auto copies = static_cast<std::int64_t>(train::slot_names(job.trial.optimizer.kind).size());
  if (exchange.staged_vars) ++copies;
  if (exchange.variable_consistency == spec::VariableConsistency::relaxed) ++copies;
  return bytes + copies * whole_pages(parameter_bytes);
}

// Batches that are ready ahead.
std::int64_t input_bytes(const Job& job) {
  if (job.trial.data.dir.empty()) return 0;
  const spec::Data& data = job.trial.data;
  const std::int64_t ahead =
      data.use_prefetch ? std::max(data.prefetch_buffer_size, data.batch_group_size) : 1;
  const std::int64_t image = job.graph.layers.front().shape.elements() * sizeof(float);
  return ahead * whole_pages(job.trial.batch_size * image);
}

// Recorded, and as the text in which rank 0 gets them.
std::int64_t samples_bytes(const Job& job) {
  constexpr std::int64_t kText = 256;
  return train::recorded_steps(job.batches) *
         (2 * static_cast<std::int64_t>(sizeof(record::Sample)) + kText);
}

Memory memory_of(const Job& job, std::int64_t arena_bytes, std::int64_t parameter_bytes) {
  Memory memory;
  memory.devices = std::ssize(job.placement);
  memory.servers =
      std::ranges::count_if(job.member.ranks, [&](int rank) { return rank >= job.member.workers; });
  if (!job.member.trains()) memory.devices = 0;
  const std::int64_t exchange = exchange_bytes(job, parameter_bytes);
  memory.device = kRankBytes + exchange + arena_bytes + parameters_bytes(job, parameter_bytes) +
                  input_bytes(job) + samples_bytes(job);
  // One that answers workers one by one has a window for each of them.
  const std::int64_t windows =
      quorum(job.trial.exchange, job.member.workers) > 0 ? job.member.workers : 0;
  memory.server = kRankBytes + exchange + parameters_bytes(job, parameter_bytes) +
                  whole_pages(windows * window_bytes(parameter_bytes));
  return memory;
}

// The images and the largest layer's output exist at the same time, whatever is reused.
std::int64_t least_arena_bytes(const Job& job) {
  std::int64_t largest = 0;
  for (const model::Layer& layer : job.graph.layers) {
    largest = std::max(largest, layer.inputs.empty() ? 0 : layer.shape.elements());
  }
  const std::int64_t image = job.graph.layers.front().shape.elements();
  const std::int64_t images =
      job.trial.batch_size +
      (job.evaluates_during_training() ? std::int64_t{evaluator_options(job).batch} : 0);
  return images * (image + largest) * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace

Memory memory_of(const Job& job, const engine::PlanSummary& plan,
                 const engine::PlanSummary* evaluator) {
  const auto arena = [](const engine::PlanSummary* plan_or_null) {
    return plan_or_null == nullptr
               ? 0
               : whole_pages(static_cast<std::int64_t>(plan_or_null->arena_bytes));
  };
  return memory_of(job, arena(&plan) + arena(evaluator),
                   static_cast<std::int64_t>(plan.parameter_bytes));
}

Memory least_memory_of(const Job& job) {
  const std::int64_t parameters = model::cost(job.graph).parameters;
  return memory_of(job, least_arena_bytes(job),
                   parameters * static_cast<std::int64_t>(sizeof(float)));
}

void refuse_too_much_memory(const Job& job, const Memory& memory,
                            const machine::Environment& environment) {
  // Nothing left is what a full cgroup says, and a system that does not tell its memory at all.
  if (environment.memory_bytes == 0) return;
  const std::int64_t available = environment.memory_available_bytes;
  if (memory.total() <= available) return;
  std::vector<std::string> terms;
  const auto add = [&](std::int64_t count, std::string_view noun, std::int64_t bytes) {
    if (count == 0) return;
    terms.push_back(fmt::format("{} of {}", counted(count, noun), human_bytes(double(bytes))));
  };
  add(memory.devices, "device", memory.device);
  add(memory.servers, "server", memory.server);
  const bool one = memory.devices + memory.servers == 1;
  throw Error(
      ExitCode::environment,
      fmt::format("{} with a batch of {} needs {} of memory{}, {} are available", job.trial.model,
                  job.trial.batch_size, human_bytes(double(memory.total())),
                  one ? "" : fmt::format(" ({})", join(terms, ", ")),
                  human_bytes(double(available))),
      fmt::format("lower {}--batch_size, or use a smaller model", one ? "" : "--devices or "));
}

}  // namespace lockstep::cli
