// The steps as any processor can do them.
#include "kernel/winograd_steps.h"

namespace lockstep::kernel::winograd {
namespace {

constexpr int kLanes = 8;
using Floats [[gnu::vector_size(kLanes * sizeof(float)), gnu::may_alias]] = float;

struct Machine {
  static constexpr auto kName = "portable";
  static void stream(Floats* to, const Floats& value) { *to = value; }
  static void fence() {}
  template <int vectors>
  static void add_products(Floats* sum, const Floats* factor, const float& scalar) {
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) sum[i] += scalar * factor[i];
  }
};

}  // namespace
}  // namespace lockstep::kernel::winograd

#include "kernel/winograd_steps_impl.h"

namespace lockstep::kernel::winograd {

const Steps* portable_steps(const Form& form) {
  return steps_of(form);
}

}  // namespace lockstep::kernel::winograd
