#include "report/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "report/characters.h"
#include "report/line_chart.h"

namespace lockstep::report {
namespace {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

constexpr int kCommVersion = 1;

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("comm") && name.ends_with(".json")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// Nothing where the sums were wrong.
std::optional<Collectives::Row> row_of(const SortedJson& row) {
  if (!row.at("wrong").is_null() && row.at("wrong") != 0) return std::nullopt;
  auto algorithm = row.at("algorithm").get<std::string>();
  if (const auto buckets = row.at("buckets").get<std::int64_t>(); buckets > 1) {
    algorithm += fmt::format(", {} buckets at once", buckets);
  }
  Collectives::Row read{std::move(algorithm), row.at("bytes").get<double>(),
                        row.at("busbw_GBps").get<double>()};
  if (!(read.bytes >= 0 && read.bus_bandwidth >= 0)) {
    throw Error(ExitCode::usage,
                fmt::format("{} GB/s with {} bytes", read.bus_bandwidth, read.bytes));
  }
  return read;
}

// What others measured need not tell.
std::string text_or_nothing(const SortedJson& value) {
  return value.is_null() ? std::string() : value.get<std::string>();
}

Collectives read_document(const std::string& text, int& wrong) {
  try {
    const SortedJson document = SortedJson::parse(text);
    const SortedJson& schema = document.at("schema");
    if (schema.at("name") != "lockstep-comm" || schema.at("version") != kCommVersion) {
      throw Error(ExitCode::usage, fmt::format("its schema is {}", schema.dump()));
    }
    const SortedJson& configuration = document.at("configuration");
    Collectives collectives{.operation = configuration.at("operation").get<std::string>(),
                            .transport = text_or_nothing(configuration.at("transport")),
                            .ranks = configuration.at("ranks").get<int>(),
                            .hosts = configuration.at("hosts").get<int>()};
    if (collectives.ranks < 2) return collectives;  // nothing has to go anywhere
    for (const SortedJson& row : document.at("rows")) {
      if (const auto read = row_of(row)) {
        collectives.rows.push_back(*read);
      } else {
        ++wrong;
      }
    }
    // Empty arrays have no place on a logarithmic axis. Bandwidths of small ones may be printed as
    // 0, but where all are there is nothing to draw.
    std::erase_if(collectives.rows, [](const Collectives::Row& row) { return row.bytes < 1; });
    const auto none = [](const Collectives::Row& row) { return row.bus_bandwidth == 0; };
    if (std::ranges::all_of(collectives.rows, none)) collectives.rows.clear();
    std::ranges::stable_sort(collectives.rows, {}, &Collectives::Row::bytes);
    return collectives;
  } catch (const SortedJson::exception& error) {
    throw Error(ExitCode::usage, error.what());
  }
}

LineChart chart_of(const Collectives& collectives) {
  std::string title =
      fmt::format("{}: {} on {}", printable(collectives.operation),
                  counted(collectives.ranks, "rank"), counted(collectives.hosts, "host"));
  if (!collectives.transport.empty()) title += ", " + printable(collectives.transport);
  LineChart chart{.title = std::move(title),
                  .x_label = "bytes of each rank's array",
                  .y_label = "bus bandwidth, GB/s",
                  .axes = Axes::bytes_from_zero,
                  .lines = {},
                  .footer = {}};
  for (const Collectives::Row& row : collectives.rows) {
    const std::string label = printable(row.algorithm);
    auto line = std::ranges::find(chart.lines, label, &ChartLine::label);
    if (line == chart.lines.end()) {
      line = chart.lines.insert(line, {.label = label, .points = {}});
    }
    line->points.push_back({row.bytes, row.bus_bandwidth});
    line->titles.push_back(
        fmt::format("{}, {}: {:.4g} GB/s", label, human_bytes(row.bytes), row.bus_bandwidth));
  }
  return chart;
}

}  // namespace

std::vector<Collectives> read_collectives(const fs::path& directory,
                                          std::vector<std::string>& problems) {
  std::vector<Collectives> all;
  for (const fs::path& path : files_in(directory)) {
    const std::string name = printable(path.string(), 300);
    try {
      int wrong = 0;
      Collectives collectives = read_document(read_file(path), wrong);
      if (wrong > 0) {
        problems.push_back(
            fmt::format("{}: {} left out, with wrong sums", name, counted(wrong, "row")));
      }
      if (!collectives.rows.empty()) all.push_back(std::move(collectives));
    } catch (const Error& error) {
      problems.push_back(fmt::format(
          "{} is left out: {}; expected a whole document of lockstep comm --json, version {}", name,
          printable(error.what(), 300), kCommVersion));
    }
  }
  return all;
}

Figure collectives_figure(std::span<const Collectives> collectives) {
  Figure figure{.name = "collectives",
                .title = "Bandwidth of collectives",
                .caption =
                    "Bus bandwidth: what a link has to carry, at least, over the time of the "
                    "operation.",
                .size = {},
                .panels = {}};
  for (const Collectives& one : collectives) {
    const LineChart chart = chart_of(one);
    const XY size = size_of(chart);
    figure.size = {std::max(figure.size.x, size.x), std::max(figure.size.y, size.y)};
    figure.panels.push_back({chart.title, drawing_of(chart)});
  }
  return figure;
}

}  // namespace lockstep::report
