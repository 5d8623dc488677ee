#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "record/sample.h"
#include "spec/sweep.h"
#include "stats/launches.h"
#include "stats/losses.h"

namespace lockstep::stats {

// How long a rank waited for others, in milliseconds a step.
struct RankWaiting {
  std::string host;
  double ms = 0;
};

// What one launch of a point measured.
struct Launch {
  std::string date = {};  // of its start, UTC
  std::string dataset = {};
  // The work of an image, with the model and the dataset. 0 or empty: not told.
  int image_size = 0, classes = 0;
  std::string mode = {};
  std::string machine = {};  // of rank 0: "host07, AMD EPYC, 64 cores"
  int processors = 0;        // of rank 0's machine; 0: unknown
  double load_average = 0;   // of that machine over the minute before the launch
  std::string program = {};  // that measured: "lockstep 0.1.0", "TensorFlow 2.14"
  // By `lockstep import`: of what follows only the speed and the warnings are known.
  bool imported = false;
  int hosts = 1, devices_per_host = 1;  // of the host that has the most
  // That ran: "direct", "tree+ring"; of early files as it was asked for: "auto", "xring#2". Empty:
  // there was none.
  std::string all_reduce = {};
  std::int64_t bucket_bytes = 0;  // of the largest
  double images_per_second = 0;
  std::int64_t steps_measured = 0, steps_warmup = 0;
  std::int64_t steps_cut = 0;  // between the two: timed, but not steady yet
  double step_ms_mean = 0, step_ms_median = 0, step_ms_p95 = 0, step_ms_p99 = 0;
  std::optional<double> images_per_second_median = {}, step_ms_p90 = {};  // not in early files
  // Parts of the mean step, in milliseconds; means over ranks.
  std::array<double, record::kPhases> phase_ms{};
  double other_ms = 0;                     // what no phase claims
  double waiting_ms = 0;                   // the part of the exchange spent waiting for others
  std::optional<double> overlap_pct = {};  // of the time that buckets are in flight: behind compute
  std::optional<double> busbw_gbps = {};   // GB/s of the gradients while they are in flight
  std::vector<RankWaiting> ranks = {};
  double gflops = 0;
  std::optional<double> mfu_pct = {};
  std::int64_t rss_peak_bytes = 0;
  bool stable = false;
  std::optional<double> joules = {}, joules_per_image = {}, cost_per_million_images = {};
  std::vector<std::string> warnings = {};

  double phase(record::Phase phase) const { return phase_ms[static_cast<std::size_t>(phase)]; }
  double& phase(record::Phase phase) { return phase_ms[static_cast<std::size_t>(phase)]; }
};

// What came of a point: launches by round, and why there are not more of them.
struct PointRecord {
  std::vector<std::optional<Launch>> launches = {};
  std::string failure = {};               // empty: it has not failed
  ExitCode code = ExitCode::rank_failed;  // of the failure
};

enum class Status { measured, failed, not_measured };
Status status(const PointRecord& record);

// The first that there is; null: there is none.
const Launch* first_launch(const PointRecord& record);

// A sweep, or as much as there is of it.
struct Measurements {
  const spec::Plan& plan;
  std::span<const PointRecord> records;  // by its points
};

// What a row of the plan comes to.
struct RowSummary {
  std::optional<Estimate> speed;  // images per second of all devices
  std::optional<Estimate> speed_up;
  std::optional<Estimate> efficiency;
  std::optional<Estimate> of_ceiling;   // share of the speed without exchange
  std::optional<Estimate> io_overhead;  // what real images cost, as a share of the speed without
  std::optional<Losses> losses;         // nothing: the launches do not tell what their steps spent
  std::optional<std::size_t> baseline;  // the point that speed-ups refer to
  int baseline_devices = 0;             // 0: there is no baseline
  // Among the configurations that could stand for each other: one network, batch, scaling, kind of
  // images and number of devices; independent devices, which do not train one network, are not
  // among them, and of rows that do the same work the first stands for all.
  bool fastest = false;
  std::vector<std::size_t> rivals = {};  // of the fastest: rows that are not shown to be slower
  bool best = false;                     // the fastest of several, without rivals
};

// Whether rows of two points differ by chance alone: see spec::same_work. What others measured did
// work that we do not know.
bool same_work(const Measurements& measurements, std::size_t point, std::size_t other);

// By rows of the plan; `records` by its points. A point that has failed has no numbers.
std::vector<RowSummary> summarise(const spec::Plan& plan, std::span<const PointRecord> records);

// The point's speeds by round; none of a point that has failed.
Launches speeds(const PointRecord& record);

}  // namespace lockstep::stats
