#pragma once

#include <array>
#include <optional>

#include "stats/launches.h"

namespace lockstep::stats {

struct Launch;
struct PointRecord;

// What the time of a step goes to. Exchange is what nothing hides and is not waiting for others.
enum class Part { input, forward, backward, exchange, waiting, update, other };
inline constexpr std::size_t kParts = 7;
inline constexpr std::array<Part, kParts> kAllParts = {
    Part::input,   Part::forward, Part::backward, Part::exchange,
    Part::waiting, Part::update,  Part::other};

// In milliseconds of the mean step.
double part_ms(const Launch& launch, Part part);

// Where a point's time goes, as shares of its step: arithmetic means over launches, with the 95 %
// intervals of Student's t.
struct Losses {
  std::array<Estimate, kParts> parts;  // which add up to 1
  // The part of the step, most of it within forward and backward, by which as many devices side by
  // side are slower than the baseline even if they exchange nothing: they share memory and caches.
  std::optional<Estimate> contention = {};

  const Estimate& operator[](Part part) const { return parts[static_cast<std::size_t>(part)]; }
};

// The points beside which a point is looked at; null: there is none.
struct Surroundings {
  const PointRecord* baseline = nullptr;
  const PointRecord* ceiling = nullptr;
  double device_ratio = 1;  // devices of the point over those of the baseline
};

// Nothing of a point that has no launches or has failed.
std::optional<Losses> losses(const PointRecord& point, const Surroundings& surroundings);

}  // namespace lockstep::stats
