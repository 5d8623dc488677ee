#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/buffer.h"
#include "spec/trial.h"

namespace lockstep::train {

// What a rule remembers of every parameter: a float for each name.
std::span<const std::string_view> slot_names(spec::OptimizerKind kind);

// Applies one of the rules to a flat array of parameters, in one pass over parameter, gradient and
// whatever the rule remembers per element (its slots). The array stays the caller's.
//
//   g = scale * gradient + weight_decay * p where the parameter decays, clipped to [-c, c]; a
//       weight decay that is not set is 0: the model's own is the caller's to fill in
//   sgd       p -= lr g
//   momentum  v = m v + g;                     p -= lr (g + m v), or lr v without Nesterov
//   rmsprop   s = d s + (1 - d) g^2, s from 1; v = m v + lr g / sqrt(s + e);  p -= v
//   adam      a = b1 a + (1 - b1) g;  s = b2 s + (1 - b2) g^2;
//             p -= lr sqrt(1 - b2^t) / (1 - b1^t) a / (sqrt(s) + e)
//
// An element with value 0 and gradient 0 stays 0 under every rule: padding needs no care.
class Optimizer {
 public:
  // `scale`: what makes a mean of gradients that come as sums. Throws Error(usage) where the
  // options would divide by zero.
  Optimizer(const spec::Optimizer& options, std::span<float> parameters, double scale = 1);

  // Every step, from 0 on: first this, then update() once for each element, in any order and on any
  // threads. Elements may be at different steps: the step counts for the updates that follow.
  void begin_step(std::int64_t step, double learning_rate);
  // Updates as many elements from `offset` on as there are gradients. Returns the sum of the
  // squares of their new values where the parameter decays, else 0. Allocates nothing.
  double update(std::size_t offset, std::span<const float> gradients, bool decays);

  // By slot_names; as long as the parameters.
  std::span<float> slot(std::size_t i) const {
    return (i == 0 ? first_slot_ : second_slot_).floats();
  }

 private:
  spec::Optimizer options_;
  std::span<float> parameters_;
  float scale_;
  Buffer first_slot_, second_slot_;  // momentum: v; rmsprop: s, v; adam: a, s
  double rate_ = 0;                  // of this step; adam's with its correction for the start
};

// In double.
double sum_of_squares(std::span<const float> values);

}  // namespace lockstep::train
