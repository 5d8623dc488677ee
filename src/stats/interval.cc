#include "stats/interval.h"

#include <algorithm>
#include <cmath>

#include "stats/quantile.h"
#include "stats/student.h"

namespace lockstep::stats {
namespace {

// Few batches make t large and the interval wide, many make them short and dependent.
constexpr std::size_t kFewestBatches = 5;
constexpr std::size_t kMostBatches = 30;

std::size_t batches_for(std::size_t n) {
  const auto root = static_cast<std::size_t>(0.8 * std::sqrt(static_cast<double>(n)));
  return std::min(n, std::clamp(root, kFewestBatches, kMostBatches));
}

}  // namespace

std::optional<Interval> mean_interval(std::span<const double> series) {
  const std::size_t n = series.size();
  if (n < 2) return std::nullopt;
  const double center = mean(series);
  const std::size_t batches = batches_for(n);
  double squares = 0;  // between the batches, each weighted by its length: they differ by up to 1
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t first = b * n / batches;
    const std::size_t length = (b + 1) * n / batches - first;
    const double deviation = mean(series.subspan(first, length)) - center;
    squares += static_cast<double>(length) * deviation * deviation;
  }
  const auto degrees = static_cast<double>(batches - 1);
  const double error = std::sqrt(squares / degrees / static_cast<double>(n));
  const double half = student_quantile(0.95, static_cast<int>(batches - 1)) * error;
  return Interval{center - half, center + half};
}

}  // namespace lockstep::stats
