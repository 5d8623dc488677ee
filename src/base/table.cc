#include "base/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace lockstep {

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> row) {
  LOCKSTEP_CHECK(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].title.size();
    for (const auto& row : rows_) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  std::string out;
  const auto append = [&](const auto& cell) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::left ? fmt::format("{:<{}}", cell(c), widths[c])
                                               : fmt::format("{:>{}}", cell(c), widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  append([&](std::size_t c) { return columns_[c].title; });
  append([&](std::size_t c) { return std::string(widths[c], '-'); });
  for (const auto& row : rows_) append([&](std::size_t c) { return row[c]; });
  return out;
}

}  // namespace lockstep
