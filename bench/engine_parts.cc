// One training step against what bounds it, in one interleaved run: the machine's FMA peak, and the
// sum of the step's own operations, each timed alone with cold caches.
//
//   bench/engine_parts [MODEL:BATCH...] [--rounds R] [--threads T]
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/bootstrap.h"
#include "bench/positive.h"
#include "engine/engine.h"
#include "machine/cores.h"
#include "machine/peak.h"
#include "model/zoo.h"
#include "stats/quantile.h"
#include "stats/result.h"

namespace {

using namespace lockstep;

class Bench {
 public:
  Bench(const std::string& name, int batch)
      : graph_(model::build(model::find(name))), batch_(batch), labels_(batch) {
    engine::Options options;
    options.batch = batch;
    engine_ = engine::compile(graph_, options);
    parameters_ = Buffer(engine_->parameter_floats() * sizeof(float));
    gradients_ = Buffer(engine_->parameter_floats() * sizeof(float));
    engine_->bind(parameters_.floats(), gradients_.floats());
    engine::initialise(*engine_, 1);
    const Rng rng(2);
    std::uint64_t i = 0;
    for (float& x : engine_->images().data) x = 2 * rng.uniform(i++) - 1;
    for (int n = 0; n < batch; ++n) labels_[n] = n % graph_.classes();
  }

  double step() {
    const double start = now();
    engine_->forward({labels_, 0, 0});
    engine_->backward({});
    return now() - start;
  }

  struct Parts {
    double all = 0, library = 0;
  };
  // Each operation once, in order, so that its operands hold what they do in training; everything
  // that fits a cache is thrown out before each.
  Parts parts() {
    Parts sum;
    const auto& steps = engine_->plan().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      evict();
      const double start = now();
      engine_->run_planned(i, {labels_, 0, 0});
      const double seconds = now() - start;
      sum.all += seconds;
      if (!steps[i].implementation.starts_with("lockstep")) sum.library += seconds;
    }
    return sum;
  }

  double gflops(double step_seconds) const {
    return stats::gflops(double(model::cost(graph_).macs), batch_ / step_seconds,
                         spec::Mode::training);
  }

 private:
  void evict() {
    const auto floats = eviction_.floats();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < floats.size(); i += 16) floats[i] += 1;
  }

  model::Graph graph_;
  int batch_;
  std::vector<int> labels_;
  std::unique_ptr<engine::Engine> engine_;
  Buffer parameters_, gradients_;
  Buffer eviction_ = Buffer(std::size_t{96} << 20);
};

void measure(const std::string& name, int batch, int rounds) {
  Bench bench(name, batch);
  bench.step();
  std::vector<double> steps, all, library, of_peak, of_parts;
  double peak = 0;
  for (int r = 0; r < rounds; ++r) {
    peak = machine::measure_peak().gflops;
    steps.push_back(bench.step());
    const Bench::Parts parts = bench.parts();
    all.push_back(parts.all);
    library.push_back(parts.library);
    of_parts.push_back(parts.all / steps.back());
    of_peak.push_back(bench.gflops(steps.back()) / peak);
  }
  const stats::Interval peak_interval = bench::bootstrap(of_peak);
  const stats::Interval parts_interval = bench::bootstrap(of_parts);
  fmt::print(
      "{} b{}, {} threads, {} rounds\n"
      "  step                {:8.1f} ms (jitter {:.1f} ms), {:.2f} images/s\n"
      "  sum of its parts    {:8.1f} ms (jitter {:.1f} ms), of which oneDNN {:.1f} ms\n"
      "  share of FMA peak   {:8.1f} %  [{:.1f}, {:.1f}]   (peak {:.0f} GFLOP/s)\n"
      "  parts / step        {:8.1f} %  [{:.1f}, {:.1f}]\n"
      "  jitter / parts'     {:8.2f} x\n",
      name, batch, omp_get_max_threads(), rounds, 1e3 * stats::median(steps),
      1e3 * stats::robust_deviation(steps), batch / stats::median(steps), 1e3 * stats::median(all),
      1e3 * stats::robust_deviation(all), 1e3 * stats::median(library),
      100 * stats::median(of_peak), 100 * peak_interval.low, 100 * peak_interval.high, peak,
      100 * stats::median(of_parts), 100 * parts_interval.low, 100 * parts_interval.high,
      stats::robust_deviation(steps) / stats::robust_deviation(all));
}

constexpr auto kUsage = "usage: bench/engine_parts [MODEL:BATCH...] [--rounds R] [--threads T]";

}  // namespace

int main(int argc, char** argv) {
  try {
    machine::correct_openmp_environment(argv);
    int rounds = 9;
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
    if (models.empty()) models = {"resnet50_v1.5:16", "inception3:8", "vgg16:8", "alexnet:64"};
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
