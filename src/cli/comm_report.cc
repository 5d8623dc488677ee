#include "cli/comm_report.h"

#include <fmt/format.h>

namespace lockstep::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kTable = "{:>11} {:>11} {:<16} {:>11} {:>8} {:>8} {:>8}";

std::string wrong_text(const CommRow& row) {
  return row.wrong ? fmt::format("{}", *row.wrong) : "";
}

}  // namespace

std::string CommReport::header() const {
  switch (format_) {
    case CommFormat::table:
      return fmt::format(fmt::runtime(std::string(kTable) + "{}\n"), "bytes", "elements",
                         "algorithm", "time us", "algbw", "busbw", "wrong",
                         of_model_ ? "  buckets" : "") +
             fmt::format(fmt::runtime(std::string(kTable) + "\n"), "", "", "", "", "GB/s", "GB/s",
                         "");
    case CommFormat::csv:
      return "bytes,elements,buckets,operation,algorithm,ranks,operations,time_us,algbw_GBps,"
             "busbw_GBps,wrong\n";
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
      return fmt::format(fmt::runtime(std::string(kTable) + "{}\n"), row.bytes, elements,
                         row.algorithm, fmt::format("{:.2f}", microseconds),
                         fmt::format("{:.3f}", row.algbw()), fmt::format("{:.3f}", busbw(row)),
                         row.wrong ? wrong_text(row) : "-",
                         of_model_ ? fmt::format(" {:>8}", row.buckets) : "");
    case CommFormat::csv:
      return fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", row.bytes, elements, row.buckets,
                         kCommKinds[static_cast<std::size_t>(kind_)], row.algorithm, world_,
                         row.operations, microseconds, row.algbw(), busbw(row), wrong_text(row));
    case CommFormat::json:
      break;
  }
  return "";
}

std::string CommReport::footer(const std::vector<CommRow>& rows, const Json& configuration,
                               const Json& environment) const {
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
  }
  const Json document = {{"schema", {{"name", "lockstep-comm"}, {"version", 1}}},
                         {"configuration", configuration},
                         {"environment", environment},
                         {"rows", std::move(list)}};
  return document.dump(2) + '\n';
}

}  // namespace lockstep::cli
