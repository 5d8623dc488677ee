#include "comm/lost.h"

#include <unistd.h>

#include <array>

namespace lockstep::comm {

std::string own_host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

Error lost_rank(int rank, const std::string& host, std::int64_t step, const Error& cause) {
  const std::string when = step < 0 ? "before its first step" : fmt::format("at step {}", step);
  return {ExitCode::rank_failed,
          fmt::format("rank {} on {} failed {}: {}", rank, host, when, cause.what()), cause.hint()};
}

}  // namespace lockstep::comm
