// Convolutions by --conv_algorithm=winograd against direct ones, pass by pass for every shape of a
// network: both engines' operations take turns, each timed alone with cold caches.
//
//   bench/conv_algorithms [MODEL:BATCH...] [--rounds R] [--threads T]
#include <fmt/format.h>
#include <omp.h>

#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/positive.h"
#include "engine/engine.h"
#include "machine/cores.h"
#include "machine/peak.h"
#include "model/zoo.h"
#include "stats/quantile.h"

namespace {

using namespace lockstep;

constexpr std::array kPasses = {"conv", "conv data", "conv weights"};

class Side {
 public:
  Side(const model::Graph& graph, int batch, engine::ConvAlgorithm algorithm)
      : labels_(static_cast<std::size_t>(batch)) {
    engine::Options options;
    options.batch = batch;
    options.conv_algorithm = algorithm;
    engine_ = engine::compile(graph, options);
    parameters_ = Buffer(engine_->parameter_floats() * sizeof(float));
    gradients_ = Buffer(engine_->parameter_floats() * sizeof(float));
    engine_->bind(parameters_.floats(), gradients_.floats());
    engine::initialise(*engine_, 1);
    const Rng rng(2);
    std::uint64_t i = 0;
    for (float& x : engine_->images().data) x = 2 * rng.uniform(i++) - 1;
    engine_->forward({labels_, 0, 0});
    engine_->backward({});
  }

  std::optional<std::size_t> step(const std::string& layer, const std::string& operation) const {
    const auto& steps = engine_->plan().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].layer == layer && steps[i].operation == operation) return i;
    }
    return {};
  }
  bool is_ours(std::size_t step) const {
    return engine_->plan().steps[step].implementation.starts_with("lockstep");
  }

  double seconds(std::size_t step) {
    evict();
    const double start = now();
    engine_->run_planned(step, {labels_, 0, 0});
    return now() - start;
  }

  std::size_t arena_bytes() const { return engine_->plan().arena_bytes; }

 private:
  static void evict() {
    static const Buffer buffer(std::size_t{96} << 20);
    const auto floats = buffer.floats();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < floats.size(); i += 16) floats[i] += 1;
  }

  std::vector<int> labels_;
  std::unique_ptr<engine::Engine> engine_;
  Buffer parameters_, gradients_;
};

void measure(const std::string& name, int batch, int rounds) {
  const model::Graph graph = model::build(model::find(name));
  Side direct(graph, batch, engine::ConvAlgorithm::direct);
  Side winograd(graph, batch, engine::ConvAlgorithm::winograd);
  const double peak = machine::measure_peak().gflops;
  fmt::print(
      "{} b{}, {} threads, {} rounds, peak {:.0f} GFLOP/s, memory {:+.1f} %\n"
      "  ms by winograd (times as fast as direct, effective share of the peak)\n"
      "  {:28}{:>24}{:>24}{:>24}\n",
      name, batch, omp_get_max_threads(), rounds, peak,
      100 * (double(winograd.arena_bytes()) / double(direct.arena_bytes()) - 1), "", "forward",
      "backward data", "backward weights");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const model::Layer& layer = graph.layers[i];
    const auto forward = winograd.step(layer.name, "conv");
    if (!forward || !winograd.is_ours(*forward)) continue;
    const model::Shape in = graph.layers[static_cast<std::size_t>(layer.inputs.front())].shape;
    const auto& conv = std::get<model::Conv>(layer.op);
    std::string line = fmt::format("{}x{}, {} -> {} at {}x{}", conv.kernel_h, conv.kernel_w, in.c,
                                   layer.shape.c, layer.shape.h, layer.shape.w);
    if (!seen.insert(line).second) continue;
    line = fmt::format("  {:28}", line);
    const double gflop = 2e-9 * batch * double(model::cost(graph, static_cast<int>(i)).macs);
    for (const char* pass : kPasses) {
      const std::size_t ours = winograd.step(layer.name, pass).value();
      const std::size_t theirs = direct.step(layer.name, pass).value();
      std::vector<double> times, ratios;
      for (int round = 0; round < rounds; ++round) {
        times.push_back(winograd.seconds(ours));
        ratios.push_back(direct.seconds(theirs) / times.back());
      }
      const double median = stats::median(times);
      line += fmt::format("{:8.2f} ({:4.2f}x, {:3.0f} %)", 1e3 * median, stats::median(ratios),
                          100 * gflop / median / peak);
    }
    fmt::print("{}\n", line);
  }
}

constexpr auto kUsage = "usage: bench/conv_algorithms [MODEL:BATCH...] [--rounds R] [--threads T]";

}  // namespace

int main(int argc, char** argv) {
  try {
    machine::correct_openmp_environment(argv);
    int rounds = 5;
    int threads = 0;
    std::vector<std::string> models;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--rounds") == 0) {
        rounds = bench::positive(i + 1 < argc ? argv[++i] : "", kUsage);
      } else if (std::strcmp(argv[i], "--threads") == 0) {
        threads = bench::positive(i + 1 < argc ? argv[++i] : "", kUsage);
      } else {
        models.emplace_back(argv[i]);
      }
    }
    if (models.empty()) models = {"vgg16:8", "resnet50_v1.5:16"};
    machine::join_team(machine::place(machine::allowed(), 1, threads).front());
    for (const std::string& model : models) {
      const auto parts = split(model, ':');
      measure(parts[0], bench::positive(parts.size() == 2 ? parts[1] : "", kUsage), rounds);
    }
  } catch (const Error& e) {
    fmt::print(stderr, "error: {}\nhint: {}\n", e.what(), e.hint());
    return static_cast<int>(e.code());
  }
  return 0;
}
