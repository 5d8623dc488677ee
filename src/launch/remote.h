#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/launchers.h"

namespace lockstep::launch {

// "ssh -o ... -- node1", to be followed by one word: what the host's shell is to execute. ssh asks
// no questions, notices within seconds when the host is gone, and checks host keys as it always
// does.
std::vector<std::string> ssh_words(const spec::Host& host, const Ssh& ssh);

// The options alone, without a host: for what calls ssh by itself.
std::vector<std::string> ssh_options(const Ssh& ssh);

// The words that execute a script with a POSIX shell on the host: by ssh, or here.
std::vector<std::string> on_host(const spec::Host& host, const Ssh& ssh, const std::string& script);

// A script that runs the command lines side by side until all have ended, or its own input has: it
// then ends them, politely and after 5 s for certain. Its code is the first line's that failed.
std::string run_until_input_ends(const std::vector<std::string>& lines);

// Likewise of ranks: the first line of the input is the token of all of them,
// Command::Token::input.
std::string run_ranks_until_input_ends(const std::vector<std::string>& lines);

// Whether a host has files of its own, rather than ours.
bool is_apart(const spec::Host& host, const Site& site);

// Where hosts that share no files with us have the program, and put the job's results. Throws
// Error(usage) for a remote_dir that is no absolute path.
std::string remote_program(const Site& site);
std::string remote_results(const Job& job, const Site& site);

}  // namespace lockstep::launch
