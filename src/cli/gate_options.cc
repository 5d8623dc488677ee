#include "cli/gate_options.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/help.h"
#include "spec/vocabulary.h"

namespace lockstep::cli {
namespace {

using spec::Flag;

constexpr std::string_view kOutput = "Output";

std::vector<const Flag*> gate_flags() {
  static const std::vector<Flag> own = {
      {.name = "baseline",
       .group = "What to decide",
       .type = {.kind = spec::Kind::text},
       .help = "directory of the results that the others are compared with"},
      min_effect_flag(),
      {.name = "strict",
       .group = "What to decide",
       .type = {.kind = spec::Kind::boolean},
       .help = "exit code 6 where a point is undecided and none has regressed"},
      {.name = "json",
       .group = kOutput,
       .type = {.kind = spec::Kind::boolean},
       .help = "one JSON document in place of the table, see docs/formats.md"},
      {.name = "junit",
       .group = kOutput,
       .type = {.kind = spec::Kind::text},
       .help = "file for JUnit XML: a test case for each point"},
      {.name = "annotations",
       .group = kOutput,
       .type = {.kind = spec::Kind::boolean},
       .help = "below the table, lines that GitHub's CI shows beside the change"},
  };
  std::vector<const Flag*> flags;
  for (const Flag& flag : own) flags.push_back(&flag);
  return flags;
}

void apply(GateOptions& options, const spec::Given& given) {
  const spec::Value value = parse_value(given.flag->type, given.text, given.shown);
  if (given.flag->name == "baseline") {
    options.baseline = given.text;
  } else if (given.flag->name == "min_effect") {
    options.min_effect = parse_min_effect(given.text, given.shown);
  } else if (given.flag->name == "strict") {
    options.strict = std::get<bool>(value);
  } else if (given.flag->name == "json") {
    options.json = std::get<bool>(value);
  } else if (given.flag->name == "annotations") {
    options.annotations = std::get<bool>(value);
  } else {
    options.junit = given.text;
  }
}

}  // namespace

GateOptions parse_gate(std::span<const std::string> arguments, const Getenv& getenv) {
  const spec::Vocabulary vocabulary("gate", gate_flags());
  GateOptions options;
  std::vector<std::string> operands;
  for (const spec::Given& given : vocabulary.read_environment(getenv)) apply(options, given);
  for (const spec::Given& given : vocabulary.read_arguments(arguments, &operands)) {
    apply(options, given);
  }
  if (options.baseline.empty() || operands.size() != 1) {
    throw Error(ExitCode::usage, "gate needs two directories of results",
                "lockstep gate --baseline BEFORE NOW");
  }
  if (options.json && options.annotations) {
    throw Error(ExitCode::usage, "--json and --annotations exclude each other",
                "a JSON document stands alone; --junit goes with both");
  }
  options.candidate = operands.front();
  return options;
}

std::string gate_help(bool) {
  const std::string out =
      "usage: lockstep gate --baseline DIR DIR [--flag=value ...]\n\n"
      "Says of every point of the baseline whether it has become faster or slower: the "
      "directories\n"
      "are those of two sweeps, or of two runs. What it says follows from the 95 % interval of the "
      "ratio\n"
      "of speeds and from the smallest difference that matters:\n\n"
      "  FASTER     all of the interval is above it\n"
      "  SLOWER     all of the interval is below it: a regression\n"
      "  SAME       all of the interval is within it\n"
      "  UNDECIDED  the interval reaches from one into the other, or the points do not compare;\n"
      "             below the table: why, and how many launches would decide it\n"
      "  FAILED     the point was measured in the baseline and fails now: a regression\n\n"
      "examples:\n"
      "  lockstep gate --baseline results/main results/change\n"
      "      a table, and exit code 1 if anything has become slower by more than 2 %\n"
      "  lockstep gate --baseline results/main results/change --min_effect=5% --junit=gate.xml\n"
      "      differences below 5 % do not matter; the CI reads the file\n";
  return out + flags_help(gate_flags()) +
         "\nexit codes: 0 no regression, 1 a regression, 2 wrong usage or nothing was compared,\n"
         "6 undecided (with --strict)\n";
}

}  // namespace lockstep::cli
