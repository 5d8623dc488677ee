#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <regex>

#include "report/import/lines.h"
#include "report/import/readers.h"
#include "stats/quantile.h"

// Any program's log, by a regular expression that finds its speeds.

namespace lockstep::report {
namespace {

// Without going back: whatever the expression and the line, it ends, and needs no deep stack.
std::regex compiled(const std::string& pattern) {
  try {
    std::regex expression(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
    if (expression.mark_count() > 0) return expression;
  } catch (const std::regex_error& error) {
    throw Error(ExitCode::usage, fmt::format("--pattern={}: {}", pattern, error.what()),
                "an expression as in JavaScript, without references back");
  }
  throw Error(ExitCode::usage, fmt::format("--pattern={} has no group", pattern),
              "put the number in parentheses: 'speed: ([0-9.]+)'");
}

double computed(Compute compute, const std::vector<double>& values) {
  switch (compute) {
    case Compute::average:
      return stats::mean(values);
    case Compute::p50:
      return stats::quantile(values, 0.5);
    case Compute::p90:
      return stats::quantile(values, 0.9);
    case Compute::last:
      return values.back();
    case Compute::total:
      break;
  }
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::vector<double> values_in(const Source& source, const std::regex& expression) {
  std::vector<double> values;
  for (const LogLine& line : log_lines(source.text)) {
    std::match_results<std::string_view::const_iterator> match;
    if (!std::regex_search(line.text.begin(), line.text.end(), match, expression)) continue;
    const std::string found = match[1].str();
    std::string_view rest = found;
    const auto value = take_number(rest);
    if (!value || !rest.empty() || !std::isfinite(*value)) {
      throw wrong_line(source, line.number,
                       fmt::format("--pattern finds '{}', which is no number", found));
    }
    values.push_back(*value);
  }
  return values;
}

ImportedRun run_of(std::span<const Source> sources, const std::regex& expression,
                   const ImportOptions& options) {
  std::vector<std::string> files;
  std::vector<double> values;
  for (const Source& source : sources) {
    files.push_back(source.path);
    const std::vector<double> own = values_in(source, expression);
    if (own.empty()) {
      throw Error(ExitCode::usage,
                  fmt::format("{}: '{}' finds nothing", source.path, options.pattern));
    }
    values.insert(values.end(), own.begin(), own.end());
  }
  const std::string_view compute = kComputes[static_cast<std::size_t>(options.compute)];
  ImportedRun run{.format = "pattern",
                  .framework = "unknown",
                  .files = std::move(files),
                  .line = 1,
                  .images_per_second = options.scale * computed(options.compute, values),
                  .figure = fmt::format("{} of the {} numbers that '{}' finds", compute,
                                        values.size(), options.pattern)};
  if (options.scale != 1) run.figure += fmt::format(", times {}", options.scale);
  return run;
}

}  // namespace

Imported read_pattern(std::span<const Source> sources, const ImportOptions& options) {
  if (options.pattern.empty()) {
    throw Error(ExitCode::usage, "--format=pattern needs --pattern",
                "such as --pattern='speed: ([0-9.]+)'");
  }
  const std::regex expression = compiled(options.pattern);
  Imported imported;
  if (options.one_run) {
    imported.runs.push_back(run_of(sources, expression, options));
  } else {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      imported.runs.push_back(run_of(sources.subspan(i, 1), expression, options));
    }
  }
  return imported;
}

}  // namespace lockstep::report
