#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/import/lines.h"
#include "report/import/readers.h"

// Tables with tabs below a line of names, as keras-multi-gpu kept its measurements.

namespace lockstep::report {
namespace {

constexpr std::string_view kModel = "model";
constexpr std::string_view kDevices = "num_gpus";
constexpr std::string_view kSpeed = "total images/sec";
// What follows from the other columns.
constexpr std::string_view kDerived[] = {kSpeed, "ideal speed-up", "speed up vs 1 GPU",
                                         "efficiency"};

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (const std::string& field : split(line, '\t')) fields.emplace_back(trim(field));
  return fields;
}

class Rows {
 public:
  explicit Rows(const Source& source) : source_(source) {}

  std::vector<ImportedRun> read() {
    std::vector<ImportedRun> runs;
    for (const LogLine& line : log_lines(source_.text)) {
      if (trim(line.text).empty()) continue;
      if (names_.empty()) {
        names_ = fields_of(line.text);
      } else {
        runs.push_back(run_of(line));
      }
    }
    if (runs.empty()) throw wrong_line(source_, 1, "no line below the names of the columns");
    return runs;
  }

 private:
  ImportedRun run_of(const LogLine& line) {
    const std::vector<std::string> fields = fields_of(line.text);
    if (fields.size() > names_.size()) {
      throw wrong_line(source_, line.number,
                       fmt::format("{} below {} of columns", counted(std::ssize(fields), "field"),
                                   counted(std::ssize(names_), "name")));
    }
    ImportedRun run{.format = "tsv",
                    .framework = "TensorFlow",
                    .files = {source_.path},
                    .line = line.number,
                    .figure = fmt::format("column '{}'", kSpeed)};
    std::map<std::string, std::string, std::less<>> row;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].empty()) continue;
      row[names_[i]] = fields[i];
      const bool varies = names_[i] == kModel || names_[i] == kDevices;
      if (!varies && std::ranges::count(kDerived, names_[i]) == 0) {
        run.header.emplace_back(names_[i], fields[i]);
      }
    }
    const auto text = [&](std::string_view name) -> std::optional<std::string> {
      const auto found = row.find(name);
      return found == row.end() ? std::nullopt : std::optional(found->second);
    };
    run.setup = {.model = text(kModel),
                 .mode = "training",
                 .strategy = text("variable_update"),
                 .data_format = text("data_format"),
                 .batch_size = count_of(text("local batch size").value_or("")),
                 .devices = count_of(text(kDevices).value_or(""))};
    const std::string found = text(kSpeed).value_or("");
    std::string_view rest = found;
    const auto speed = take_speed(rest);
    if (!speed || !rest.empty()) {
      throw wrong_line(source_, line.number,
                       fmt::format("expected a speed in column '{}', found '{}'", kSpeed, found));
    }
    run.images_per_second = *speed;
    return run;
  }

  const Source& source_;
  std::vector<std::string> names_;
};

}  // namespace

bool looks_like_tsv(const Source& source) {
  const std::string_view first = std::string_view(source.text).substr(0, source.text.find('\n'));
  const std::vector<std::string> names = fields_of(first);
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{kModel, kDevices, kSpeed},
      [&](std::string_view name) { return std::ranges::count(names, name) == 1; });
}

Imported read_tsv(std::span<const Source> sources, const ImportOptions&) {
  Imported imported;
  for (const Source& source : sources) {
    for (ImportedRun& run : Rows(source).read()) imported.runs.push_back(std::move(run));
  }
  return imported;
}

}  // namespace lockstep::report
