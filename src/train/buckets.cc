#include "train/buckets.h"

#include <cmath>
#include <functional>

namespace lockstep::train {
namespace {

std::size_t bytes(const Layout::Segment& parameter) {
  return parameter.size * sizeof(float);
}

// Whether the bucket that holds parameters [first, next) is full before `next` joins it.
using Full = std::function<bool(std::size_t first, std::size_t next)>;

Full from_size(std::span<const Layout::Segment> parameters, double limit) {
  return [=](std::size_t first, std::size_t next) {
    const Layout::Segment& last = parameters[next - 1];
    const std::size_t size = last.offset + last.size - parameters[first].offset;
    return static_cast<double>(size * sizeof(float)) >= limit;
  };
}

// Small ones together, at most `group` of them; large ones alone.
Full small_ones(std::span<const Layout::Segment> parameters, std::int64_t limit, int group) {
  return [=](std::size_t first, std::size_t next) {
    const auto small = [&](std::size_t i) {
      return bytes(parameters[i]) <= static_cast<std::size_t>(limit);
    };
    return !small(next - 1) || !small(next) || next - first >= static_cast<std::size_t>(group);
  };
}

Full fullness(std::span<const Layout::Segment> parameters, const spec::Exchange& exchange,
              std::size_t automatic_bytes) {
  if (exchange.gradient_repacking > 0) {
    const Layout::Segment& last = parameters.back();
    const std::size_t all = last.offset + last.size - parameters.front().offset;
    return from_size(parameters, std::ceil(static_cast<double>(all * sizeof(float)) /
                                           exchange.gradient_repacking));
  }
  if (exchange.agg_small_grads_max_bytes > 0) {
    return small_ones(parameters, exchange.agg_small_grads_max_bytes,
                      exchange.agg_small_grads_max_group);
  }
  constexpr double kMiB = 1 << 20;
  return from_size(parameters, exchange.fusion_threshold_mb ? *exchange.fusion_threshold_mb * kMiB
                                                            : static_cast<double>(automatic_bytes));
}

}  // namespace

std::vector<Bucket> buckets(std::span<const Layout::Segment> parameters,
                            const spec::Exchange& exchange, std::size_t automatic_bytes) {
  if (parameters.empty()) return {};
  const Full full = fullness(parameters, exchange, automatic_bytes);
  std::vector<Bucket> result;
  std::size_t first = 0;
  for (std::size_t next = 1; next <= parameters.size(); ++next) {
    if (next < parameters.size() && !full(first, next)) continue;
    const Layout::Segment& last = parameters[next - 1];
    result.push_back({.range = {parameters[first].offset, last.offset + last.size},
                      .last_parameter = static_cast<int>(next - 1)});
    first = next;
  }
  return result;
}

}  // namespace lockstep::train
