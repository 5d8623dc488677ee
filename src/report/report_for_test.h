#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "report/sweep_report.h"

namespace lockstep::report {

// Of a sweep of which this came out.
inline result::SweepResults report_of(const spec::Sweep& sweep,
                                      std::vector<stats::PointRecord> records) {
  result::SweepResults report{.id = "sweep-1",
                              .machine = "lockstep 0.1.0 on host07, 4 cores.",
                              .plan = spec::expand(sweep),
                              .records = std::move(records),
                              .rows = {}};
  report.rows = stats::summarise(report.plan, report.records);
  return report;
}

// Launches whose quotients are powers of two have estimates without a digit of the C library's.
inline stats::PointRecord measured(double speed, int launches = 3) {
  stats::PointRecord record;
  for (int i = 0; i < launches; ++i) {
    stats::Launch launch;
    launch.date = fmt::format("2026-01-02T03:04:0{}Z", i);
    launch.dataset = "imagenet";
    launch.images_per_second = speed * (1 + 0.01 * i);
    launch.steps_measured = 10;
    launch.steps_warmup = 3;
    launch.step_ms_mean = 250;
    launch.step_ms_median = 245;
    launch.step_ms_p95 = 260;
    launch.step_ms_p99 = 270;
    launch.phase(record::Phase::forward) = 80;
    launch.phase(record::Phase::backward) = 120;
    launch.phase(record::Phase::exchange) = 30;
    launch.waiting_ms = 10;
    launch.overlap_pct = 40;
    launch.busbw_gbps = 2.5;
    launch.all_reduce = "auto";
    launch.bucket_bytes = 1 << 21;
    launch.phase(record::Phase::update) = 15;
    launch.other_ms = 5;
    launch.ranks = {{"host07", 4}, {"host08", 16}};
    launch.gflops = 64;
    launch.mfu_pct = 50;
    launch.rss_peak_bytes = 1 << 20;
    launch.stable = true;
    record.launches.emplace_back(std::move(launch));
  }
  return record;
}

inline stats::PointRecord failed(const std::string& cause) {
  return {.launches = {std::nullopt}, .failure = cause};
}

// Two networks, two strategies, up to four devices; one point failed, one was not reached.
inline result::SweepResults example_report() {
  spec::Sweep sweep;
  sweep.models = {{"mobilenet", 16}, {"alexnet", 8}};
  sweep.devices = {1, 2, 4};
  sweep.strategies = {"parameter_server", "replicated"};
  sweep.threads_per_device = 1;
  stats::PointRecord noisy = measured(31);
  noisy.launches[1]->images_per_second = 34;
  noisy.launches[0]->warnings = {"the speed is not stable", "5 steps, \"cut\""};
  noisy.launches[0]->stable = false;
  return report_of(
      sweep, {measured(16), measured(16.1), measured(30), noisy, measured(32.2), measured(52),
              measured(56), measured(64.5),  //
              measured(100), measured(100), measured(95), measured(120, 1), measured(190),
              failed("rank 1 on host07: out of memory"), stats::PointRecord(), measured(380)});
}

}  // namespace lockstep::report
