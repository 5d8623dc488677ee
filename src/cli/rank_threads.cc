#include "cli/rank_threads.h"

#include <system_error>
#include <thread>

#include "cli/command_line.h"
#include "cli/crash.h"

namespace lockstep::cli {

std::optional<Error> on_every_rank(const Ranks& ranks,
                                   const std::function<void(std::size_t i)>& body) {
  std::optional<Error> first;  // the calling thread's
  const auto run = [&](std::size_t i) {
    Crash::in_rank(ranks[i]->rank());
    try {
      body(i);
    } catch (const std::exception&) {
      const Error error = current_error();
      ranks[i]->fail(error);
      if (i == 0) first = error;
    }
  };
  std::optional<Error> missing;
  {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 1; i < ranks.size(); ++i) threads.emplace_back(run, i);
    } catch (const std::system_error& error) {
      missing.emplace(ExitCode::environment,
                      fmt::format("cannot start {} threads, one for each rank: {}", ranks.size(),
                                  error.code().message()),
                      "lower --devices, or raise the limit of processes (ulimit -u)");
      ranks.front()->fail(*missing);  // those that have started wait for the others
    }
    if (!missing) run(0);
  }
  if (missing) return missing;
  // A world of one tells its own story; in a larger one the first cause names the rank.
  if (ranks.front()->world() == 1) return first;
  try {
    ranks.front()->check();
  } catch (const Error& cause) {
    return cause;
  }
  return std::nullopt;
}

}  // namespace lockstep::cli
