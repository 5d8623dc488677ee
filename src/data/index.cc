#include "data/index.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace lockstep::data {
namespace {

void widen(Extent& extent, std::int32_t value, bool first) {
  extent = first ? Extent{value, value}
                 : Extent{std::min(extent.least, value), std::max(extent.most, value)};
}

}  // namespace

void Index::see_shape(int c, int h, int w) {
  const bool first = channels.most == 0;
  widen(channels, c, first);
  widen(height, h, first);
  widen(width, w, first);
}

void Index::see_class(std::int32_t label, std::string_view name) {
  if (label < 0 || name.empty()) return;
  const auto at = static_cast<std::size_t>(label);
  if (at >= class_names.size()) class_names.resize(at + 1);
  if (class_names[at].empty()) class_names[at] = name;
}

std::optional<Extent> labels_of(const Index& index) {
  std::optional<Extent> labels;
  for (const auto& records : index.records) {
    for (const Record& record : records) {
      if (record.label == kNoLabel) continue;
      const bool first = !labels;
      if (first) labels.emplace();
      widen(*labels, record.label, first);
    }
  }
  return labels;
}

std::int32_t label_shift(const Index& index, int outputs) {
  const std::optional<Extent> labels = labels_of(index);
  if (!labels || labels->most < outputs) return 0;
  if (labels->least >= 1 && labels->most <= outputs) return 1;
  throw Error(ExitCode::usage,
              fmt::format("labels from {} to {} do not fit a network with {}", labels->least,
                          labels->most, counted(outputs, "output")),
              fmt::format("--num_classes={} would fit", labels->most + 1));
}

std::string describe(const Index& index, const FaultyFile& faulty,
                     const std::filesystem::path& directory) {
  return fmt::format("{}: at byte {}: {}", (directory / index.files[faulty.file].path).string(),
                     faulty.fault.offset, faulty.fault.what);
}

std::optional<std::string> damage(const Index& index, const std::filesystem::path& directory) {
  if (index.faults.empty()) return std::nullopt;
  std::string message = describe(index, index.faults.front(), directory);
  if (index.faults.size() > 1) message += fmt::format(", and {} more", index.faults.size() - 1);
  return message;
}

void require_intact(const Index& index, const std::filesystem::path& directory) {
  const auto message = damage(index, directory);
  if (!message) return;
  throw Error(ExitCode::usage, *message, "--skip_corrupt leaves out what is damaged");
}

}  // namespace lockstep::data
