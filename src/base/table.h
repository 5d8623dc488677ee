#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Columns of a terminal that a text takes: one for each character of UTF-8.
std::size_t width_of(std::string_view text);

// A table for people: columns padded to their widest cell, numbers to the right.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
    int dispensable = 0;         // the highest goes first where there is no room; 0: never
    std::string long_name = {};  // where it is named by itself; empty: the title
  };

  explicit Table(std::vector<Column> columns);

  void add(std::vector<std::string> row);  // as many cells as there are columns
  // Removes columns until lines are at most `width` characters wide, or no dispensable column is
  // left; returns the names of the removed columns.
  std::vector<std::string> fit(std::size_t width);
  // Breaks cells of the last column into several lines, so that lines are at most `width`
  // characters wide. Where that column would become too narrow to read, removes dispensable ones
  // first.
  void fold(std::size_t width);
  std::string text() const;  // title line, rule, rows; each line ends in '\n'

 private:
  std::vector<std::size_t> widths() const;
  void take_out(std::ptrdiff_t column);

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace lockstep
