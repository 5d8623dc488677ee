#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace lockstep::cli {

using Arguments = std::span<const std::string>;

// A sub-command. Results go to stdout, everything else to stderr.
struct Verb {
  std::string_view name;
  std::string_view summary;              // one line
  std::string (*help)(bool full);        // what `lockstep VERB --help` (or --helpfull) prints
  ExitCode (*run)(Arguments arguments);  // what stands behind the verb
};

// The table of verbs: verbs.cc.
std::span<const Verb> verbs();

// The whole program: finds the verb and runs it.
ExitCode command_line(Arguments arguments);

// The exception that is being handled, as an Error.
Error current_error();

// The body's exit code; an exception that it throws is printed on stderr and becomes one.
ExitCode report_errors(const std::function<ExitCode()>& body);

// Text on stderr behind a coloured "warning: " or "note: ".
void print_warning(std::string_view text);
void print_note(std::string_view text);

}  // namespace lockstep::cli
