// One training step against what bounds it, in one interleaved run: the machine's FMA peak, and the
// sum of the step's own operations, each timed alone with cold caches. Where much of a network fits
// into the caches a step is faster than that, whatever else it wastes: so the operations are timed
// in turn, too, with the caches as the step leaves them; that also takes as long as a step, so its
// jitter is what a step's is measured by.
//
//   bench/engine_parts [MODEL:BATCH...] [--rounds R] [--threads T]
#include <fmt/format.h>
#include <omp.h>

#include <string>
#include <vector>

#include "bench/bootstrap.h"
#include "bench/bound_engine.h"
#include "bench/networks.h"
#include "machine/peak.h"
#include "model/zoo.h"
#include "result/result.h"
#include "stats/quantile.h"

namespace {

using namespace lockstep;

struct Parts {
  double all = 0, library = 0;  // with cold caches
  double in_turn = 0;
};

// Each operation once, in order, so that its operands hold what they do in training.
Parts time_parts(bench::BoundEngine& engine) {
  Parts sum;
  const auto& steps = engine.plan().steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double seconds = engine.seconds_of(i);
    sum.all += seconds;
    if (!steps[i].implementation.starts_with("lockstep")) sum.library += seconds;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) sum.in_turn += engine.seconds_in_turn(i);
  return sum;
}

void measure(const std::string& name, int batch, int rounds) {
  const model::Graph graph = model::build(model::find(name));
  engine::Options options;
  options.batch = batch;
  bench::BoundEngine engine(graph, options);
  engine.seconds_of_step();
  std::vector<double> steps, all, library, in_turn, of_peak, of_parts, of_turn;
  double peak = 0;
  for (int r = 0; r < rounds; ++r) {
    peak = machine::measure_peak().gflops;
    steps.push_back(engine.seconds_of_step());
    const Parts parts = time_parts(engine);
    all.push_back(parts.all);
    library.push_back(parts.library);
    in_turn.push_back(parts.in_turn);
    of_parts.push_back(parts.all / steps.back());
    of_turn.push_back(parts.in_turn / steps.back());
    of_peak.push_back(result::gflops(double(model::cost(graph).macs), batch / steps.back(),
                                     spec::Mode::training) /
                      peak);
  }
  const stats::Interval peak_interval = bench::bootstrap(of_peak);
  const stats::Interval parts_interval = bench::bootstrap(of_parts);
  const stats::Interval turn_interval = bench::bootstrap(of_turn);
  fmt::print(
      "{} b{}, {} threads, {} rounds\n"
      "  step                {:8.1f} ms (jitter {:.1f} ms), {:.2f} images/s\n"
      "  its parts, cold     {:8.1f} ms (jitter {:.1f} ms), of which oneDNN {:.1f} ms\n"
      "  its parts, in turn  {:8.1f} ms (jitter {:.1f} ms)\n"
      "  share of FMA peak   {:8.1f} %  [{:.1f}, {:.1f}]   (peak {:.0f} GFLOP/s)\n"
      "  cold parts / step   {:8.1f} %  [{:.1f}, {:.1f}]\n"
      "  in turn / step      {:8.1f} %  [{:.1f}, {:.1f}]\n"
      "  jitter / parts'     {:8.2f} x\n",
      name, batch, omp_get_max_threads(), rounds, 1e3 * stats::median(steps),
      1e3 * stats::robust_deviation(steps), batch / stats::median(steps), 1e3 * stats::median(all),
      1e3 * stats::robust_deviation(all), 1e3 * stats::median(library),
      1e3 * stats::median(in_turn), 1e3 * stats::robust_deviation(in_turn),
      100 * stats::median(of_peak), 100 * peak_interval.low, 100 * peak_interval.high, peak,
      100 * stats::median(of_parts), 100 * parts_interval.low, 100 * parts_interval.high,
      100 * stats::median(of_turn), 100 * turn_interval.low, 100 * turn_interval.high,
      stats::robust_deviation(steps) / stats::robust_deviation(in_turn));
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run(
      {.usage = "usage: bench/engine_parts [MODEL:BATCH...] [--rounds R] [--threads T]",
       .models = {"resnet50_v1.5:16", "inception3:8", "vgg16:8", "alexnet:64"},
       .rounds = 9,
       .measure = measure},
      argc, argv);
}
