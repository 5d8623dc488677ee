#include "engine/onednn/conv_choice.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/rng.h"
#include "engine/onednn/onednn.h"
#include "engine/onednn/winograd.h"

namespace lockstep::engine::onednn {
namespace {

constexpr double kMacsPerThread = 1e9;  // of a pass: some ten milliseconds
constexpr int kRepetitions = 3;

// As many images of the batch as it takes to tell the ways apart.
int images_to_time(const Compiler& c, int layer) {
  const double macs = static_cast<double>(model::cost(c.graph(), layer).macs);
  const double enough = std::ceil(kMacsPerThread * omp_get_max_threads() / macs);
  return static_cast<int>(std::min<double>(c.options().batch, enough));
}

// All that the times depend on besides the program and the machine, of which a name says nothing:
// ranks of a run have one table, on whatever machines.
std::string name_of_shape(const Compiler& c, int layer, const model::Conv& op) {
  const model::Shape in = c.layer(c.input(layer)).shape;
  const model::Shape out = c.layer(layer).shape;
  return fmt::format("{} {}x{}x{}x{} -> {}x{}x{}, {}x{} from {},{}",
                     c.training() ? "train" : "infer", c.options().batch, in.c, in.h, in.w, out.c,
                     out.h, out.w, op.kernel_h, op.kernel_w, -op.padding.top, -op.padding.left);
}

// Few channels do not pay for the transforms.
ConvAlgorithm by_rule(const Compiler& c, int layer, const model::Conv& op) {
  constexpr int kEnough = 16;
  const bool pays = std::min(c.layer(c.input(layer)).shape.c, op.filters) >= kEnough;
  return pays ? ConvAlgorithm::winograd : ConvAlgorithm::direct;
}

// A convolution computed one way, between layers that hardly cost anything: the one before gives it
// images in the layout that the library's convolutions pass on.
class Candidate {
 public:
  Candidate(const Compiler& c, int layer, ConvAlgorithm algorithm) {
    model::Graph graph;
    const model::Shape in = c.layer(c.input(layer)).shape;
    const model::Node x = model::conv(model::input(graph, {8, in.h, in.w}), in.c, 1);
    graph.layers.push_back(c.layer(layer));
    graph.layers.back().name = kName;
    graph.layers.back().inputs = {x.layer()};
    const model::Node y(graph, static_cast<int>(graph.layers.size()) - 1);
    model::classify(model::global_mean(y), 2);

    Options options = c.options();
    options.batch = images_to_time(c, layer);
    options.conv_algorithm = algorithm;
    options.workspace_share = 1;
    engine_ = onednn::compile(graph, options);
    parameters_ = Buffer(engine_->parameter_floats() * sizeof(float));
    gradients_ = Buffer(engine_->parameter_floats() * sizeof(float));
    engine_->bind(parameters_.floats(), gradients_.floats());
    initialise(*engine_, options.seed);
    const Rng rng(options.seed);
    std::uint64_t pixel = 0;
    for (float& value : engine_->images().data) value = rng.uniform(pixel++);
    labels_.resize(static_cast<std::size_t>(options.batch));
    least_.assign(engine_->plan().steps.size(), HUGE_VAL);
  }

  // A whole step of training.
  void repeat() {
    for (std::size_t i = 0; i < least_.size(); ++i) {
      const double start = now();
      engine_->run_planned(i, {labels_, 0, 0});
      least_[i] = std::min(least_[i], now() - start);
    }
  }

  // Of the convolution's own operations, each at its best.
  double seconds() const {
    double sum = 0;
    for (std::size_t i = 0; i < least_.size(); ++i) {
      if (engine_->plan().steps[i].layer == kName) sum += least_[i];
    }
    return sum;
  }

 private:
  static constexpr auto kName = "timed";

  std::unique_ptr<Engine> engine_;
  Buffer parameters_, gradients_;
  std::vector<int> labels_;
  std::vector<double> least_;  // seconds, by step of the plan
};

// They take turns, so that a disturbance hits both.
ConvAlgorithm faster(const Compiler& c, int layer) {
  Candidate direct(c, layer, ConvAlgorithm::direct);
  Candidate winograd(c, layer, ConvAlgorithm::winograd);
  for (int i = 0; i < kRepetitions; ++i) {
    direct.repeat();
    winograd.repeat();
  }
  return winograd.seconds() < direct.seconds() ? ConvAlgorithm::winograd : ConvAlgorithm::direct;
}

}  // namespace

ConvAlgorithm conv_algorithm(const Compiler& c, int layer, const model::Conv& op) {
  const Options& options = c.options();
  if (options.conv_algorithm == ConvAlgorithm::direct) return ConvAlgorithm::direct;
  if (!accepts_winograd(c, layer, op)) return ConvAlgorithm::direct;
  if (options.conv_algorithm == ConvAlgorithm::winograd) return ConvAlgorithm::winograd;
  const auto chosen = options.conv_choices.find(name_of_shape(c, layer, op));
  return chosen != options.conv_choices.end() ? chosen->second : by_rule(c, layer, op);
}

ConvChoices choose_convolutions(const model::Graph& graph, const Options& options, double seconds) {
  ConvChoices choices;
  if (options.conv_algorithm != ConvAlgorithm::automatic) return choices;
  const Compiler c(graph, options);
  const double deadline = now() + seconds;
  for (int layer = 0; layer < static_cast<int>(graph.layers.size()); ++layer) {
    const auto* op = std::get_if<model::Conv>(&c.layer(layer).op);
    if (op == nullptr || !accepts_winograd(c, layer, *op)) continue;
    const std::string name = name_of_shape(c, layer, *op);
    if (choices.contains(name)) continue;
    const bool timed = !options.conv_choices.contains(name) && now() < deadline;
    choices[name] = timed ? faster(c, layer) : conv_algorithm(c, layer, *op);
  }
  return choices;
}

}  // namespace lockstep::engine::onednn
