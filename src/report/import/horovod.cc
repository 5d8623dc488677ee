#include <fmt/format.h>

#include "base/text.h"
#include "report/import/lines.h"
#include "report/import/readers.h"

// Horovod's synthetic benchmarks, of all frameworks. Rank 0 alone prints, and its total is its own
// speed times the number of ranks: a slower peer shows only in so far as it keeps rank 0 waiting.

namespace lockstep::report {
namespace {

constexpr std::string_view kHorovodTotal = "Total img/sec on ";

// "432.8 +-4.9", or 432.8 alone.
struct SpeedAndSpread {
  double value = 0;
  std::optional<double> plus_minus = {};
};

std::optional<SpeedAndSpread> speed_of_text(std::string_view text) {
  const auto value = take_speed(text);
  if (!value) return std::nullopt;
  SpeedAndSpread figure{.value = *value};
  text = trim(text);
  if (text.starts_with("+-")) {
    text.remove_prefix(2);
    figure.plus_minus = take_number(text);
  }
  return figure;
}

class Reader {
 public:
  explicit Reader(const Source& source) : source_(source) { begin(1); }

  std::vector<ImportedRun> read() {
    for (const LogLine& line : log_lines(source_.text)) {
      if (const std::size_t at = line.text.find(kHorovodTotal); at != std::string_view::npos) {
        finish(line, line.text.substr(at + kHorovodTotal.size()));
      } else if (const auto model = after(line.text, "Model:")) {
        begin(line.number);
        run_.setup.model = *model;
        run_.header.emplace_back("Model", *model);
      } else if (const auto batch = after(line.text, "Batch size:")) {
        run_.setup.batch_size = count_of(*batch);
        run_.header.emplace_back("Batch size", *batch);
      } else if (line.text.starts_with("Iter #")) {
        ++iterations_;
      }
    }
    if (!runs_.empty()) return std::move(runs_);
    throw wrong_line(source_, run_.line,
                     fmt::format("no line '{}N GPU(s): SPEED' follows", kHorovodTotal),
                     "is the log whole?");
  }

 private:
  void begin(int line) {
    iterations_ = 0;
    run_ = {.format = "horovod",
            .framework = "Horovod",
            .files = {source_.path},
            .line = line,
            .figure = {}};
    run_.setup.strategy = "horovod";
    run_.setup.mode = "training";
  }

  // "4 GPU(s): 432.8 +-4.9"
  void finish(const LogLine& line, std::string_view rest) {
    const std::size_t colon = rest.find(':');
    const auto devices = count_of(rest.substr(0, rest.find(' ')));
    const auto total = colon == std::string_view::npos ? std::optional<SpeedAndSpread>()
                                                       : speed_of_text(rest.substr(colon + 1));
    if (!devices || !total) {
      throw wrong_line(source_, line.number,
                       fmt::format("expected '{}N GPU(s): SPEED +-SPREAD', found '{}'",
                                   kHorovodTotal, trim(line.text)));
    }
    run_.setup.devices = *devices;
    run_.images_per_second = total->value;
    const std::string iterations =
        iterations_ > 0 ? " over " + counted(iterations_, "iteration") : "";
    run_.figure = fmt::format("rank 0's mean speed{}, times {}", iterations, *devices);
    if (total->plus_minus) {
      run_.spread = {*total->plus_minus,
                     "1.96 standard deviations of the speeds of rank 0's iterations, times the "
                     "number of ranks; no interval of the mean"};
    }
    runs_.push_back(run_);
    begin(line.number + 1);
  }

  const Source& source_;
  int iterations_ = 0;
  ImportedRun run_;
  std::vector<ImportedRun> runs_;
};

}  // namespace

bool looks_like_horovod(const Source& source) {
  return source.text.find(kHorovodTotal) != std::string::npos ||
         source.text.find("Img/sec per ") != std::string::npos;
}

Imported read_horovod(std::span<const Source> sources, const ImportOptions&) {
  Imported imported;
  for (const Source& source : sources) {
    for (ImportedRun& run : Reader(source).read()) imported.runs.push_back(std::move(run));
  }
  return imported;
}

}  // namespace lockstep::report
