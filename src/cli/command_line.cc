#include "cli/command_line.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>
#include <vector>

#include "base/terminal.h"
#include "base/text.h"
#include "cli/help.h"

namespace lockstep::cli {
namespace {

void print_labelled(std::string_view label, Colour colour, std::string_view text) {
  std::fflush(stdout);  // keeps the order of the two streams where both are the terminal
  fmt::print(stderr, "{} {}\n", paint(label, colour, wants_colour(stderr)), text);
}

ExitCode print_error(const Error& error) {
  print_labelled("error:", Colour::red, error.what());
  if (!error.hint().empty()) print_labelled("hint:", Colour::cyan, error.hint());
  return error.code();
}

const Verb& find_verb(const std::string& name) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) {
    if (verb.name == name) return verb;
    names.emplace_back(verb.name);
  }
  const auto near = closest(name, names);
  throw Error(
      ExitCode::usage, fmt::format("unknown verb {}", name),
      fmt::format("{}lockstep knows {}",
                  near ? fmt::format("did you mean lockstep {}? ", *near) : "", join(names, ", ")));
}

bool contains(Arguments arguments, std::string_view word) {
  return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
}

ExitCode dispatch(Arguments arguments, Transports transports) {
  if (arguments.empty()) {
    fmt::print(stderr, "{}", program_help());
    return ExitCode::usage;
  }
  std::string first = arguments.front();
  if (first == "--version") first = "version";
  if (first == "--help" || first == "-h" || first == "--helpfull") first = "help";

  const Verb& verb = find_verb(first);
  const Arguments rest = arguments.subspan(1);
  const bool full = contains(rest, "--helpfull");
  if (full || contains(rest, "--help") || contains(rest, "-h")) {
    fmt::print("{}", verb.help(full));
    return ExitCode::ok;
  }
  return verb.run(rest, transports);
}

}  // namespace

void print_warning(std::string_view text) {
  print_labelled("warning:", Colour::yellow, text);
}

void print_note(std::string_view text) {
  print_labelled("note:", Colour::cyan, text);
}

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ExitCode::environment, "out of memory"};
  } catch (const std::exception& error) {
    return {ExitCode::rank_failed, fmt::format("unexpected: {}", error.what())};
  }
}

ExitCode report_errors(const std::function<ExitCode()>& body) {
  try {
    return body();
  } catch (const std::exception&) {
    return print_error(current_error());
  }
}

ExitCode command_line(Arguments arguments, Transports transports) {
  return report_errors([&] {
    const ExitCode code = dispatch(arguments, transports);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      throw Error(ExitCode::environment, "cannot write to standard output");
    }
    return code;
  });
}

}  // namespace lockstep::cli
