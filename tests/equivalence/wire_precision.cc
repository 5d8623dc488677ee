#include "tests/equivalence/wire_precision.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::equivalence {

float rounded(float value, spec::WirePrecision precision) {
  if (precision == spec::WirePrecision::fp32 || value == 0 || !std::isfinite(value)) return value;
  const bool half = precision == spec::WirePrecision::fp16;
  const int fraction_bits = half ? 10 : 7;
  const int least_exponent = half ? -14 : -126;
  const double largest = half ? 65504 : 0x1.fep127;
  const double unit = std::ldexp(1, std::max(std::ilogb(value), least_exponent) - fraction_bits);
  const double nearest = std::nearbyint(value / unit) * unit;
  if (std::abs(nearest) <= largest) return static_cast<float>(nearest);
  return std::copysign(std::numeric_limits<float>::infinity(), value);
}

}  // namespace lockstep::equivalence
