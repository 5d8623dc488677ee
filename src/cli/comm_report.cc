#include "cli/comm_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kTable = "{:>11} {:>11} {:<16} {:>11} {:>8} {:>8} {:>8}";

std::string wrong_text(const CommRow& row) {
  return row.wrong ? fmt::format("{}", *row.wrong) : "";
}

}  // namespace

CommReport::CommReport(const CommOptions& options, int world)
    : format_(options.format),
      kind_(options.kind),
      world_(world),
      of_model_(options.sizes.empty()),
      has_auto_(std::ranges::find(options.algorithms, kAuto) != options.algorithms.end()) {}

std::string CommReport::further(const std::string& buckets, const std::string& taken) const {
  std::string text;
  if (of_model_) text += fmt::format(" {:>8}", buckets);
  if (has_auto_ && !taken.empty()) text += "  " + taken;
  return text + '\n';
}

std::string CommReport::header() const {
  switch (format_) {
    case CommFormat::table:
      return fmt::format(fmt::runtime(kTable), "bytes", "elements", "algorithm", "time us", "algbw",
                         "busbw", "wrong") +
             further("buckets", "taken") +
             fmt::format(fmt::runtime(std::string(kTable) + "\n"), "", "", "", "", "GB/s", "GB/s",
                         "");
    case CommFormat::csv:
      return "bytes,elements,buckets,operation,algorithm,ranks,operations,time_us,algbw_GBps,"
             "busbw_GBps,wrong,taken\n";
    case CommFormat::json:
      break;
  }
  return "";
}

std::string CommReport::row(const CommRow& row) const {
  const std::size_t elements = row.bytes / sizeof(float);
  const double microseconds = row.seconds * 1e6;
  switch (format_) {
    case CommFormat::table:
      return fmt::format(fmt::runtime(kTable), row.bytes, elements, row.algorithm,
                         fmt::format("{:.2f}", microseconds), fmt::format("{:.3f}", row.algbw()),
                         fmt::format("{:.3f}", busbw(row)), row.wrong ? wrong_text(row) : "-") +
             further(fmt::format("{}", row.buckets), row.taken);
    case CommFormat::csv:
      return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", row.bytes, elements, row.buckets,
                         kCommKinds[static_cast<std::size_t>(kind_)], row.algorithm, world_,
                         row.operations, microseconds, row.algbw(), busbw(row), wrong_text(row),
                         row.taken);
    case CommFormat::json:
      break;
  }
  return "";
}

std::string CommReport::footer(const std::vector<CommRow>& rows, const Json& configuration,
                               const Json& environment, const std::optional<Error>& error) const {
  if (format_ != CommFormat::json) return "";
  Json list = Json::array();
  for (const CommRow& row : rows) {
    list.push_back({{"bytes", row.bytes},
                    {"elements", row.bytes / sizeof(float)},
                    {"buckets", row.buckets},
                    {"algorithm", row.algorithm},
                    {"operations", row.operations},
                    {"time_us", row.seconds * 1e6},
                    {"algbw_GBps", row.algbw()},
                    {"busbw_GBps", busbw(row)},
                    {"wrong", row.wrong ? Json(*row.wrong) : Json(nullptr)}});
    if (!row.taken.empty()) list.back()["taken"] = row.taken;
  }
  Json document = {{"schema", {{"name", "lockstep-comm"}, {"version", 1}}},
                   {"configuration", configuration},
                   {"environment", environment},
                   {"rows", std::move(list)}};
  if (error) {
    document["error"] = {{"exit_code", static_cast<int>(error->code())},
                         {"message", error->what()},
                         {"hint", error->hint()}};
  }
  return document.dump(2) + '\n';
}

}  // namespace lockstep::cli
