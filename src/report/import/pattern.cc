#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "report/characters.h"
#include "report/import/grouped_number.h"
#include "report/import/lines.h"
#include "report/import/named_pattern.h"
#include "report/import/readers.h"
#include "stats/quantile.h"

// Any program's log, by a regular expression that finds its speeds, and what they are speeds of.

namespace lockstep::report {
namespace {

using Match = std::match_results<std::string_view::const_iterator>;

// What groups can be called besides the speed: like the flags that say the same.
struct Fact {
  std::string_view name;
  bool (*set)(RunSetup& setup, const std::string& text);  // whether it can be that
};
template <auto field>
bool set_text(RunSetup& setup, const std::string& text) {
  setup.*field = text;
  return !text.empty();
}
template <auto field>
bool set_count(RunSetup& setup, const std::string& text) {
  setup.*field = count_of(text);
  return (setup.*field).has_value();
}
constexpr Fact kFacts[] = {
    {"model", set_text<&RunSetup::model>},
    {"strategy", set_text<&RunSetup::strategy>},
    {"batch_size", set_count<&RunSetup::batch_size>},
    {"devices", set_count<&RunSetup::devices>},
};
constexpr std::string_view kSpeedGroup = "speed";

void check_names(std::string_view flag, const NamedPattern& pattern, bool has_speed) {
  std::vector<std::string> known;
  if (has_speed) known.emplace_back(kSpeedGroup);
  for (const Fact& fact : kFacts) known.emplace_back(fact.name);
  for (const auto& [name, number] : pattern.names) {
    if (std::ranges::count(known, name) > 0) continue;
    throw Error(ExitCode::usage, fmt::format("{}: a group cannot be called '{}'", flag, name),
                "known names: " + join(known, ", "));
  }
}

struct Patterns {
  NamedPattern line;
  std::size_t speed = 0;  // its group
  std::optional<NamedPattern> file;
};

Patterns compiled(const ImportOptions& options) {
  Patterns patterns{.line = compile_pattern("--pattern", options.pattern), .file = {}};
  check_names("--pattern", patterns.line, true);
  const auto named = patterns.line.names.find(std::string(kSpeedGroup));
  patterns.speed = named != patterns.line.names.end() ? named->second : patterns.line.first_unnamed;
  if (patterns.speed == 0) {
    throw Error(ExitCode::usage, fmt::format("--pattern={} has no group", options.pattern),
                "put the number in parentheses: 'speed: ([0-9.]+)'");
  }
  if (!options.file_pattern.empty()) {
    patterns.file = compile_pattern("--file_pattern", options.file_pattern);
    check_names("--file_pattern", *patterns.file, false);
    if (patterns.file->names.empty()) {
      throw Error(ExitCode::usage,
                  fmt::format("--file_pattern={} has no named group", options.file_pattern),
                  "such as --file_pattern='(?<devices>[0-9]+)gpu'");
    }
  }
  return patterns;
}

// `where` is a line of the file; 0: its name.
void add_facts(const NamedPattern& pattern, const Match& match, const Source& source, int where,
               RunSetup& setup) {
  for (const Fact& fact : kFacts) {
    const auto group = pattern.names.find(std::string(fact.name));
    if (group == pattern.names.end() || !match[group->second].matched) continue;
    const std::string text = match[group->second].str();
    if (fact.set(setup, text)) continue;
    const std::string what = fmt::format("'{}' cannot be {}", text, fact.name);
    throw where > 0 ? wrong_line(source, where, "--pattern: " + what)
                    : Error(ExitCode::usage,
                            fmt::format("--file_pattern: {}: {}", source.path, printable(what)));
  }
}

RunSetup facts_of_name(const Source& source, const Patterns& patterns,
                       const ImportOptions& options) {
  RunSetup setup;
  if (!patterns.file) return setup;
  const std::string_view name = source.path;
  Match match;
  if (!std::regex_search(name.begin(), name.end(), match, patterns.file->expression)) {
    throw Error(ExitCode::usage,
                fmt::format("'{}' finds nothing in the name {}", options.file_pattern, name));
  }
  add_facts(*patterns.file, match, source, 0, setup);
  return setup;
}

struct Number {
  double value = 0;
  const Source* source = nullptr;
  int line = 0;
};

// The numbers that are speeds of the same.
struct Found {
  RunSetup setup;
  std::vector<Number> numbers = {};
  std::vector<std::string> warnings = {};
};

// Where the expression ends at its group, a number that continues there does not: "2,510.0" is
// what "speed: ([0-9.]+)" means, though it takes no more than the 2. Where it does not, it says
// itself what follows, and a comma may be one between cells.
double number_in(const Match& match, const Patterns& patterns, const Source& source,
                 const LogLine& line, std::vector<std::string>& warnings) {
  const auto& group = match[patterns.speed];
  const std::string_view part(group.first, group.second);
  const std::string_view whole = number_around(line.text, part);
  const bool ends_before = match[0].first == group.first || whole.begin() == part.begin();
  const bool ends_after = match[0].second == group.second || whole.end() == part.end();
  const std::string_view taken = ends_before && ends_after ? whole : part;
  if (taken.size() < whole.size() && warnings.empty()) {
    warnings.push_back(fmt::format("line {}: --pattern takes {} out of {}", line.number,
                                   printable(part), printable(whole)));
  }
  if (const auto value = grouped_number(trim(taken))) return *value;
  throw wrong_line(source, line.number,
                   fmt::format("--pattern finds '{}', which is not a number", taken),
                   "decimals follow a point, a comma separates thousands");
}

// What a file says of its speeds before it says it: the first of each fact, wherever it is.
RunSetup first_facts(const std::vector<std::pair<LogLine, Match>>& matches, const Source& source,
                     const Patterns& patterns, RunSetup setup) {
  for (auto match = matches.rbegin(); match != matches.rend(); ++match) {
    add_facts(patterns.line, match->second, source, match->first.number, setup);
  }
  return setup;
}

void add_numbers(const Source& source, const Patterns& patterns, const ImportOptions& options,
                 std::vector<Found>& found) {
  const std::vector<LogLine> lines = log_lines(source.text);
  std::vector<std::pair<LogLine, Match>> matches;
  for (const LogLine& line : lines) {
    Match match;
    if (std::regex_search(line.text.begin(), line.text.end(), match, patterns.line.expression)) {
      matches.emplace_back(line, std::move(match));
    }
  }
  RunSetup setup = first_facts(matches, source, patterns, facts_of_name(source, patterns, options));
  bool any = false;
  for (const auto& [line, match] : matches) {
    add_facts(patterns.line, match, source, line.number, setup);
    if (!match[patterns.speed].matched) continue;
    auto same = std::ranges::find(found, setup, &Found::setup);
    if (same == found.end()) same = found.insert(same, {.setup = setup});
    const double value = number_in(match, patterns, source, line, same->warnings);
    same->numbers.push_back({value, &source, line.number});
    any = true;
  }
  if (any) return;
  throw Error(ExitCode::usage, fmt::format("{}: '{}' finds nothing", source.path, options.pattern));
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

// Speeds of the same differ by a few percent. One that is twice or half as fast as most is
// something else, or read wrongly.
void warn_of_outliers(const Found& found, double median, std::vector<std::string>& warnings) {
  const auto far = [&](const Number& number) {
    return number.value > 2 * median || number.value < median / 2;
  };
  const auto outliers = std::ranges::count_if(found.numbers, far);
  if (outliers == 0) return;
  const Number& first = *std::ranges::find_if(found.numbers, far);
  warnings.push_back(
      fmt::format("{} of {} numbers {} more than twice or less than half of the median, {:g}; the "
                  "first is {:g} in line {}",
                  outliers, found.numbers.size(), outliers == 1 ? "is" : "are", median, first.value,
                  first.line));
}

ImportedRun run_of(const Found& found, const ImportOptions& options) {
  std::vector<double> values;
  std::vector<std::string> files;
  for (const Number& number : found.numbers) {
    values.push_back(number.value);
    if (files.empty() || files.back() != number.source->path) {
      files.push_back(number.source->path);
    }
  }
  const double median = stats::median(values);
  ImportedRun run{.format = "pattern",
                  .framework = "unknown",
                  .files = std::move(files),
                  .line = found.numbers.front().line,
                  .setup = found.setup,
                  .images_per_second = options.scale * computed(options.compute, values),
                  .figure = fmt::format("{} of {} that '{}' finds: minimum {:g}, median {:g}, "
                                        "maximum {:g}",
                                        kComputes[static_cast<std::size_t>(options.compute)],
                                        counted(static_cast<std::int64_t>(values.size()), "number"),
                                        options.pattern, std::ranges::min(values), median,
                                        std::ranges::max(values)),
                  .warnings = found.warnings};
  if (options.scale != 1) run.figure += fmt::format("; times {:g}", options.scale);
  warn_of_outliers(found, median, run.warnings);
  return run;
}

}  // namespace

Imported read_pattern(std::span<const Source> sources, const ImportOptions& options) {
  if (options.pattern.empty()) {
    throw Error(ExitCode::usage, "--format=pattern needs --pattern",
                "such as --pattern='speed: ([0-9.]+)'");
  }
  const Patterns patterns = compiled(options);
  Imported imported;
  std::vector<Found> found;
  for (const Source& source : sources) {
    add_numbers(source, patterns, options, found);
    if (options.one_run && &source != &sources.back()) continue;
    for (const Found& numbers : found) imported.runs.push_back(run_of(numbers, options));
    found.clear();
  }
  return imported;
}

}  // namespace lockstep::report
