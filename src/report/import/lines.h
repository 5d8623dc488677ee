#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "report/import/imported.h"

namespace lockstep::report {

// A line of a log, without the tag that launchers put before what a rank prints: mpirun and
// horovodrun "[1,3]<stdout>:" or "[3]<stdout>:", srun "3: ".
struct LogLine {
  int number = 0;  // from 1 on
  std::string_view text;
  std::optional<int> rank = {};  // of the tag
};

// Views into `text`. What overwrites a line on a terminal, behind a carriage return, is one more of
// the same number.
std::vector<LogLine> log_lines(std::string_view text);

// What stands behind `prefix`, trimmed, where the text begins with it.
std::optional<std::string_view> after(std::string_view text, std::string_view prefix);

// The number that the text begins with; `text` is then what follows it.
std::optional<double> take_number(std::string_view& text);
// The same for a number above 0 and below infinity.
std::optional<double> take_speed(std::string_view& text);
// A whole number from 1 on that fits into an int, and nothing else.
std::optional<int> count_of(std::string_view text);

// Error(usage) "FILE:LINE: MESSAGE", printable whatever it quotes.
Error wrong_line(const Source& source, int line, const std::string& message, std::string hint = {});

}  // namespace lockstep::report
