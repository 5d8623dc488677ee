#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "comm/transports.h"

namespace lockstep::cli {

using Arguments = std::span<const std::string>;
using Transports = std::span<const comm::TransportRow>;

// A sub-command. Results go to stdout, everything else to stderr.
struct Verb {
  std::string_view name;
  std::string_view summary;        // one line
  std::string (*help)(bool full);  // what `lockstep VERB --help` (or --helpfull) prints
  // The arguments stand behind the verb; the transports are those that this program has.
  ExitCode (*run)(Arguments arguments, Transports transports);
  // What `lockstep VERB PART --help` prints; empty: there is no such part.
  std::string (*part_help)(std::string_view part) = nullptr;
};

// The table of verbs: verbs.cc.
std::span<const Verb> verbs();

// The whole program: finds the verb and runs it.
ExitCode command_line(Arguments arguments, Transports transports);

// The exception that is being handled, as an Error.
Error current_error();

// The body's exit code; an exception that it throws is printed on stderr and becomes one.
ExitCode report_errors(const std::function<ExitCode()>& body);

// Throws Error(environment) where something could not be printed on stdout; a pipe that nobody
// reads any more ends the process by SIGPIPE.
void require_output();

// The error and its hint on stderr; its exit code.
ExitCode print_error(const Error& error);

// Text on stderr behind a coloured "warning: " or "note: ".
void print_warning(std::string_view text);
void print_note(std::string_view text);

}  // namespace lockstep::cli
