#include "engine/onednn/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/buffer.h"
#include "base/rng.h"
#include "engine/arena.h"
#include "model/zoo.h"

namespace lockstep::engine::onednn {
namespace {

using testing::Each;
using testing::StartsWith;

// A program with every buffer at a place of its own.
class Unshared {
 public:
  Unshared(const model::Graph& graph, int batch) : labels_(static_cast<std::size_t>(batch)) {
    Options options;
    options.batch = batch;
    program_ = compile_program(graph, options);
    std::size_t bytes = 0;
    for (const Program::Buffer& buffer : program_.buffers) {
      memory_.buffers.push_back(bytes);
      bytes += arena_share(buffer.bytes);
    }
    arena_ = Buffer(bytes);
    parameters_ = Buffer(program_.parameter_floats * sizeof(float));
    gradients_ = Buffer(program_.parameter_floats * sizeof(float));
    statistics_.assign(program_.statistics_floats, 1.0F);
    for (const Parameter& p : program_.parameters) memory_.offsets.push_back(p.offset);
    memory_.arena = arena_.data();
    memory_.parameters = parameters_.floats().data();
    memory_.gradients = gradients_.floats().data();
    memory_.statistics = statistics_.data();
    for (const auto* pass : {&program_.forward, &program_.backward}) {
      for (const Step& step : *pass) {
        if (step.bind) step.bind(memory_);
      }
    }
    const Rng rng(3);
    std::uint64_t i = 0;
    for (float& x : parameters_.floats()) x = 0.1F * (2 * rng.uniform(i++) - 1);
    float* images = memory_.at(program_.images);
    const std::size_t floats = program_.buffers[program_.images.index].bytes / sizeof(float);
    for (std::size_t k = 0; k < floats; ++k) images[k] = 2 * rng.uniform(i++) - 1;
  }

  // One step; where `poison` says so, a buffer is filled with NaN whenever the plan thinks that
  // nothing in it matters: before its first operation and behind its last.
  std::vector<float> gradients_of_a_step(bool poison) {
    const std::vector<Lifetime> lives = lifetimes(program_);
    const auto fill = [&](std::size_t b) {
      auto* floats = reinterpret_cast<float*>(memory_.arena + memory_.buffers[b]);
      std::fill_n(floats, lives[b].bytes / sizeof(float), std::numeric_limits<float>::quiet_NaN());
    };
    const Ready nobody;
    Call call{{labels_, 0, 0}, 0, &nobody};
    int at = 0;
    for (const auto* pass : {&program_.forward, &program_.backward}) {
      for (const Step& step : *pass) {
        for (std::size_t b = 0; poison && b < lives.size(); ++b) {
          if (program_.buffers[b].kept) continue;
          if (lives[b].first == at || lives[b].last == at - 1) fill(b);
        }
        step.run(memory_, call);
        ++at;
      }
    }
    const auto all = gradients_.floats();
    std::vector<float> out(all.begin(), all.end());
    out.push_back(static_cast<float>(call.loss));
    return out;
  }

 private:
  Program program_;
  Memory memory_;
  Buffer arena_, parameters_, gradients_;
  std::vector<float> statistics_;
  std::vector<int> labels_;
};

struct Case {
  const char* model;
  int image_size;
};

class Lifetimes : public testing::TestWithParam<Case> {};

TEST_P(Lifetimes, CoverEverythingThatAStepReads) {
  const model::Graph graph = model::build(model::find(GetParam().model),
                                          {.image_size = GetParam().image_size, .num_classes = 16});
  Unshared program(graph, 4);
  const std::vector<float> clean = program.gradients_of_a_step(false);
  const std::vector<float> poisoned = program.gradients_of_a_step(true);
  ASSERT_TRUE(std::isfinite(clean.back()));
  EXPECT_EQ(clean, poisoned);
}

INSTANTIATE_TEST_SUITE_P(Models, Lifetimes,
                         testing::Values(Case{"lenet", 28}, Case{"alexnet_cifar", 32},
                                         Case{"resnet20", 16}, Case{"resnet50_v2", 64},
                                         Case{"inception3_aux", 139}, Case{"densenet40_k12", 16},
                                         Case{"mobilenet", 32}),
                         [](const auto& test) { return std::string(test.param.model); });

// Those whose backward has the operation.
std::vector<std::string> layers_with(std::string_view operation, const model::Graph& graph) {
  Options options;
  options.batch = 4;
  options.conv_algorithm = ConvAlgorithm::direct;  // our own closes gates on its way
  std::vector<std::string> layers;
  for (const Step& step : compile_program(graph, options).backward) {
    if (step.about.operation == operation) layers.push_back(step.about.layer);
  }
  return layers;
}

TEST(Gates, CloseOnTheGradientOfThePoolAboveThemWhichIsSmaller) {
  const model::Graph lenet = model::build(model::find("lenet"));
  EXPECT_EQ(layers_with("gate", lenet),
            (std::vector<std::string>{"activation3", "pool2", "pool1"}));
}

TEST(Gates, NeedNoPassWhereBatchNormHasKeptAMask) {
  const model::Graph resnet = model::build(model::find("resnet50_v2"), {.image_size = 64});
  EXPECT_EQ(layers_with("gate", resnet), std::vector<std::string>());
}

TEST(DenseLayers, ComputeAllGradientsWithTheWeightsAsTheyAreStored) {
  const model::Graph lenet = model::build(model::find("lenet"));
  EXPECT_EQ(layers_with("dense data", lenet), (std::vector<std::string>{"dense2", "dense1"}));
  EXPECT_THAT(layers_with(kReorderWeights, lenet), Each(StartsWith("conv")));
}

}  // namespace
}  // namespace lockstep::engine::onednn
