#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace lockstep {

// Call it first in main(): of standard input, output and error, those that are closed are taken by
// /dev/null, so that no file or socket that is opened later gets their numbers and with them what
// we print. Writing to a closed standard output still fails. A pipe that nobody reads is an error
// of the stream, too, and not the end of the process.
void guard_standard_streams();

// To standard error, at once. What cannot be written is lost: no message is worth the run.
void write_message(std::string_view text);

// To standard output. What cannot be written is lost, and output_error() says why: results are
// saved before the program ends with that.
void write_output(std::string_view text);
void flush_output();
int output_error();       // the errno of the first text that could not be written; 0: all was
int take_output_error();  // the same, and forgets it

template <typename... Arguments>
void print_message(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_message(fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <typename... Arguments>
void print_output(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_output(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace lockstep
