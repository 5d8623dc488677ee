#include "kernel/pointwise.h"

#include <algorithm>

#include "base/simd.h"
#include "kernel/parallel.h"

namespace lockstep::kernel {
namespace {

// A piece that stays in the first-level cache while several short loops run over it, so that memory
// is passed once whatever the number of operands.
constexpr std::int64_t kPiece = 2048;
constexpr std::int64_t kGrain = 8192;

LOCKSTEP_SIMD_CLONES void apply(int kind, float slope, const float* a, float* out, std::int64_t n) {
  switch (static_cast<Gate::Kind>(kind)) {
    case Gate::Kind::none:
      if (a != out) std::copy(a, a + n, out);
      break;
    case Gate::Kind::relu:
      for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] > 0 ? a[i] : 0;
      break;
    case Gate::Kind::relu6:
      for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] > 0 ? (a[i] < 6 ? a[i] : 6) : 0;
      break;
    case Gate::Kind::leaky:
      for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] > 0 ? a[i] : slope * a[i];
      break;
  }
}

LOCKSTEP_SIMD_CLONES void sum(const float* a, const float* b, float* out, std::int64_t n) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

LOCKSTEP_SIMD_CLONES void sum_relu(const float* a, const float* b, float* out, std::int64_t n) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    const float x = a[i] + b[i];
    out[i] = x > 0 ? x : 0;
  }
}

LOCKSTEP_SIMD_CLONES void sum_relu_gate(const float* y, const float* a, const float* b, float* out,
                                        std::int64_t n) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) out[i] = y[i] > 0 ? a[i] + b[i] : 0;
}

LOCKSTEP_SIMD_CLONES void close_gate(int kind, float slope, const float* y, const float* d,
                                     float* out, std::int64_t n) {
  switch (static_cast<Gate::Kind>(kind)) {
    case Gate::Kind::none:
      if (d != out) std::copy(d, d + n, out);
      break;
    case Gate::Kind::relu:
#pragma GCC ivdep
      for (std::int64_t i = 0; i < n; ++i) out[i] = y[i] > 0 ? d[i] : 0;
      break;
    case Gate::Kind::relu6:
#pragma GCC ivdep
      for (std::int64_t i = 0; i < n; ++i) out[i] = y[i] > 0 && y[i] < 6 ? d[i] : 0;
      break;
    case Gate::Kind::leaky:
#pragma GCC ivdep
      for (std::int64_t i = 0; i < n; ++i) out[i] = y[i] > 0 ? d[i] : slope * d[i];
      break;
  }
}

}  // namespace

void activate(Gate gate, const float* a, float* out, std::int64_t n) {
  parallel_for(n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    apply(static_cast<int>(gate.kind), gate.slope, a + begin, out + begin, end - begin);
  });
}

void add(Gate gate, const float* a, const float* b, float* out, std::int64_t n) {
  parallel_for(n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    if (gate.kind == Gate::Kind::none) {
      sum(a + begin, b + begin, out + begin, end - begin);
    } else if (gate.kind == Gate::Kind::relu) {
      sum_relu(a + begin, b + begin, out + begin, end - begin);
    } else {
      for (std::int64_t i = begin; i < end; i += kPiece) {
        const std::int64_t m = std::min(kPiece, end - i);
        sum(a + i, b + i, out + i, m);
        apply(static_cast<int>(gate.kind), gate.slope, out + i, out + i, m);
      }
    }
  });
}

void gated_sum(Gate gate, const float* y, std::span<const float* const> parts, float* out,
               std::int64_t n) {
  const int kind = static_cast<int>(gate.kind);
  parallel_for(n, kGrain, [&](std::int64_t begin, std::int64_t end) {
    if (parts.size() == 1) {
      close_gate(kind, gate.slope, y + begin, parts[0] + begin, out + begin, end - begin);
      return;
    }
    if (parts.size() == 2 && gate.kind == Gate::Kind::relu) {
      sum_relu_gate(y + begin, parts[0] + begin, parts[1] + begin, out + begin, end - begin);
      return;
    }
    float piece[kPiece];  // not `out`: that may be one of the parts still to be read
    for (std::int64_t i = begin; i < end; i += kPiece) {
      const std::int64_t m = std::min(kPiece, end - i);
      sum(parts[0] + i, parts[1] + i, piece, m);
      for (std::size_t p = 2; p < parts.size(); ++p) sum(piece, parts[p] + i, piece, m);
      close_gate(kind, gate.slope, y == nullptr ? piece : y + i, piece, out + i, m);
    }
  });
}

}  // namespace lockstep::kernel
