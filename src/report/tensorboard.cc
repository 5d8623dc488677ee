#include "report/tensorboard.h"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstdio>
#include <optional>

#include "base/file_name.h"
#include "data/bytes.h"
#include "data/protobuf.h"
#include "data/tfrecord.h"

namespace lockstep::report {
namespace {

// Fields of the messages Event, Summary and Summary.Value.
constexpr std::uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
constexpr std::uint32_t kValue = 1;
constexpr std::uint32_t kTag = 1, kSimpleValue = 2;

void append_key(std::string& out, std::uint32_t number, data::Field::Type type) {
  data::append_varint(out, std::uint64_t{number} << 3U | static_cast<std::uint64_t>(type));
}

std::string event_at(double time) {
  std::string event;
  append_key(event, kWallTime, data::Field::Type::fixed64);
  data::append_le(event, std::bit_cast<std::uint64_t>(time));
  return event;
}

void append_version(std::string& file, double time) {
  std::string event = event_at(time);
  data::append_bytes_field(event, kFileVersion, "brain.Event:2");
  data::append_frame(file, data::bytes_of(event));
}

void append_scalar(std::string& file, double time, std::int64_t step, std::string_view tag,
                   double number) {
  std::string value, summary, event = event_at(time);
  data::append_bytes_field(value, kTag, tag);
  append_key(value, kSimpleValue, data::Field::Type::fixed32);
  data::append_le(value, std::bit_cast<std::uint32_t>(static_cast<float>(number)));
  data::append_bytes_field(summary, kValue, value);
  append_key(event, kStep, data::Field::Type::varint);
  data::append_varint(event, static_cast<std::uint64_t>(step));
  data::append_bytes_field(event, kSummary, summary);
  data::append_frame(file, data::bytes_of(event));
}

// --- What they say ------------------------------------------------------------------------------

constexpr std::size_t kMostSteps = 1000;  // of a series: TensorBoard shows no more

// Seconds since 1970 of "2026-01-02T03:04:05Z"; 0 of what is no date.
double seconds_of(const std::string& date) {
  int year = 0, hour = 0, minute = 0, second = 0;
  unsigned month = 0, day = 0;
  if (std::sscanf(date.c_str(), "%4d-%2u-%2uT%2d:%2d:%2dZ", &year, &month, &day, &hour, &minute,
                  &second) != 6) {
    return 0;
  }
  const std::chrono::year_month_day calendar{std::chrono::year(year), std::chrono::month(month),
                                             std::chrono::day(day)};
  if (!calendar.ok()) return 0;
  const auto days = std::chrono::sys_days(calendar).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) + 3600.0 * hour + 60.0 * minute + second;
}

std::string event_file_name(double time) {
  return fmt::format("events.out.tfevents.{:.0f}.lockstep", time);
}

// It names a directory.
std::string run_name(std::string_view text) {
  std::string name = file_name(text);
  if (name.size() > 150) name.resize(150);
  return name.find_first_not_of('.') == std::string::npos ? "_" + name : name;
}

std::optional<EventFile> scaling_events(const Series& series, const Curve& curve) {
  std::optional<EventFile> file;
  for (const RowView& row : curve.rows) {
    const stats::Launch* launch = stats::first_launch(row.record());
    if (!row.summary().speed || launch == nullptr) continue;
    const double time = seconds_of(launch->date);
    if (!file) {
      file = EventFile{run_name(fmt::format("{}-{}-{}-{}", row.report->id, series.title,
                                            series.subtitle, curve.label)),
                       event_file_name(time), ""};
      append_version(file->content, time);
    }
    const auto add = [&](std::string_view tag, const std::optional<stats::Estimate>& estimate) {
      if (!estimate) return;
      append_scalar(file->content, time, row.point().devices, tag, estimate->value);
    };
    add("images_per_s", row.summary().speed);
    add("speedup", row.summary().speed_up);
    add("efficiency", row.summary().efficiency);
    add("io_overhead", row.summary().io_overhead);
  }
  return file;
}

EventFile step_events(const StepSeries& series) {
  double time = seconds_of(series.date);
  EventFile file{run_name(fmt::format("steps-{}-{}", series.run, series.point)),
                 event_file_name(time), ""};
  append_version(file.content, time);
  const std::size_t stride = (series.ms.size() + kMostSteps - 1) / kMostSteps;
  for (std::size_t i = 0; i < series.ms.size(); ++i) {
    time += series.ms[i] / 1e3;
    if (i % stride != 0) continue;
    append_scalar(file.content, time, static_cast<std::int64_t>(i), "step_ms", series.ms[i]);
  }
  return file;
}

}  // namespace

std::vector<EventFile> event_files(const Evidence& evidence) {
  std::vector<EventFile> files;
  for (const Series& series : series_of(evidence.sweeps)) {
    for (const Curve& curve : series.curves) {
      if (auto file = scaling_events(series, curve)) files.push_back(std::move(*file));
    }
  }
  for (const StepSeries& series : evidence.steps) files.push_back(step_events(series));
  return files;
}

}  // namespace lockstep::report
