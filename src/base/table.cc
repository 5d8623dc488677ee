#include "base/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/text.h"

namespace lockstep {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> row) {
  LOCKSTEP_CHECK(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = width_of(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, width_of(row[c]));
    widths.push_back(width);
  }
  return widths;
}

void Table::take_out(std::ptrdiff_t column) {
  columns_.erase(columns_.begin() + column);
  for (auto& row : rows_) row.erase(row.begin() + column);
}

std::vector<std::string> Table::fit(std::size_t width) {
  std::vector<std::string> taken;
  while (!columns_.empty()) {
    const std::vector<std::size_t> all = widths();
    const std::size_t gaps = 2 * (all.size() - 1);
    if (std::accumulate(all.begin(), all.end(), gaps) <= width) break;
    const auto out = std::ranges::max_element(columns_, {}, &Column::dispensable);
    if (out->dispensable == 0) break;
    taken.push_back(out->long_name.empty() ? out->title : out->long_name);
    take_out(out - columns_.begin());
  }
  return taken;
}

void Table::fold(std::size_t width) {
  constexpr std::size_t kReadable = 24;
  std::size_t room = 0;  // for the last column
  while (true) {
    const std::vector<std::size_t> all = widths();
    const std::size_t before =
        std::accumulate(all.begin(), all.end() - 1, 2 * (all.size() - 1));  // with gaps
    if (before + all.back() <= width) return;
    room = width - std::min(width, before);
    const auto out = std::ranges::max_element(columns_, {}, &Column::dispensable);
    if (room >= kReadable || out->dispensable == 0) break;
    take_out(out - columns_.begin());
  }
  const std::size_t last = std::max(kReadable, room);
  std::vector<std::vector<std::string>> folded;
  for (std::vector<std::string>& row : rows_) {
    const std::vector<std::string> lines = wrap(row.back(), last);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) row.assign(row.size(), "");
      row.back() = lines[i];
      folded.push_back(row);
    }
    if (lines.empty()) folded.push_back(row);
  }
  rows_ = std::move(folded);
}

std::string Table::text() const {
  const std::vector<std::size_t> widths = this->widths();
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
