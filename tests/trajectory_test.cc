// Ten training steps of whole networks against tests/trajectories.json, which an independent
// framework computed from its own description of the networks: see tools/trajectories.py, whose
// formulas for the start are repeated here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/files.h"
#include "engine/engine.h"
#include "model/graph.h"
#include "model/zoo.h"

namespace lockstep {
namespace {

// PyTorch's own float32 runs show how far rounding alone carries a loss from the truth. Another
// order of summation may carry it further, but not by orders of magnitude; where those runs hit the
// truth by chance, a small part of the loss is allowed, far less than a step changes.
constexpr double kOrdersOfSummation = 10;
constexpr double kLossRounding = 2e-4;
// A unit whose input is 0 up to rounding lies on either side of its ReLU's kink. It adds to the
// gradients of its channel or does not: up to a percent of a small tensor's, or a few times what
// those runs saw of it.
constexpr double kGradientRounding = 0.01;
constexpr double kMoreKinks = 4;

struct Case {
  std::string_view model;
  engine::Layout layout = engine::Layout::automatic;
  engine::ConvAlgorithm conv_algorithm = engine::ConvAlgorithm::direct;
};

std::string_view layout_name(engine::Layout layout) {
  switch (layout) {
    case engine::Layout::automatic:
      return "automatic";
    case engine::Layout::nchw:
      return "nchw";
    case engine::Layout::nhwc:
      return "nhwc";
  }
  return "";
}

std::string name_of(const Case& c) {
  const bool winograd = c.conv_algorithm == engine::ConvAlgorithm::winograd;
  return std::string(c.model) + "_" + std::string(winograd ? "winograd" : layout_name(c.layout));
}

void PrintTo(const Case& c, std::ostream* out) {
  *out << name_of(c);
}

nlohmann::json expected_for(std::string_view model) {
  const auto file = nlohmann::json::parse(read_file(LOCKSTEP_TRAJECTORIES));
  for (const auto& run : file.at("runs")) {
    if (run.at("model") == model) return run;
  }
  throw std::out_of_range("no trajectory of " + std::string(model));
}

// Spread evenly over [-1, 1] and exact in float: cubing permutes the residues of 65537.
float u(std::int64_t i, std::int64_t stream) {
  const std::int64_t t = (i + 10007 * (stream + 1)) % 65537;
  return static_cast<float>(t * t * t % 65537 - 32768) / 32768.0F;
}

// Parameter `number` in the order of model::parameters(); images are stream 0.
std::vector<float> start_value(const model::Parameter& parameter, int number) {
  std::vector<float> values(static_cast<std::size_t>(parameter.elements()));
  const double fan_in = static_cast<double>(parameter.elements()) / parameter.shape.front();
  const auto width = static_cast<float>(std::sqrt(6 / fan_in));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float x = u(static_cast<std::int64_t>(i), number + 1);
    switch (parameter.role) {
      case model::Parameter::Role::weights:
        values[i] = width * x;
        break;
      case model::Parameter::Role::bias:
        values[i] = x / 8;
        break;
      case model::Parameter::Role::scale:
      case model::Parameter::Role::shift:
        values[i] = 0.5F + x / 8;
        break;
    }
  }
  return values;
}

model::Graph build_without_dropout(const nlohmann::json& run) {
  model::Graph graph =
      model::build(model::find(run.at("model").get<std::string>()),
                   {.image_size = run.at("image_size"), .num_classes = run.at("classes")});
  for (model::Layer& layer : graph.layers) {
    if (auto* dropout = std::get_if<model::Dropout>(&layer.op)) dropout->keep = 1;
  }
  return graph;
}

// A network at the start of its trajectory, with the plainest of optimisers.
class Training {
 public:
  Training(const model::Graph& graph, const nlohmann::json& run, const Case& c)
      : engine_(engine::compile(graph, {.batch = run.at("batch"),
                                        .layout = c.layout,
                                        .conv_algorithm = c.conv_algorithm,
                                        .workspace_share = 1})),
        values_(engine_->parameter_floats() * sizeof(float)),
        gradients_(engine_->parameter_floats() * sizeof(float)),
        velocities_(engine_->parameter_floats(), 0.0F),
        learning_rate_(run.at("learning_rate")),
        momentum_(run.at("momentum")),
        nesterov_(run.at("nesterov")),
        weight_decay_(run.at("weight_decay")) {
    engine_->bind(values_.floats().first(velocities_.size()),
                  gradients_.floats().first(velocities_.size()));
    const auto parameters = model::parameters(graph);
    for (std::size_t number = 0; number < parameters.size(); ++number) {
      engine_->set_parameter(index_of(parameters[number].name),
                             start_value(parameters[number], static_cast<int>(number)));
    }
    fill_images();
    for (int n = 0; n < engine_->images().n; ++n) labels_.push_back((7 * n + 3) % graph.classes());
  }

  double forward_backward() {
    const float loss = engine_->forward({.labels = labels_, .step = step_++});
    engine_->backward([](int) {});
    return loss;
  }

  void update() {
    const auto values = values_.floats();
    const auto gradients = gradients_.floats();
    for (const engine::Parameter& parameter : engine_->parameters()) {
      const float decay = parameter.plain.decays ? weight_decay_ : 0;
      for (std::size_t i = parameter.offset; i < parameter.offset + parameter.size; ++i) {
        const float gradient = gradients[i] + decay * values[i];
        velocities_[i] = momentum_ * velocities_[i] + gradient;
        values[i] -=
            learning_rate_ * (nesterov_ ? gradient + momentum_ * velocities_[i] : velocities_[i]);
      }
    }
  }

  std::vector<float> gradient(std::string_view name) const {
    return engine_->gradient(index_of(name));
  }

 private:
  int index_of(std::string_view name) const {
    const auto all = engine_->parameters();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const engine::Parameter& p) { return p.plain.name == name; });
    if (found == all.end()) throw std::out_of_range("the engine lacks " + std::string(name));
    return static_cast<int>(found - all.begin());
  }

  void fill_images() {
    const engine::ImageBuffer to = engine_->images();
    std::int64_t i = 0;
    for (int n = 0; n < to.n; ++n) {
      for (int c = 0; c < to.c; ++c) {
        for (int y = 0; y < to.h; ++y) {
          for (int x = 0; x < to.w; ++x) {
            const std::int64_t at =
                to.offset + n * to.stride_n + c * to.stride_c + y * to.stride_h + x * to.stride_w;
            to.data[static_cast<std::size_t>(at)] = u(i++, 0);
          }
        }
      }
    }
  }

  std::unique_ptr<engine::Engine> engine_;
  Buffer values_;
  Buffer gradients_;
  std::vector<float> velocities_;
  std::vector<int> labels_;
  std::uint64_t step_ = 0;
  float learning_rate_;
  float momentum_;
  bool nesterov_;
  float weight_decay_;
};

struct Summary {
  double norm = 0;
  double along = 0;  // the product with a fixed direction: sees a wrong order or sign
};

Summary summarise(const std::vector<float>& gradient, int number) {
  Summary s;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double g = gradient[i];
    s.norm += g * g;
    s.along += g * u(static_cast<std::int64_t>(i), number + 1);
  }
  s.norm = std::sqrt(s.norm);
  return s;
}

void expect_gradients(const nlohmann::json& run, const model::Graph& graph,
                      const Training& training) {
  const auto& expected = run.at("gradients");
  const auto parameters = model::parameters(graph);
  ASSERT_EQ(expected.size(), parameters.size());
  const double whole =
      std::sqrt(std::accumulate(expected.begin(), expected.end(), 0.0, [](double sum, auto& e) {
        return sum + std::pow(e.at("norm").template get<double>(), 2);
      }));
  const double deviation = run.at("gradients_deviation");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    SCOPED_TRACE(parameters[i].name);
    EXPECT_EQ(expected[i].at("name"), parameters[i].name);
    ASSERT_EQ(expected[i].at("shape"), parameters[i].shape);
    const Summary got = summarise(training.gradient(parameters[i].name), static_cast<int>(i));
    const double norm = expected[i].at("norm");
    // A bias in front of a batch norm has a gradient of 0 and gets what rounding leaves.
    const double tolerance = (kMoreKinks * deviation + kGradientRounding) * (norm + whole / 1000);
    EXPECT_NEAR(got.norm, norm, tolerance);
    EXPECT_NEAR(got.along, expected[i].at("along"), tolerance);
  }
}

class Trajectory : public testing::TestWithParam<Case> {};

TEST_P(Trajectory, MeetsEveryLossAndFirstGradientOfAnIndependentFramework) {
  const nlohmann::json run = expected_for(GetParam().model);
  const model::Graph graph = build_without_dropout(run);
  Training training(graph, run, GetParam());
  const std::vector<double> losses = run.at("losses");
  const std::vector<double> deviations = run.at("losses_deviation");
  double deviation = 0;
  for (std::size_t step = 0; step < losses.size(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step + 1));
    const double loss = training.forward_backward();
    deviation = std::max(deviation, deviations[step]);
    EXPECT_NEAR(loss, losses[step], kOrdersOfSummation * deviation + kLossRounding * losses[step]);
    if (step == 0) expect_gradients(run, graph, training);
    if (HasFatalFailure()) return;
    training.update();
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return name_of(info.param);
}

INSTANTIATE_TEST_SUITE_P(Networks, Trajectory,
                         testing::Values(Case{"lenet"}, Case{"alexnet_cifar"}, Case{"resnet20"},
                                         Case{"densenet40_k12"}, Case{"mobilenet"},
                                         Case{"resnet50"}, Case{"inception3"}, Case{"vgg11"}),
                         case_name);

constexpr Case by_winograd(std::string_view model) {
  return {model, engine::Layout::automatic, engine::ConvAlgorithm::winograd};
}
INSTANTIATE_TEST_SUITE_P(Winograd, Trajectory,
                         testing::Values(by_winograd("resnet20"), by_winograd("resnet50"),
                                         by_winograd("vgg11")),
                         case_name);

// Between them: response norm, flattening, concatenation, depthwise windows, sums, averages.
INSTANTIATE_TEST_SUITE_P(Layouts, Trajectory,
                         testing::Values(Case{"alexnet_cifar", engine::Layout::nchw},
                                         Case{"alexnet_cifar", engine::Layout::nhwc},
                                         Case{"densenet40_k12", engine::Layout::nchw},
                                         Case{"densenet40_k12", engine::Layout::nhwc},
                                         Case{"mobilenet", engine::Layout::nchw},
                                         Case{"mobilenet", engine::Layout::nhwc}),
                         case_name);

}  // namespace
}  // namespace lockstep
