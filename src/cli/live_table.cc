#include "cli/live_table.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/streams.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "report/characters.h"
#include "report/watch_text.h"

namespace lockstep::cli {
namespace {

// Where nobody reads any more, there is nobody to show anything to.
void print(const std::string& text) {
  write_output(text);
  flush_output();
  require_output();
}

}  // namespace

std::string fitted(std::string_view text, std::size_t columns, std::size_t lines) {
  std::vector<std::string> all = split(text, '\n');
  if (!all.empty() && all.back().empty()) all.pop_back();
  const bool cut = all.size() > lines;
  if (cut) all.resize(std::max<std::size_t>(lines, 1) - 1);
  std::string out;
  for (const std::string& line : all) {
    // Three columns for what says that something is missing.
    const bool fits = line.size() <= columns;
    out += fits ? line : report::printable(line, std::max<std::size_t>(columns, 4) - 3);
    out += '\n';
  }
  return cut ? out + "...\n" : out;
}

LiveTable::LiveTable() {
  const char* kind = std::getenv("TERM");
  terminal_ = isatty(STDOUT_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

void LiveTable::show(const report::SweepView& view) {
  if (!terminal_) {
    report::SweepView lasting = view;
    lasting.seconds_left.reset();  // it changes all the time
    const std::string line = report::watch_line(lasting) + '\n';
    if (line != shown_) print(report::watch_line(view) + '\n');
    shown_ = line;
    return;
  }
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const std::size_t columns = known ? size.ws_col : 80;
  const std::string text = fitted(report::watch_table(view, columns), columns,
                                  known ? std::max<std::size_t>(size.ws_row, 2) - 1 : 24);
  if (text == shown_) return;
  const auto above = std::ranges::count(shown_, '\n');
  print((above > 0 ? fmt::format("\x1b[{}A\x1b[J", above) : "") + text);
  shown_ = text;
}

}  // namespace lockstep::cli
