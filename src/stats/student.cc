#include "stats/student.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace lockstep::stats {

// The closed form for whole degrees: a finite series in the cosine of atan(t / sqrt(degrees)).
double student_within(double t, int degrees) {
  LOCKSTEP_CHECK(degrees >= 1);
  const double angle = std::atan(t / std::sqrt(degrees));
  const double cos = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cos : 1;
  double sum = 0;
  for (int k = odd ? 1 : 0; k <= degrees - 2; k += 2) {
    sum += term;
    term *= cos * cos * (k + 1) / (k + 2);
  }
  const double tail = std::sin(angle) * sum;
  return odd ? 2 / std::numbers::pi * (angle + tail) : tail;
}

double student_quantile(double probability_within, int degrees) {
  LOCKSTEP_CHECK(probability_within > 0 && probability_within < 1);
  double low = 0;
  double high = 1;
  while (student_within(high, degrees) < probability_within) high *= 2;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) return middle;
    (student_within(middle, degrees) < probability_within ? low : high) = middle;
  }
}

}  // namespace lockstep::stats
