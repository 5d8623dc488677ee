#include "cli/data_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/table.h"
#include "base/text.h"

namespace lockstep::cli {
namespace {

using Json = nlohmann::ordered_json;
using data::Extent;
using data::Index;
using data::Split;

constexpr std::size_t kMostErrors = 20;  // more of them tell nothing new

constexpr const char* kEncodings[] = {"pixels", "image_file", "example"};

struct SplitSummary {
  std::string name;
  std::uint64_t files = 0, file_bytes = 0, records = 0, record_bytes = 0, unlabelled = 0;
  std::map<std::int32_t, std::int64_t> per_label = {};

  std::int64_t least() const {
    return per_label.empty() ? 0 : std::ranges::min_element(per_label, {}, second)->second;
  }
  std::int64_t most() const {
    return per_label.empty() ? 0 : std::ranges::max_element(per_label, {}, second)->second;
  }

 private:
  static std::int64_t second(const std::pair<const std::int32_t, std::int64_t>& entry) {
    return entry.second;
  }
};

SplitSummary summarise(const Index& index, Split split) {
  SplitSummary summary{.name = data::kSplitNames[static_cast<std::size_t>(split)]};
  for (const data::IndexedFile& file : index.files) {
    if (file.split != split) continue;
    ++summary.files;
    summary.file_bytes += file.bytes;
  }
  for (const data::Record& record : index.of(split)) {
    ++summary.records;
    summary.record_bytes += record.length;
    if (record.label == data::kNoLabel) {
      ++summary.unlabelled;
    } else {
      ++summary.per_label[record.label];
    }
  }
  return summary;
}

std::size_t classes_of(const Index& index) {
  std::map<std::int32_t, bool> seen;
  for (const auto& records : index.records) {
    for (const data::Record& record : records) {
      if (record.label != data::kNoLabel) seen[record.label] = true;
    }
  }
  return seen.size();
}

std::string text_of(const Extent& extent) {
  return extent.least == extent.most ? fmt::format("{}", extent.least)
                                     : fmt::format("{}..{}", extent.least, extent.most);
}

std::string count_text(std::uint64_t count) {
  return human_count(static_cast<std::int64_t>(count));
}

std::string bytes_text(std::uint64_t bytes) {
  return human_bytes(static_cast<double>(bytes));
}

std::size_t errors_shown(const Index& index) {
  return std::min(index.faults.size(), kMostErrors);
}

}  // namespace

std::string dataset_text(const Index& index, const std::filesystem::path& directory) {
  Table table({{"split", Table::Align::left},
               {"records"},
               {"bytes"},
               {"files"},
               {"file bytes"},
               {"classes"},
               {"records of a class"}});
  for (const Split split : {Split::train, Split::validation}) {
    const SplitSummary summary = summarise(index, split);
    table.add({summary.name, count_text(summary.records), bytes_text(summary.record_bytes),
               count_text(summary.files), bytes_text(summary.file_bytes),
               count_text(summary.per_label.size()),
               fmt::format("{}..{}", summary.least(), summary.most())});
  }
  const auto labels = data::labels_of(index);
  std::string out = fmt::format(
      "{}: {}\nimages: {} x {} x {} (channels x rows x columns)\nclasses: {}{}\n\n{}",
      directory.string(), index.format, text_of(index.channels), text_of(index.height),
      text_of(index.width), classes_of(index),
      labels ? fmt::format(", labels {} to {}", labels->least, labels->most) : "", table.text());
  if (!index.faults.empty()) out += fmt::format("\nerrors: {}\n", index.faults.size());
  for (std::size_t i = 0; i < errors_shown(index); ++i) {
    out += fmt::format("  {}\n", data::describe(index, index.faults[i], directory));
  }
  if (errors_shown(index) < index.faults.size()) out += "  ...\n";
  return out;
}

std::string dataset_json(const Index& index, const std::filesystem::path& directory) {
  Json splits = Json::object();
  for (const Split split : {Split::train, Split::validation}) {
    const SplitSummary summary = summarise(index, split);
    splits[summary.name] = {{"records", summary.records},
                            {"bytes", summary.record_bytes},
                            {"files", summary.files},
                            {"file_bytes", summary.file_bytes},
                            {"classes", summary.per_label.size()},
                            {"unlabelled", summary.unlabelled},
                            {"records_per_class", {summary.least(), summary.most()}}};
  }
  Json errors = Json::array();
  for (std::size_t i = 0; i < errors_shown(index); ++i) {
    const data::FaultyFile& faulty = index.faults[i];
    errors.push_back({{"file", index.files[faulty.file].path},
                      {"offset", faulty.fault.offset},
                      {"message", faulty.fault.what}});
  }
  const auto labels = data::labels_of(index);
  const auto extent = [](const Extent& e) { return Json{e.least, e.most}; };
  const Json document = {{"schema", {{"name", "lockstep-dataset"}, {"version", 1}}},
                         {"directory", directory.string()},
                         {"format", index.format},
                         {"encoding", kEncodings[static_cast<std::size_t>(index.encoding)]},
                         {"splits", std::move(splits)},
                         {"images",
                          {{"channels", extent(index.channels)},
                           {"height", extent(index.height)},
                           {"width", extent(index.width)}}},
                         {"classes",
                          {{"count", classes_of(index)},
                           {"labels", labels ? extent(*labels) : Json()},
                           {"names", index.class_names}}},
                         {"error_count", index.faults.size()},
                         {"errors", std::move(errors)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace lockstep::cli
