#include "data/dataset.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/unknown_name.h"

namespace lockstep::data {
namespace {

struct Dataset {
  std::string_view name;
  std::int64_t train_examples;
};

constexpr std::array<Dataset, 3> kDatasets = {{
    {"imagenet", 1'281'167},
    {"cifar10", 50'000},
    {"mnist", 60'000},
}};

}  // namespace

std::int64_t examples_per_epoch(std::string_view dataset) {
  std::vector<std::string> known;
  for (const Dataset& row : kDatasets) {
    if (row.name == dataset) return row.train_examples;
    known.emplace_back(row.name);
  }
  throw unknown_name("dataset", dataset, known);
}

std::int64_t batches(double epochs, std::int64_t examples_per_epoch, std::int64_t global_batch) {
  // As many as --num_batches may ask for: beyond it the numbers below would overflow.
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  const double exact = epochs * static_cast<double>(examples_per_epoch);
  if (exact > kMost * static_cast<double>(global_batch)) {
    throw Error(ExitCode::usage,
                fmt::format("{} epochs come to more than {:.0f} batches", epochs, kMost),
                "give fewer epochs, or --num_batches with --max_time");
  }
  // Whole images first: 0.07 epochs of 50,000 are 3,500.0000000000005 in double.
  const auto images = std::llround(exact);
  return std::max<std::int64_t>(1, (images + global_batch - 1) / global_batch);
}

}  // namespace lockstep::data
