#pragma once

#include <string>
#include <vector>

namespace lockstep {

// A table for people: columns padded to their widest cell, numbers to the right.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit Table(std::vector<Column> columns);

  void add(std::vector<std::string> row);  // as many cells as there are columns
  std::string text() const;                // title line, rule, rows; each line ends in '\n'

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace lockstep
