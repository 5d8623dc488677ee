#include "report/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/table.h"
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
  auto algorithm = json_value<std::string>(row, "algorithm");
  if (const auto buckets = json_value<std::int64_t>(row, "buckets"); buckets > 1) {
    algorithm += fmt::format(", {} buckets at once", buckets);
  }
  Collectives::Row read{std::move(algorithm), json_value<double>(row, "bytes"),
                        json_value<double>(row, "busbw_GBps")};
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

// "nccl-tests" of what was imported.
std::string program_of(const SortedJson& document) {
  const SortedJson environment = document.value("environment", SortedJson::object());
  if (!environment.contains("imported")) return "lockstep";
  return environment.at("imported").at("format").get<std::string>();
}

Collectives read_document(const std::string& text, int& wrong) {
  try {
    const SortedJson document = parse_json(text);
    const SortedJson& schema = document.at("schema");
    if (schema.at("name") != "lockstep-comm" || schema.at("version") != kCommVersion) {
      throw Error(ExitCode::usage, fmt::format("its schema is {}", schema.dump()));
    }
    const SortedJson& configuration = document.at("configuration");
    Collectives collectives{.operation = json_value<std::string>(configuration, "operation"),
                            .transport = text_or_nothing(configuration.at("transport")),
                            .program = program_of(document),
                            .directory = {},
                            .ranks = json_value<int>(configuration, "ranks"),
                            .hosts = json_value<int>(configuration, "hosts")};
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
    throw Error(ExitCode::usage, json_fault(error));
  }
}

// "4 ranks on 2 hosts, tcp".
std::string world_of(const Collectives& collectives) {
  std::string text = fmt::format("{} on {}", counted(collectives.ranks, "rank"),
                                 counted(collectives.hosts, "host"));
  if (!collectives.transport.empty()) text += ", " + printable(collectives.transport);
  return text;
}

// "nccl-tests, results/nccl".
std::string origin_of(const Collectives& collectives) {
  return fmt::format("{}, {}", printable(collectives.program), printable(collectives.directory));
}

LineChart empty_chart(std::string title, Axes axes) {
  return {.title = std::move(title),
          .x_label = "bytes of each rank's array",
          .y_label = "bus bandwidth, GB/s",
          .axes = axes,
          .lines = {},
          .footer = {}};
}

void add_point(LineChart& chart, const std::string& label, const Collectives::Row& row) {
  auto line = std::ranges::find(chart.lines, label, &ChartLine::label);
  if (line == chart.lines.end()) {
    line = chart.lines.insert(line, {.label = label, .points = {}});
  }
  line->points.push_back({row.bytes, row.bus_bandwidth});
  line->titles.push_back(
      fmt::format("{}, {}: {:.4g} GB/s", label, human_bytes(row.bytes), row.bus_bandwidth));
}

LineChart chart_of(const Collectives& collectives) {
  LineChart chart =
      empty_chart(fmt::format("{}: {}", printable(collectives.operation), world_of(collectives)),
                  Axes::bytes_from_zero);
  chart.subtitle = origin_of(collectives);
  for (const Collectives::Row& row : collectives.rows) {
    add_point(chart, printable(row.algorithm), row);
  }
  return chart;
}

std::vector<std::string> operations_of(std::span<const Collectives> all) {
  std::vector<std::string> operations;
  for (const Collectives& one : all) {
    if (std::ranges::count(operations, one.operation) == 0) operations.push_back(one.operation);
  }
  return operations;
}

// Bandwidths of two machines differ by orders of magnitude, so their axis is logarithmic, too;
// those that were printed as 0 have no place on it.
LineChart comparison_chart(std::span<const Collectives> all, const std::string& operation) {
  LineChart chart = empty_chart(printable(operation), Axes::logarithmic_bytes);
  for (const Collectives& one : all) {
    if (one.operation != operation) continue;
    for (const Collectives::Row& row : one.rows) {
      if (row.bus_bandwidth == 0) continue;
      add_point(chart,
                fmt::format("{}: {}, {}", origin_of(one), printable(row.algorithm), world_of(one)),
                row);
    }
  }
  return chart;
}

// What others are compared with: the highest bandwidth of the first directory; 0: it has none.
double first_bandwidth(std::span<const Collectives> all, const std::string& operation,
                       double bytes) {
  double highest = 0;
  for (const Collectives& one : all) {
    if (one.directory != all.front().directory || one.operation != operation) continue;
    for (const Collectives::Row& row : one.rows) {
      if (row.bytes == bytes) highest = std::max(highest, row.bus_bandwidth);
    }
  }
  return highest;
}

Figure figure_of(std::span<const LineChart> charts) {
  Figure figure{.name = "collectives",
                .title = "Bandwidth of collectives",
                .caption =
                    "Bus bandwidth: what a link has to carry, at least, over the time of the "
                    "operation.",
                .size = {},
                .panels = {}};
  for (const LineChart& chart : charts) {
    const XY size = size_of(chart);
    figure.size = {std::max(figure.size.x, size.x), std::max(figure.size.y, size.y)};
    const std::string label =
        chart.subtitle.empty() ? chart.title : fmt::format("{}; {}", chart.title, chart.subtitle);
    figure.panels.push_back({label, drawing_of(chart)});
  }
  return figure;
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
      collectives.directory = directory.lexically_normal().string();
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
  std::vector<LineChart> charts;
  for (const Collectives& one : collectives) charts.push_back(chart_of(one));
  return figure_of(charts);
}

Figure collectives_comparison(std::span<const Collectives> collectives) {
  std::vector<LineChart> charts;
  for (const std::string& operation : operations_of(collectives)) {
    charts.push_back(comparison_chart(collectives, operation));
  }
  return figure_of(charts);
}

std::string collectives_table(std::span<const Collectives> collectives, std::size_t width) {
  using enum Table::Align;
  Table table({{"operation", left, 1},
               {"size"},
               {"results", left},
               {"program", left, 3},
               {"ranks", right, 2},
               {"hosts", right, 4},
               {"algorithm", left},
               {"busbw GB/s"},
               {"of the first"}});
  for (const std::string& operation : operations_of(collectives)) {
    std::set<double> sizes;
    for (const Collectives& one : collectives) {
      if (one.operation != operation) continue;
      for (const Collectives::Row& row : one.rows) sizes.insert(row.bytes);
    }
    for (const double bytes : sizes) {
      const double first = first_bandwidth(collectives, operation, bytes);
      for (const Collectives& one : collectives) {
        if (one.operation != operation) continue;
        for (const Collectives::Row& row : one.rows) {
          if (row.bytes != bytes) continue;
          table.add({printable(operation), human_bytes(bytes), printable(one.directory),
                     printable(one.program), fmt::format("{}", one.ranks),
                     fmt::format("{}", one.hosts), printable(row.algorithm),
                     fmt::format("{:.4g}", row.bus_bandwidth),
                     first > 0 ? fmt::format("{:.3f}", row.bus_bandwidth / first) : "-"});
        }
      }
    }
  }
  const std::vector<std::string> taken = table.fit(width);
  std::vector<std::string> notes = {fmt::format(
      "of the first: bus bandwidth over the highest of {} for the size; one measurement each, so "
      "there is no interval and no verdict",
      printable(collectives.front().directory))};
  if (!taken.empty()) {
    notes.push_back(fmt::format("left out in this narrow terminal: {}", join(taken, ", ")));
  }
  std::string text = table.text() + '\n';
  for (const std::string& note : notes) {
    for (const std::string& line : wrap(note, width)) text += line + '\n';
  }
  return text;
}

}  // namespace lockstep::report
