#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/tcp.h"

namespace lockstep::comm::tcp {

// For tests: a rank in a process of its own, which is this program once more. It connects, shares
// memory, says in an all_gather that it is ready, goes through steps that are long enough to be
// told, says by wish_end() that it is in the last of them, and then waits for the world to end.
class RankProcess {
 public:
  RankProcess(const TcpOptions& options, std::size_t shared_bytes, std::int64_t last_step);
  ~RankProcess();  // kills it
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  void signal(int number) const;
  int wait();  // for its end; what waitpid says

 private:
  int process_ = -1;
};

// What the process does; arguments as RankProcess gave them.
int run_rank_process(const std::vector<std::string>& arguments);
inline constexpr const char* kRankProcess = "--run-rank-process";

}  // namespace lockstep::comm::tcp
