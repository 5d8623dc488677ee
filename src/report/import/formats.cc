#include "report/import/formats.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "base/unknown_name.h"
#include "report/import/lines.h"
#include "report/import/readers.h"
#include "result/run_file.h"

namespace lockstep::report {
namespace {

// A file is read by the first row that it looks like.
constexpr ImportFormat kFormats[] = {
    {"nccl-tests", "tables of nccl-tests and rccl-tests", looks_like_nccl, read_nccl},
    {"horovod", "Horovod's synthetic benchmarks", looks_like_horovod, read_horovod},
    {"tf_cnn_benchmarks",
     "logs of tf_cnn_benchmarks, of one process or of many, and of lockstep run", looks_like_tf_cnn,
     read_tf_cnn},
    {"tsv", "tables with tabs, as of keras-multi-gpu", looks_like_tsv, read_tsv},
    {"curve", "NAME_bBATCH.csv of tfperftest and deeplearning-benchmark: devices,images per second",
     looks_like_curve, read_curve},
    {"pattern", "any log, by --pattern", nullptr, read_pattern},
};

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const ImportFormat& format : kFormats) names.emplace_back(format.name);
  return names;
}

const ImportFormat& format_of(const Source& source, const ImportOptions& options) {
  const bool automatic = options.format == "auto";
  const std::string_view asked =
      automatic && !options.pattern.empty() ? "pattern" : std::string_view(options.format);
  for (const ImportFormat& format : kFormats) {
    if (format.name == asked) return format;
    if (automatic && asked == "auto" && format.looks_like != nullptr && format.looks_like(source)) {
      return format;
    }
  }
  if (!automatic) throw unknown_name("format", options.format, known_names());
  throw Error(ExitCode::usage, fmt::format("{} looks like none of the formats", source.path),
              fmt::format("--pattern='speed: ([0-9.]+)' reads any log; formats: {}",
                          join(known_names(), ", ")));
}

template <typename Value>
void override_with(const std::optional<Value>& given, std::optional<Value>& value) {
  if (given) value = given;
}

void complete(ImportedRun& run, const ImportOptions& options) {
  RunSetup& setup = run.setup;
  const RunSetup& given = options.given;
  override_with(given.model, setup.model);
  override_with(given.dataset, setup.dataset);
  override_with(given.strategy, setup.strategy);
  override_with(given.data_format, setup.data_format);
  override_with(given.batch_size, setup.batch_size);
  override_with(given.devices, setup.devices);
  override_with(given.num_ps, setup.num_ps);
  // Layouts that no sweep has are as good as not said.
  if (setup.data_format != "NCHW" && setup.data_format != "NHWC") setup.data_format.reset();
  if (!options.framework.empty()) run.framework = options.framework;
}

struct Need {
  bool (*known)(const RunSetup& setup);
  std::string_view what;
  std::string_view flag;
};
constexpr Need kNeeds[] = {
    {[](const RunSetup& setup) { return setup.model.has_value(); }, "which model this is",
     "--model=NAME"},
    {[](const RunSetup& setup) { return setup.batch_size.has_value(); },
     "how large the batch of a device is", "--batch_size=N"},
    {[](const RunSetup& setup) { return setup.devices.has_value(); }, "how many devices there were",
     "--devices=N"},
    {[](const RunSetup& setup) { return setup.strategy.has_value(); },
     "how gradients were exchanged", "--strategy=NAME"},
};

// All that is missing at once, and where first.
void check_complete(std::span<const ImportedRun> runs) {
  std::vector<std::string> missing, flags;
  const ImportedRun* first = nullptr;
  for (const Need& need : kNeeds) {
    const auto lacking =
        std::ranges::find_if_not(runs, [&](const auto& run) { return need.known(run.setup); });
    if (lacking == runs.end()) continue;
    missing.emplace_back(need.what);
    flags.emplace_back(need.flag);
    if (first == nullptr) first = &*lacking;
  }
  if (first == nullptr) return;
  std::string hint = fmt::format("{} {} it", join(flags, ", "), flags.size() == 1 ? "says" : "say");
  if (first->format == "pattern") {
    hint += ", or groups of --pattern or --file_pattern that are called so: (?<devices>[0-9]+)";
  }
  throw Error(
      ExitCode::usage,
      fmt::format("{}:{}: nothing says {}", first->files.front(), first->line, join(missing, ", ")),
      hint);
}

void check_speed(const ImportedRun& run) {
  if (result::is_speed(run.images_per_second)) return;
  throw Error(ExitCode::usage, fmt::format("{}:{}: a speed of {} images/s", run.files.front(),
                                           run.line, run.images_per_second));
}

template <typename Value>
void append(std::vector<Value>& to, std::vector<Value>& from) {
  std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

std::span<const ImportFormat> import_formats() {
  return kFormats;
}

Imported import_sources(std::vector<Source> sources, const ImportOptions& options) {
  std::vector<const ImportFormat*> formats;
  for (const Source& source : sources) formats.push_back(&format_of(source, options));
  Imported imported;
  for (const ImportFormat& format : kFormats) {
    std::vector<Source> own;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (formats[i] == &format) own.push_back(std::move(sources[i]));
    }
    if (own.empty()) continue;
    Imported read = format.read(own, options);
    append(imported.runs, read.runs);
    append(imported.collectives, read.collectives);
    append(imported.warnings, read.warnings);
  }
  for (ImportedRun& run : imported.runs) complete(run, options);
  check_complete(imported.runs);
  for (const ImportedRun& run : imported.runs) check_speed(run);
  return imported;
}

}  // namespace lockstep::report
