#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "engine/engine.h"
#include "tests/reference/cases.h"

namespace lockstep::engine {

// An engine with its memory, ready to run a problem.
class BoundEngine {
 public:
  explicit BoundEngine(const reference::Problem& problem, Layout layout = Layout::automatic,
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

std::string_view layout_name(Layout layout);

}  // namespace lockstep::engine
