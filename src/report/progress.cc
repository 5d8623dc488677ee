#include "report/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/clock.h"
#include "base/streams.h"
#include "base/text.h"
#include "report/characters.h"

namespace lockstep::report {
namespace {

constexpr double kSecondsBetweenRedraws = 0.1;
constexpr double kSecondsBetweenLines = 10;
constexpr int kShortestBar = 10;
constexpr int kLongestBar = 40;
constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

std::string progress_text(std::int64_t done, std::int64_t total, double elapsed, int width,
                          std::string_view unit) {
  std::string text = fmt::format("{}/{} {}, {}", done, total, unit, human_seconds(elapsed));
  if (done > 0 && done < total) {
    const double left = elapsed / static_cast<double>(done) * static_cast<double>(total - done);
    text += fmt::format(", ETA {}", human_seconds(left));
  }
  const int bar = std::min(width - static_cast<int>(text.size()) - 3, kLongestBar);
  if (bar < kShortestBar) return width > 0 ? text.substr(0, static_cast<std::size_t>(width)) : text;
  const auto full = static_cast<std::size_t>(total > 0 ? done * bar / total : 0);
  return fmt::format("[{}{}] {}", std::string(full, '#'),
                     std::string(static_cast<std::size_t>(bar) - full, '.'), text);
}

std::string one_line(std::string_view text, int width) {
  // One column less than there is: a full line would scroll.
  const auto room = static_cast<std::size_t>(std::max(width - 1, 0));
  if (width <= 0 || text.size() <= room) return std::string(text);
  return printable(text, std::max<std::size_t>(room, 4) - 3);
}

Progress::Output Progress::standard_error() {
  Output output{.width =
                    [] {
                      winsize size{};
                      return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? int{size.ws_col} : 0;
                    },
                .clock = now,
                .write = write_message};
  const char* kind = std::getenv("TERM");
  output.terminal =
      isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
  return output;
}

Progress::Progress(std::int64_t total, Output output, std::string unit)
    : total_(total),
      output_(std::move(output)),
      unit_(std::move(unit)),
      start_(output_.clock()),
      last_(start_) {}

void Progress::announce(std::string_view text) {
  if (!output_.terminal) return;
  output_.write(fmt::format("{}{}", kClearLine, one_line(text, output_.width())));
  shown_ = true;
}

void Progress::start() {
  start_ = last_ = output_.clock();
}

void Progress::update(std::int64_t done) {
  const double time = output_.clock();
  if (time - last_ < (output_.terminal ? kSecondsBetweenRedraws : kSecondsBetweenLines)) return;
  last_ = time;
  const double elapsed = time - start_;
  if (output_.terminal) {
    // One column less than there is: a full line would scroll.
    output_.write(fmt::format("{}{}", kClearLine,
                              progress_text(done, total_, elapsed, output_.width() - 1, unit_)));
    shown_ = true;
  } else {
    output_.write(progress_text(done, total_, elapsed, 0, unit_) + '\n');
  }
}

void Progress::hide() {
  if (shown_) output_.write(kClearLine);
  shown_ = false;
}

}  // namespace lockstep::report
