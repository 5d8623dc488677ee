#include "train/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "base/simd.h"

namespace lockstep::train {
namespace {

// What a rule works on: a part of each array. Slots that the rule does not have are null.
struct Part {
  std::size_t size;
  float* parameters;
  const float* gradients;
  float* first_slot;
  float* second_slot;
};

// The numbers of a rule, in the precision of the loop.
struct Constants {
  float rate;
  float scale;
  float weight_decay;
  float clip;  // infinity: none
  float momentum;
  float gradient_share, momentum_share;  // of what momentum moves by
  float decay_1, decay_2;
  float epsilon;
};

inline double square(float x) {
  return double{x} * double{x};
}

// The pass that all rules share: p -= change(i, g), and the sum of the new p's squares. Inlined, so
// that it is compiled for the instruction set of the rule around it; a plain loop that the compiler
// vectorises, and whose sum it may reorder because the pragma says so.
template <typename Change>
[[gnu::always_inline]] inline double pass(const Part& part, const Constants& k, Change change) {
  float* p = part.parameters;
  const float* gradients = part.gradients;
  const float scale = k.scale, weight_decay = k.weight_decay, low = -k.clip, high = k.clip;
  double squares = 0;
#pragma omp simd reduction(+ : squares)
  for (std::size_t i = 0; i < part.size; ++i) {
    const float old = p[i];
    const float g = std::clamp(scale * gradients[i] + weight_decay * old, low, high);
    const float updated = old - change(i, g);
    squares += square(updated);
    p[i] = updated;
  }
  return squares;
}

LOCKSTEP_SIMD_CLONES
double sgd(const Part& part, const Constants& constants) {
  return pass(part, constants, [k = constants](std::size_t, float g) { return k.rate * g; });
}

LOCKSTEP_SIMD_CLONES
double momentum(const Part& part, const Constants& constants) {
  return pass(part, constants, [k = constants, v = part.first_slot](std::size_t i, float g) {
    v[i] = k.momentum * v[i] + g;
    return k.rate * (k.gradient_share * g + k.momentum_share * v[i]);
  });
}

LOCKSTEP_SIMD_CLONES
double rmsprop(const Part& part, const Constants& constants) {
  return pass(part, constants,
              [k = constants, s = part.first_slot, v = part.second_slot](std::size_t i, float g) {
                s[i] = k.decay_1 * s[i] + (1 - k.decay_1) * g * g;
                v[i] = k.momentum * v[i] + k.rate * g / std::sqrt(s[i] + k.epsilon);
                return v[i];
              });
}

LOCKSTEP_SIMD_CLONES
double adam(const Part& part, const Constants& constants) {
  return pass(part, constants,
              [k = constants, a = part.first_slot, s = part.second_slot](std::size_t i, float g) {
                a[i] = k.decay_1 * a[i] + (1 - k.decay_1) * g;
                s[i] = k.decay_2 * s[i] + (1 - k.decay_2) * g * g;
                return k.rate * a[i] / (std::sqrt(s[i]) + k.epsilon);
              });
}

LOCKSTEP_SIMD_CLONES
double squares_of(const float* values, std::size_t size) {
  double squares = 0;
#pragma omp simd reduction(+ : squares)
  for (std::size_t i = 0; i < size; ++i) squares += square(values[i]);
  return squares;
}

struct Method {
  double (*rule)(const Part&, const Constants&);
  Constants constants;
};

Method method(const spec::Optimizer& options, double rate, float scale, bool decays) {
  const auto to_float = [](double x) { return static_cast<float>(x); };
  Constants k{};
  k.rate = to_float(rate);
  k.scale = scale;
  k.weight_decay = decays ? to_float(options.weight_decay.value_or(0)) : 0;
  k.clip = to_float(options.gradient_clip.value_or(std::numeric_limits<double>::infinity()));
  switch (options.kind) {
    case spec::OptimizerKind::sgd:
      return {sgd, k};
    case spec::OptimizerKind::momentum:
      k.momentum = to_float(options.momentum);
      k.gradient_share = options.nesterov ? 1 : 0;
      k.momentum_share = options.nesterov ? k.momentum : 1;
      return {momentum, k};
    case spec::OptimizerKind::rmsprop:
      k.momentum = to_float(options.rmsprop_momentum);
      k.decay_1 = to_float(options.rmsprop_decay);
      k.epsilon = to_float(options.rmsprop_epsilon);
      return {rmsprop, k};
    case spec::OptimizerKind::adam:
      k.decay_1 = to_float(options.adam_beta1);
      k.decay_2 = to_float(options.adam_beta2);
      k.epsilon = to_float(options.adam_epsilon);
      return {adam, k};
  }
  LOCKSTEP_CHECK(false);
  return {};
}

// An element whose gradient is always 0 ends up with 0 / (0 + epsilon).
void require_above_zero(double epsilon, const char* flag) {
  if (!(static_cast<float>(epsilon) > 0)) {
    throw Error(ExitCode::usage, fmt::format("{} is {}, but must be above 0", flag, epsilon));
  }
}

}  // namespace

std::span<const std::string_view> slot_names(spec::OptimizerKind kind) {
  static constexpr std::string_view kMomentum[] = {"momentum"};
  static constexpr std::string_view kRmsprop[] = {"mean_square", "momentum"};
  static constexpr std::string_view kAdam[] = {"mean", "mean_square"};
  switch (kind) {
    case spec::OptimizerKind::sgd:
      return {};
    case spec::OptimizerKind::momentum:
      return kMomentum;
    case spec::OptimizerKind::rmsprop:
      return kRmsprop;
    case spec::OptimizerKind::adam:
      return kAdam;
  }
  LOCKSTEP_CHECK(false);
  return {};
}

Optimizer::Optimizer(const spec::Optimizer& options, std::span<float> parameters, double scale)
    : options_(options),
      parameters_(parameters),
      scale_(static_cast<float>(scale)),
      first_slot_(!slot_names(options.kind).empty() ? parameters.size_bytes() : 0),
      second_slot_(slot_names(options.kind).size() > 1 ? parameters.size_bytes() : 0) {
  if (options.kind == spec::OptimizerKind::rmsprop) {
    require_above_zero(options.rmsprop_epsilon, "--rmsprop_epsilon");
    std::ranges::fill(first_slot_.floats(), 1.0F);
  }
  if (options.kind == spec::OptimizerKind::adam) {
    require_above_zero(options.adam_epsilon, "--adam_epsilon");
  }
}

void Optimizer::begin_step(std::int64_t step, double learning_rate) {
  rate_ = learning_rate;
  if (options_.kind == spec::OptimizerKind::adam) {
    const auto t = static_cast<double>(step + 1);
    rate_ *=
        std::sqrt(1 - std::pow(options_.adam_beta2, t)) / (1 - std::pow(options_.adam_beta1, t));
  }
}

double Optimizer::update(std::size_t offset, std::span<const float> gradients, bool decays) {
  LOCKSTEP_CHECK(offset + gradients.size() <= parameters_.size());
  const auto slot = [&](const Buffer& buffer) {
    return buffer.size() == 0 ? nullptr : buffer.floats().data() + offset;
  };
  const Method method = train::method(options_, rate_, scale_, decays);
  const double squares = method.rule({gradients.size(), &parameters_[offset], gradients.data(),
                                      slot(first_slot_), slot(second_slot_)},
                                     method.constants);
  return decays ? squares : 0;
}

double sum_of_squares(std::span<const float> values) {
  return squares_of(values.data(), values.size());
}

}  // namespace lockstep::train
