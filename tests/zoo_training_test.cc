// Every model of the zoo learns, at the smallest image that it accepts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/buffer.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "model/zoo.h"

namespace lockstep {
namespace {

constexpr int kBatch = 4;
constexpr int kClasses = 11;
constexpr int kSteps = 3;
// The step along the gradient that would lower the loss by this share if it were linear: small
// enough for networks of any depth and scale.
constexpr double kAskedFall = 0.01;

void fill_with_noise(const engine::ImageBuffer& images) {
  const Rng rng(7);
  std::uint64_t pixel = 0;
  for (int n = 0; n < images.n; ++n) {
    for (int c = 0; c < images.c; ++c) {
      for (int h = 0; h < images.h; ++h) {
        for (int w = 0; w < images.w; ++w) {
          const std::int64_t at = images.offset + n * images.stride_n + c * images.stride_c +
                                  h * images.stride_h + w * images.stride_w;
          images.data[static_cast<std::size_t>(at)] = 2 * rng.uniform(pixel++) - 1;
        }
      }
    }
  }
}

void descend(std::span<float> parameters, std::span<const float> gradients, float loss) {
  double squares = 0;
  for (const float g : gradients) squares += double(g) * g;
  const auto rate = static_cast<float>(kAskedFall * loss / squares);
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= rate * gradients[i];
}

class ZooTraining : public testing::TestWithParam<model::Model> {};

TEST_P(ZooTraining, LowersTheLossAtTheSmallestLegalImage) {
  const model::Model& model = GetParam();
  const model::Graph graph =
      model::build(model, {.image_size = model::smallest_image(model), .num_classes = kClasses});
  engine::Options options;
  options.batch = kBatch;
  const std::unique_ptr<engine::Engine> engine = engine::compile(graph, options);
  const Buffer parameters(engine->parameter_floats() * sizeof(float));
  const Buffer gradients(engine->parameter_floats() * sizeof(float));
  engine->bind(parameters.floats(), gradients.floats());
  engine::initialise(*engine, 1);
  fill_with_noise(engine->images());
  const std::vector<int> labels = {3, 1, 4, 10};

  std::vector<float> losses;
  for (int step = 0; step < kSteps; ++step) {
    // The same step number each time: dropout keeps its mask, and the loss is one function.
    losses.push_back(engine->forward({labels}));
    ASSERT_TRUE(std::isfinite(losses.back())) << engine->first_non_finite({labels});
    engine->backward([](int) {});
    descend(parameters.floats(), gradients.floats(), losses.back());
  }
  EXPECT_TRUE(std::is_sorted(losses.rbegin(), losses.rend())) << testing::PrintToString(losses);
}

INSTANTIATE_TEST_SUITE_P(Models, ZooTraining, testing::ValuesIn(model::zoo()),
                         [](const auto& test) {
                           std::string name(test.param.name);
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace lockstep
