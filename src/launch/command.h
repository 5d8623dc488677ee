#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::launch {

// A process to start on this machine, be it one that starts others elsewhere.
struct Command {
  std::string name;               // stable and a file name: its log is <name>.log
  std::string host = {};          // where its work is done, for messages; empty: on this machine
  std::vector<std::string> argv;  // the program is searched for in PATH
  std::map<std::string, std::string> environment = {};  // added to ours
  // How its ranks get the token that all commands of one run share, and nobody else: not by words,
  // which everybody on a machine can see. On its input, the token is the first line.
  enum class Token { none, environment, input };
  Token token = Token::none;
  // Its work ends when its standard input does. What has to be stopped on another host is stopped
  // this way: a signal would end the connection, and nobody would know what became of the rest.
  bool ends_with_input = false;
  // A line of its output that starts like this says that a part of its work has failed, as its end
  // would. mpirun may wait for a host that is lost long after all ranks have given up. Empty: none.
  std::string failure = {};

  bool operator==(const Command&) const = default;
};

// A word as a POSIX shell reads it back: as it is when harmless, else in single quotes.
std::string shell_quoted(std::string_view word);
// Words, quoted, with blanks between them.
std::string shell_line(std::span<const std::string> words);
// The command as it could be pasted into a shell, its environment in front.
std::string shell_line(const Command& command);

}  // namespace lockstep::launch
