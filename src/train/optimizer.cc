#include "train/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "base/simd.h"

namespace lockstep::train {
namespace {

// Threads share an array by chunks of a fixed size, so that sums do not depend on how many threads
// there are. One chunk alone is not worth waking the team for.
constexpr std::size_t kChunk = std::size_t{16} << 10;

std::size_t chunks(std::size_t size) {
  return (size + kChunk - 1) / kChunk;
}

// What a rule works on: one chunk of each array. Slots that the rule does not have are null.
struct Chunk {
  std::size_t size;
  float* parameters;
  const float* gradients;
  float* first_slot;
  float* second_slot;
};

// The numbers of a rule, in the precision of the loop.
struct Constants {
  float rate;
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

// The pass that all rules share: p -= change(i, g), and the sum of the old p's squares. Inlined, so
// that it is compiled for the instruction set of the rule around it; a plain loop that the compiler
// vectorises, and whose sum it may reorder because the pragma says so.
template <typename Change>
[[gnu::always_inline]] inline double pass(const Chunk& chunk, const Constants& k, Change change) {
  float* p = chunk.parameters;
  const float* gradients = chunk.gradients;
  const float weight_decay = k.weight_decay, low = -k.clip, high = k.clip;
  double squares = 0;
#pragma omp simd reduction(+ : squares)
  for (std::size_t i = 0; i < chunk.size; ++i) {
    const float old = p[i];
    const float g = std::clamp(gradients[i] + weight_decay * old, low, high);
    squares += square(old);
    p[i] = old - change(i, g);
  }
  return squares;
}

LOCKSTEP_SIMD_CLONES
double sgd(const Chunk& chunk, const Constants& constants) {
  return pass(chunk, constants, [k = constants](std::size_t, float g) { return k.rate * g; });
}

LOCKSTEP_SIMD_CLONES
double momentum(const Chunk& chunk, const Constants& constants) {
  return pass(chunk, constants, [k = constants, v = chunk.first_slot](std::size_t i, float g) {
    v[i] = k.momentum * v[i] + g;
    return k.rate * (k.gradient_share * g + k.momentum_share * v[i]);
  });
}

LOCKSTEP_SIMD_CLONES
double rmsprop(const Chunk& chunk, const Constants& constants) {
  return pass(chunk, constants,
              [k = constants, s = chunk.first_slot, v = chunk.second_slot](std::size_t i, float g) {
                s[i] = k.decay_1 * s[i] + (1 - k.decay_1) * g * g;
                v[i] = k.momentum * v[i] + k.rate * g / std::sqrt(s[i] + k.epsilon);
                return v[i];
              });
}

LOCKSTEP_SIMD_CLONES
double adam(const Chunk& chunk, const Constants& constants) {
  return pass(chunk, constants,
              [k = constants, a = chunk.first_slot, s = chunk.second_slot](std::size_t i, float g) {
                a[i] = k.decay_1 * a[i] + (1 - k.decay_1) * g;
                s[i] = k.decay_2 * s[i] + (1 - k.decay_2) * g * g;
                return k.rate * a[i] / (std::sqrt(s[i]) + k.epsilon);
              });
}

LOCKSTEP_SIMD_CLONES
double chunk_squares(const float* values, std::size_t size) {
  double squares = 0;
#pragma omp simd reduction(+ : squares)
  for (std::size_t i = 0; i < size; ++i) squares += square(values[i]);
  return squares;
}

struct Method {
  double (*rule)(const Chunk&, const Constants&);
  Constants constants;
};

Method method(const spec::Optimizer& options, double rate, bool decays) {
  const auto to_float = [](double x) { return static_cast<float>(x); };
  Constants k{};
  k.rate = to_float(rate);
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

int optimizer_slots(spec::OptimizerKind kind) {
  switch (kind) {
    case spec::OptimizerKind::sgd:
      return 0;
    case spec::OptimizerKind::momentum:
      return 1;
    case spec::OptimizerKind::rmsprop:
    case spec::OptimizerKind::adam:
      return 2;
  }
  LOCKSTEP_CHECK(false);
  return 0;
}

Optimizer::Optimizer(const spec::Optimizer& options, std::span<float> parameters,
                     std::span<const float> gradients)
    : options_(options),
      parameters_(parameters),
      gradients_(gradients),
      first_slot_(optimizer_slots(options.kind) > 0 ? parameters.size_bytes() : 0),
      second_slot_(optimizer_slots(options.kind) > 1 ? parameters.size_bytes() : 0),
      squares_(chunks(parameters.size())) {
  LOCKSTEP_CHECK(parameters.size() == gradients.size());
  if (options.kind == spec::OptimizerKind::rmsprop) {
    require_above_zero(options.rmsprop_epsilon, "--rmsprop_epsilon");
    std::ranges::fill(first_slot_.floats(), 1.0F);
  }
  if (options.kind == spec::OptimizerKind::adam) {
    require_above_zero(options.adam_epsilon, "--adam_epsilon");
  }
}

void Optimizer::begin_step(double learning_rate) {
  ++step_;
  rate_ = learning_rate;
  if (options_.kind == spec::OptimizerKind::adam) {
    const auto t = static_cast<double>(step_);
    rate_ *=
        std::sqrt(1 - std::pow(options_.adam_beta2, t)) / (1 - std::pow(options_.adam_beta1, t));
  }
}

double Optimizer::update(std::size_t offset, std::size_t size, bool decays) {
  LOCKSTEP_CHECK(offset + size <= parameters_.size());
  const Method method = train::method(options_, rate_, decays);
  const auto slot = [](const Buffer& buffer, std::size_t at) {
    return buffer.size() == 0 ? nullptr : buffer.floats().data() + at;
  };
  const auto count = static_cast<std::int64_t>(chunks(size));
#pragma omp parallel for schedule(static) if (count > 1)
  for (std::int64_t c = 0; c < count; ++c) {
    const std::size_t start = static_cast<std::size_t>(c) * kChunk;
    const std::size_t at = offset + start;
    squares_[static_cast<std::size_t>(c)] =
        method.rule({std::min(kChunk, size - start), &parameters_[at], &gradients_[at],
                     slot(first_slot_, at), slot(second_slot_, at)},
                    method.constants);
  }
  if (!decays) return 0;
  double sum = 0;
  for (std::int64_t c = 0; c < count; ++c) sum += squares_[static_cast<std::size_t>(c)];
  return sum;
}

double sum_of_squares(std::span<const float> values) {
  double sum = 0;
  for (std::size_t start = 0; start < values.size(); start += kChunk) {
    sum += chunk_squares(&values[start], std::min(kChunk, values.size() - start));
  }
  return sum;
}

}  // namespace lockstep::train
