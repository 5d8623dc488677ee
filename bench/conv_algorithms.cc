// Convolutions by --conv_algorithm=winograd against direct ones, pass by pass for every shape of a
// network: both engines' operations take turns, each timed alone with cold caches.
//
//   bench/conv_algorithms [MODEL:BATCH...] [--rounds R] [--threads T]
#include <fmt/format.h>
#include <omp.h>

#include <array>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "bench/bound_engine.h"
#include "bench/networks.h"
#include "machine/peak.h"
#include "model/zoo.h"
#include "stats/quantile.h"

namespace {

using namespace lockstep;
using bench::BoundEngine;

constexpr std::array kPasses = {"conv", "conv data", "conv weights"};

std::optional<std::size_t> operation(const BoundEngine& engine, const std::string& layer,
                                     const std::string& name) {
  const auto& steps = engine.plan().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].layer == layer && steps[i].operation == name) return i;
  }
  return {};
}

bool is_ours(const BoundEngine& engine, std::size_t operation) {
  return engine.plan().steps[operation].implementation.starts_with("lockstep");
}

void measure(const std::string& name, int batch, int rounds) {
  const model::Graph graph = model::build(model::find(name));
  engine::Options options;
  options.batch = batch;
  options.conv_algorithm = engine::ConvAlgorithm::direct;
  BoundEngine direct(graph, options);
  options.conv_algorithm = engine::ConvAlgorithm::winograd;
  BoundEngine winograd(graph, options);
  for (BoundEngine* engine : {&direct, &winograd}) engine->seconds_of_step();
  const double peak = machine::measure_peak().gflops;
  fmt::print(
      "{} b{}, {} threads, {} rounds, peak {:.0f} GFLOP/s, memory {:+.1f} %\n"
      "  ms by winograd (times as fast as direct, effective share of the peak)\n"
      "  {:28}{:>24}{:>24}{:>24}\n",
      name, batch, omp_get_max_threads(), rounds, peak,
      100 * (double(winograd.plan().arena_bytes) / double(direct.plan().arena_bytes) - 1), "",
      "forward", "backward data", "backward weights");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const model::Layer& layer = graph.layers[i];
    const auto forward = operation(winograd, layer.name, "conv");
    if (!forward || !is_ours(winograd, *forward)) continue;
    const model::Shape in = graph.layers[static_cast<std::size_t>(layer.inputs.front())].shape;
    const auto& conv = std::get<model::Conv>(layer.op);
    std::string line = fmt::format("{}x{}, {} -> {} at {}x{}", conv.kernel_h, conv.kernel_w, in.c,
                                   layer.shape.c, layer.shape.h, layer.shape.w);
    if (!seen.insert(line).second) continue;
    line = fmt::format("  {:28}", line);
    const double gflop = 2e-9 * batch * double(model::cost(graph, static_cast<int>(i)).macs);
    for (const char* pass : kPasses) {
      const std::size_t ours = operation(winograd, layer.name, pass).value();
      const std::size_t theirs = operation(direct, layer.name, pass).value();
      std::vector<double> times, ratios;
      for (int round = 0; round < rounds; ++round) {
        times.push_back(winograd.seconds_of(ours));
        ratios.push_back(direct.seconds_of(theirs) / times.back());
      }
      const double median = stats::median(times);
      line += fmt::format("{:8.2f} ({:4.2f}x, {:3.0f} %)", 1e3 * median, stats::median(ratios),
                          100 * gflop / median / peak);
    }
    fmt::print("{}\n", line);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run(
      {.usage = "usage: bench/conv_algorithms [MODEL:BATCH...] [--rounds R] [--threads T]",
       .models = {"vgg16:8", "resnet50_v1.5:16"},
       .rounds = 5,
       .measure = measure},
      argc, argv);
}
