#pragma once

#include <cstdint>
#include <span>

namespace lockstep::kernel {

// An activation whose derivative can be read off its output.
struct Gate {
  enum class Kind { none, relu, relu6, leaky };
  Kind kind = Kind::none;
  float slope = 0;  // leaky: below zero
};

// out = gate(a); out may be a.
void activate(Gate gate, const float* a, float* out, std::int64_t n);

// out = gate(a + b); out may be a or b.
void add(Gate gate, const float* a, const float* b, float* out, std::int64_t n);

// out = gate'(y) * (sum of parts) in one pass over memory: how the gradients of all readers of y
// become the gradient of what is below its gate. y may be null for no gate; out may be any part.
void gated_sum(Gate gate, const float* y, std::span<const float* const> parts, float* out,
               std::int64_t n);

}  // namespace lockstep::kernel
