#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/buffer.h"
#include "engine/engine.h"
#include "tests/reference/cases.h"

namespace lockstep::engine {

// Options that must not change a network's numbers beyond rounding.
struct Variant {
  std::string_view name = "automatic";
  Layout layout = Layout::automatic;
  ConvAlgorithm conv_algorithm = ConvAlgorithm::direct;
};
inline constexpr Variant kAutomatic;
inline constexpr Variant kNchw{"nchw", Layout::nchw};
inline constexpr Variant kNhwc{"nhwc", Layout::nhwc};
inline constexpr Variant kWinograd{"winograd", Layout::automatic, ConvAlgorithm::winograd};
std::ostream& operator<<(std::ostream& out, const Variant& variant);

// The cases with a convolution that kWinograd computes its own way.
std::vector<reference::Case> winograd_cases();

std::string name_of(const testing::TestParamInfo<std::tuple<reference::Case, Variant>>& test);

// An engine with its memory, ready to run a problem.
class BoundEngine {
 public:
  explicit BoundEngine(const reference::Problem& problem, const Variant& variant = kAutomatic,
                       Mode mode = Mode::training);

  Engine& operator*() const { return *engine_; }
  Engine* operator->() const { return engine_.get(); }

  void set_images(const reference::Tensor& images);
  Batch batch() const;
  float forward() { return engine_->forward(batch()); }

  int parameter_count() const { return static_cast<int>(engine_->parameters().size()); }
  std::string_view name(int parameter) const;
  // The place of the engine's parameter in the order of model::parameters().
  std::size_t place_in_graph(int parameter) const;
  std::vector<std::vector<float>> gradients() const;

  // What was given to bind(), from the parameter's offset on.
  std::span<float> stored_parameter(int parameter) const;
  std::span<float> stored_gradient(int parameter) const;

 private:
  std::span<float> stored(const Buffer& buffer, int parameter) const;

  const reference::Problem problem_;
  std::unique_ptr<Engine> engine_;
  Buffer parameters_, gradients_;
};

}  // namespace lockstep::engine
