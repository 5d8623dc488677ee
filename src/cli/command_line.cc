#include "cli/command_line.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <vector>

#include "base/streams.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/help.h"
#include "report/characters.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kLongestShown = 120;  // of what the user gave, in characters

void print_labelled(std::string_view label, Colour colour, std::string_view text) {
  flush_output();  // keeps the order of the two streams where both are the terminal
  print_message("{} {}\n", paint(label, colour, wants_colour(stderr)), text);
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

// Results repeat them as JSON, which has no other characters.
void require_utf8(Arguments arguments) {
  const auto require = [](std::string_view text) {
    if (report::is_utf8(text)) return;
    throw Error(ExitCode::usage,
                fmt::format("{} is not valid UTF-8", report::printable(text, kLongestShown)),
                "rename what it names, or set a UTF-8 locale");
  };
  for (const std::string& argument : arguments) require(argument);
  for (const std::string& name : process_variables()) {
    if (!name.starts_with("LOCKSTEP_")) continue;
    require(fmt::format("{}={}", name, value_of(process_getenv, name.c_str())));
  }
}

// What other libraries throw, in our words.
Error translated(const std::filesystem::filesystem_error& error) {
  const std::string path = report::printable(error.path1().string(), kLongestShown);
  return {ExitCode::environment, fmt::format("cannot use {}: {}", path, error.code().message())};
}
Error translated(const nlohmann::json::exception& error) {
  constexpr int kNotUtf8 = 316;
  return {ExitCode::usage, error.id == kNotUtf8
                               ? "a name that is not valid UTF-8 cannot be written as JSON"
                               : "a JSON document is damaged, or not what was expected there"};
}

ExitCode dispatch(Arguments arguments, Transports transports) {
  if (arguments.empty()) {
    print_message("{}", program_help());
    return ExitCode::usage;
  }
  std::string first = arguments.front();
  if (first == "--version") first = "version";
  if (first == "--help" || first == "-h" || first == "--helpfull") first = "help";

  const Verb& verb = find_verb(first);
  const Arguments rest = arguments.subspan(1);
  const bool full = contains(rest, "--helpfull");
  if (full || contains(rest, "--help") || contains(rest, "-h")) {
    const std::string part =
        verb.part_help != nullptr ? verb.part_help(rest.front()) : std::string();
    print_output("{}", part.empty() ? verb.help(full) : part);
    return ExitCode::ok;
  }
  return verb.run(rest, transports);
}

}  // namespace

ExitCode print_error(const Error& error) {
  print_labelled("error:", Colour::red, error.what());
  if (!error.hint().empty()) print_labelled("hint:", Colour::cyan, error.hint());
  return error.code();
}

void print_warning(std::string_view text) {
  print_labelled("warning:", Colour::yellow, text);
}

void print_note(std::string_view text) {
  print_labelled("note:", Colour::cyan, text);
}

void require_output() {
  const int error = take_output_error();
  if (error == 0) return;
  if (error == EPIPE) {  // nobody reads any more: end like everybody else in a pipeline
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  throw Error(ExitCode::environment,
              fmt::format("cannot write to standard output: {}", std::strerror(error)));
}

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ExitCode::environment, "out of memory"};
  } catch (const std::filesystem::filesystem_error& error) {
    return translated(error);
  } catch (const std::system_error& error) {
    return {ExitCode::environment, error.code().message()};
  } catch (const nlohmann::json::exception& error) {
    return translated(error);
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
    require_utf8(arguments);
    const ExitCode code = dispatch(arguments, transports);
    flush_output();
    require_output();
    return code;
  });
}

}  // namespace lockstep::cli
