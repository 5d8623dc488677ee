#include "cli/sweep_estimate.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/job.h"
#include "cli/outlook.h"
#include "cli/sweep_resolve.h"
#include "machine/cores.h"
#include "machine/memory.h"
#include "machine/peak.h"
#include "result/directory.h"
#include "result/run_file.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

// Of this machine, which other hosts are taken to be like.
struct CoreSpeed {
  double gflops = 0;  // of one core
  double gigabytes_per_second = 0;
  int cores = 0;
};

CoreSpeed measure_speed() {
  constexpr std::size_t kMeasuredBytes = std::size_t{8} << 20;
  const machine::Peak peak = machine::measure_peak();
  return {.gflops = peak.gflops / std::max(1, peak.threads),
          .gigabytes_per_second = machine::measure_memory(kMeasuredBytes).read,
          .cores = machine::allowed().usable};
}

// A launch of it that has ended well.
std::optional<stats::Launch> measured_launch(const fs::path& directory, const spec::Point& point) {
  for (const int round : result::rounds_in(directory)) {
    try {
      return result::read_launch(directory / fmt::format("{}", round + 1), point);
    } catch (const Error&) {  // it would be measured again
    }
  }
  return std::nullopt;
}

double step_seconds(const spec::Point& point, const Job& job, const Place& place,
                    const CoreSpeed& speed) {
  const int threads = std::max(1, job.trial.threads_per_device);
  const int wanted = point.devices * threads;
  const int cores = place.launcher->here ? std::min(wanted, speed.cores) : wanted;
  return expected_step_seconds(job, speed.gflops * cores, speed.gigabytes_per_second);
}

std::string basis(std::size_t measured, std::size_t points) {
  constexpr std::string_view kCost =
      "the cost of the networks and the speed of this machine's cores";
  if (measured == 0) return std::string(kCost);
  const std::string known =
      fmt::format("what {} of {} measured before", measured, counted(points, "point"));
  return measured == points ? known : fmt::format("{}, else {}", known, kCost);
}

}  // namespace

std::string estimated_duration(const spec::Sweep& sweep, const spec::Plan& plan, const Place& place,
                               const fs::path& directory) {
  const CoreSpeed speed = measure_speed();
  double seconds = 0;
  int launches = 0;
  std::size_t measured = 0;
  for (const spec::Point& point : plan.points) {
    const fs::path results = directory / "points" / point.id;
    const auto before = measured_launch(results, point);
    if (before) ++measured;
    const auto done = static_cast<int>(result::rounds_in(results).size());
    const int left = std::max(0, sweep.repeats - done);
    const Job job = job_of_point(point, place);
    const double step = before
                            ? double(point.batch_size) * point.devices / before->images_per_second
                            : step_seconds(point, job, place, speed);
    seconds += left * (kSecondsBesideSteps + expected_run_seconds(job, step));
    launches += left;
  }
  if (sweep.max_time) seconds = std::min(seconds, *sweep.max_time);
  return fmt::format("launches: {}{}; about {}: an estimate from {}, and {} to start each launch",
                     launches, sweep.target_precision ? " at least" : "", human_seconds(seconds),
                     basis(measured, plan.points.size()), human_seconds(kSecondsBesideSteps));
}

}  // namespace lockstep::cli
