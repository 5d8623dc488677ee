#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/text.h"
#include "report/import/lines.h"
#include "report/import/readers.h"
#include "report/speed_curve.h"

// Files of earlier scalability tests, "devices,images per second": docs/formats.md. The name of the
// file says what was measured, as far as anything does.

namespace lockstep::report {
namespace {

namespace fs = std::filesystem;

struct CurvePoint {
  int devices = 0;
  double speed = 0;
};

std::optional<CurvePoint> point_of(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto devices = count_of(text.substr(0, comma));
  std::string_view rest = text.substr(comma + 1);
  const auto speed = take_speed(rest);
  if (!devices || !speed || !trim(rest).empty()) return std::nullopt;
  return CurvePoint{*devices, *speed};
}

// A first line without a number in it.
bool is_names(const LogLine& line) {
  return line.number == 1 && line.text.find(',') != std::string_view::npos &&
         line.text.find_first_of("0123456789") == std::string_view::npos;
}

// "inceptionv3_b32.csv": the network and the batch of a device.
RunSetup setup_of(const fs::path& path) {
  const std::string stem = path.stem().string();
  // Those tests had servers whatever the number of devices.
  RunSetup setup{.mode = "training", .strategy = "parameter_server"};
  const std::size_t batch = stem.rfind("_b");
  setup.batch_size = batch == std::string::npos
                         ? std::nullopt
                         : count_of(std::string_view(stem).substr(batch + 2));
  setup.model = setup.batch_size ? model_of_curve(stem.substr(0, batch)) : stem;
  return setup;
}

std::string framework_of(const fs::path& path) {
  const std::string folder = path.parent_path().filename().string();
  if (folder == "csv_tf" || folder == "logs") return "TensorFlow";
  if (folder == "csv_mxnet") return "MXNet";
  return folder.starts_with("csv_") ? folder.substr(4) : "unknown";
}

std::vector<ImportedRun> runs_of(const Source& source) {
  if (source.path.ends_with(".ideal")) {
    throw wrong_line(source, 1, "these speeds were computed, not measured");
  }
  std::vector<ImportedRun> runs;
  std::set<int> counts;
  for (const LogLine& line : log_lines(source.text)) {
    if (trim(line.text).empty() || is_names(line)) continue;
    const auto point = point_of(line.text);
    if (!point) {
      throw wrong_line(source, line.number,
                       fmt::format("expected 'devices,images per second', found '{}'", line.text));
    }
    if (!counts.insert(point->devices).second) {
      throw wrong_line(source, line.number, counted(point->devices, "device") + " again");
    }
    ImportedRun run{.format = "curve",
                    .framework = framework_of(source.path),
                    .files = {source.path},
                    .line = line.number,
                    .setup = setup_of(source.path),
                    .images_per_second = point->speed,
                    .figure = "the speed of all devices"};
    run.setup.devices = point->devices;
    runs.push_back(std::move(run));
  }
  if (runs.empty()) throw wrong_line(source, 1, "no line 'devices,images per second'");
  return runs;
}

}  // namespace

bool looks_like_curve(const Source& source) {
  for (const LogLine& line : log_lines(source.text)) {
    if (!trim(line.text).empty() && !is_names(line)) return point_of(line.text).has_value();
  }
  return false;
}

Imported read_curve(std::span<const Source> sources, const ImportOptions&) {
  Imported imported;
  for (const Source& source : sources) {
    for (ImportedRun& run : runs_of(source)) imported.runs.push_back(std::move(run));
  }
  return imported;
}

}  // namespace lockstep::report
