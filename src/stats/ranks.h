#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/flight.h"
#include "record/sample.h"
#include "stats/input.h"

namespace lockstep::stats {

// The timed steps of one rank.
struct RankSamples {
  std::string host;
  std::vector<record::Sample> timed;
  double bytes_sent = 0, bytes_received = 0;  // per step
  record::Flight flight = {};
  RankInput input = {};
  std::optional<double> joules = {};  // of its host, by the first rank there; nothing: not known
};

// Their means, in seconds per step.
struct RankSummary {
  std::string host;
  double step = 0;
  std::array<double, record::kPhases> phases{};
  double waiting = 0, wire = 0;
  double bytes_sent = 0, bytes_received = 0;  // per step
  std::int64_t arrived_last = 0;  // steps in which it was the last that the others waited for
  record::Flight flight = {};
};

// What a rank that only keeps parameters did.
struct ServerSummary {
  std::string host;
  std::int64_t updates = 0;  // of chunks
  // Where servers do not wait for all workers: gradients taken, and how many updates of the chunk
  // each of them had not seen.
  std::int64_t gradients = 0;
  double staleness_mean = 0;
  std::int64_t staleness_max = 0;
  std::int64_t dropped = 0;                   // gradients that came too late to count
  double bytes_sent = 0, bytes_received = 0;  // in all
};

// A rank that the others keep waiting for.
struct Straggler {
  int rank = 0;
  std::int64_t arrived_last = 0, steps = 0;
  double cost = 0;  // seconds per step that the others waited longer than it did, on average
};

// By rank. Whoever waited least in a step came last: no clocks of different hosts are compared.
std::vector<RankSummary> summarise_ranks(std::span<const RankSamples> ranks);

// The rank that came last most often, if that is far more often than its share, not by chance, and
// costs more than 1 % of a step.
std::optional<Straggler> straggler(std::span<const RankSamples> ranks);

// One series for ranks that do not wait for each other: step k takes as long as all ranks together
// need for one batch each at the speeds of their own k-th steps.
std::vector<record::Sample> pooled(std::span<const RankSamples> ranks);

}  // namespace lockstep::stats
