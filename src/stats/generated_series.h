#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace lockstep::stats {

// Step times with a known truth, for tests: the steady step takes 1, plus noise.

using Noise = std::vector<double>(std::uint64_t seed, int n);  // mean 0, standard deviation 1

inline std::vector<double> normal_noise(std::uint64_t seed, int n) {
  const Rng rng(seed);
  std::vector<double> noise;
  for (int i = 0; i < n; ++i) noise.push_back(rng.normal(static_cast<std::uint64_t>(i)));
  return noise;
}

// Every value remembers half of the one before.
inline std::vector<double> ar1_noise(std::uint64_t seed, int n) {
  constexpr double kRho = 0.5;
  std::vector<double> noise = normal_noise(seed, n);
  for (std::size_t i = 1; i < noise.size(); ++i) {
    noise[i] = kRho * noise[i - 1] + std::sqrt(1 - kRho * kRho) * noise[i];
  }
  return noise;
}

// Skewed to the right, as step times are: exp of a normal with deviation 1/2.
inline std::vector<double> lognormal_noise(std::uint64_t seed, int n) {
  const double variance = std::exp(0.25) * (std::exp(0.25) - 1);
  std::vector<double> noise = normal_noise(seed, n);
  for (double& x : noise) x = (std::exp(x / 2) - std::exp(0.125)) / std::sqrt(variance);
  return noise;
}

// One step in fifty is interrupted and takes 10 to 100 deviations longer.
inline std::vector<double> interruptions(std::uint64_t seed, int n) {
  const Rng rng = Rng(seed).stream(1);
  std::vector<double> excess;
  for (std::uint64_t i = 0; std::cmp_less(i, n); ++i) {
    excess.push_back(rng.uniform(2 * i) < 0.02F ? 10 + 90 * rng.uniform(2 * i + 1) : 0);
  }
  return excess;
}

inline std::vector<double> sum(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

inline std::vector<double> outlier_noise(std::uint64_t seed, int n) {
  return sum(normal_noise(seed, n), interruptions(seed, n));
}

// The excess of step i over the steady step, and noise of the given deviation.
inline std::vector<double> series_of(int n, const std::function<double(int)>& excess,
                                     const std::vector<double>& noise, double deviation) {
  std::vector<double> series;
  for (int i = 0; i < n; ++i) {
    series.push_back(1 + excess(i) + deviation * noise[static_cast<std::size_t>(i)]);
  }
  return series;
}

}  // namespace lockstep::stats
