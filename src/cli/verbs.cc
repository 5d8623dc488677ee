#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/flag_listing.h"
#include "cli/help.h"
#include "cli/run.h"

namespace lockstep::cli {
namespace {

// What `lockstep list` lists, in the formats that it offers.
struct Listing {
  std::string_view name;
  std::string (*text)();
  std::string (*json)();
  std::string (*markdown)();
};

constexpr Listing kListings[] = {
    {"flags", list_flags, list_flags_json, list_flags_markdown},
};

[[noreturn]] void unexpected(std::string_view verb, std::string_view argument) {
  throw Error(ExitCode::usage, fmt::format("unexpected argument {}", argument),
              fmt::format("lockstep {} --help explains it", verb));
}

ExitCode list(Arguments arguments) {
  std::vector<std::string> known;
  for (const Listing& listing : kListings) known.emplace_back(listing.name);
  if (arguments.empty()) {
    throw Error(ExitCode::usage, "list needs to know what to list", "known: " + join(known, ", "));
  }
  for (const Listing& listing : kListings) {
    if (listing.name != arguments[0]) continue;
    auto print = listing.text;
    for (const std::string& argument : arguments.subspan(1)) {
      if (argument == "--json") {
        print = listing.json;
      } else if (argument == "--markdown" && listing.markdown != nullptr) {
        print = listing.markdown;
      } else {
        unexpected("list", argument);
      }
    }
    fmt::print("{}", print());
    return ExitCode::ok;
  }
  const auto near = closest(arguments[0], known);
  throw Error(ExitCode::usage, fmt::format("cannot list {}", arguments[0]),
              fmt::format("{}known: {}", near ? fmt::format("did you mean {}? ", *near) : "",
                          join(known, ", ")));
}

ExitCode version(Arguments arguments) {
  const bool json = arguments.size() == 1 && arguments[0] == "--json";
  if (!json && !arguments.empty()) unexpected("version", arguments.back());
  if (json) {
    const nlohmann::ordered_json document = {{"name", "lockstep"}, {"version", LOCKSTEP_VERSION}};
    fmt::print("{}\n", document.dump());
  } else {
    fmt::print("lockstep {}\n", LOCKSTEP_VERSION);
  }
  return ExitCode::ok;
}

ExitCode help(Arguments arguments) {
  if (arguments.empty()) {
    fmt::print("{}", program_help());
    return ExitCode::ok;
  }
  std::vector<std::string> verb_with_help(arguments.begin(), arguments.end());
  verb_with_help.emplace_back("--help");
  return command_line(verb_with_help);
}

// New verbs stand above `version`.
constexpr Verb kVerbs[] = {
    {"run", "train a network and measure it", run_help, run},
    {"list", "list what lockstep knows", list_help, list},
    {"version", "print the version", version_help, version},
    {"help", "explain lockstep or a verb", help_help, help},
};

}  // namespace

std::span<const Verb> verbs() {
  return kVerbs;
}

}  // namespace lockstep::cli
