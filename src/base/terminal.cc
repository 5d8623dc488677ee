#include "base/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <limits>

namespace lockstep {

bool wants_colour(bool is_terminal, const Getenv& getenv) {
  const auto variable = [&](const char* name) {
    const char* value = getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  if (!variable("NO_COLOR").empty()) return false;
  const std::string_view force = variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return is_terminal && variable("TERM") != "dumb" && variable("CLICOLOR") != "0";
}

bool wants_colour(std::FILE* stream) {
  return wants_colour(isatty(fileno(stream)) == 1, process_getenv);
}

std::optional<std::size_t> terminal_columns(std::FILE* stream) {
  constexpr std::size_t kUsual = 80;
  if (isatty(fileno(stream)) != 1) return std::nullopt;
  winsize size{};
  const bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsual;
}

std::size_t output_width() {
  return terminal_columns(stdout).value_or(std::numeric_limits<std::size_t>::max());
}

std::string paint(std::string_view text, Colour colour, bool wanted) {
  if (!wanted) return std::string(text);
  return fmt::format("\x1b[1;{}m{}\x1b[0m", static_cast<int>(colour), text);
}

}  // namespace lockstep
