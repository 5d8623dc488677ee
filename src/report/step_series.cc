#include "report/step_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "record/samples_file.h"
#include "report/characters.h"
#include "stats/summary.h"

namespace lockstep::report {
namespace {

namespace fs = std::filesystem;

// A point's first launch; of a run, the directory itself.
fs::path place_of(const fs::path& directory, const spec::Point& point, std::size_t round) {
  const fs::path launches = directory / "points" / point.id;
  return is_there(launches) ? launches / fmt::format("{}", round + 1) : directory;
}

// All ranks meet between the warm-up and the timed steps: that is time of neither.
std::vector<double> milliseconds(std::span<const record::Sample> samples, std::size_t warmup) {
  std::vector<double> times = stats::step_times(samples.first(warmup));
  for (const double time : stats::step_times(samples.subspan(warmup))) times.push_back(time);
  for (double& time : times) time *= 1e3;
  return times;
}

StepSeries series_of(const std::string& run, const spec::Point& point, const stats::Launch& launch,
                     const fs::path& path) {
  const std::vector<record::Sample> samples = record::read_samples(path).samples;
  const std::int64_t warmup =
      std::clamp<std::int64_t>(launch.steps_warmup, 0, static_cast<std::int64_t>(samples.size()));
  return {.run = run,
          .point = point.id,
          .title = printable(point.model, 36),
          .subtitle = fmt::format("{}, {}, batch {}", printable(configuration(point), 36),
                                  counted(point.devices, "device"), point.batch_size),
          .configuration = printable(choice_text(point), 36),
          .date = launch.date,
          .warmup = warmup,
          .cut = launch.steps_cut,
          .ms = milliseconds(samples, static_cast<std::size_t>(warmup))};
}

}  // namespace

std::vector<StepSeries> read_step_series(const fs::path& directory,
                                         const result::SweepResults& report,
                                         std::vector<std::string>& problems) {
  std::vector<StepSeries> all;
  for (std::size_t p = 0; p < report.plan.points.size(); ++p) {
    const stats::PointRecord& record = report.records[p];
    if (status(record) != stats::Status::measured) continue;
    const auto first =
        std::ranges::find_if(record.launches, [](const auto& launch) { return !!launch; });
    const auto round = static_cast<std::size_t>(first - record.launches.begin());
    const fs::path path =
        record::samples_path(place_of(directory, report.plan.points[p], round), 0);
    if (!is_there(path)) continue;  // results may have been copied without their samples
    try {
      StepSeries series = series_of(report.id, report.plan.points[p], **first, path);
      if (!series.ms.empty()) all.push_back(std::move(series));
    } catch (const Error& error) {
      problems.push_back(fmt::format("{} is left out: {}; expected a samples file of version {}",
                                     printable(path.string(), 300), printable(error.what(), 300),
                                     record::kSamplesVersion));
    }
  }
  return all;
}

}  // namespace lockstep::report
