#include "cli/rank_threads.h"

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
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < ranks.size(); ++i) threads.emplace_back(run, i);
    run(0);
  }
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
