#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lockstep::report {

// "[#####.....] 50/100 steps, 12.0 s, ETA 12.0 s" in at most `width` columns, without the bar where
// there is no room for one (width 0: never a bar). `unit`: what is counted.
std::string progress_text(std::int64_t done, std::int64_t total, double elapsed, int width,
                          std::string_view unit = "steps");

// As much of a text as a line of a terminal of this width takes without being broken into two; all
// of it where the width is not known (0).
std::string one_line(std::string_view text, int width);

// Tells on stderr how far something is: a bar that is redrawn in place on a terminal, otherwise a
// line now and then, so that a log file stays short.
class Progress {
 public:
  struct Output {
    bool terminal = false;
    std::function<int()> width;  // columns of the terminal, which people resize
    std::function<double()> clock;
    std::function<void(std::string_view)> write;
  };
  static Output standard_error();

  Progress(std::int64_t total, Output output, std::string unit = "steps");
  ~Progress() { hide(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // What goes on before the steps that are counted; on a terminal only, until the next update.
  void announce(std::string_view text);
  // The counted steps begin now: their time is what the end is reckoned from.
  void start();
  void update(std::int64_t done);
  // Takes the bar off the terminal, before anything else is printed there and at the end.
  void hide();

 private:
  std::int64_t total_;
  Output output_;
  std::string unit_;
  double start_;
  double last_;
  bool shown_ = false;
};

}  // namespace lockstep::report
