#include "launch/local.h"

#include "base/error.h"
#include "launch/ranks.h"

namespace lockstep::launch {

std::vector<Command> local(const Job& job, const Site& site) {
  if (!site.processes) {
    return {{.name = "local", .argv = run_command(job, job.program, job.devices, job.result_dir)}};
  }
  const spec::Hosts here = {{.name = "localhost", .address = "127.0.0.1", .here = true}};
  std::vector<Command> commands;
  for (Rank& rank :
       ranks(placement(job, here, site), fmt::format("{}:{}", here[0].address, site.port))) {
    commands.push_back({.name = fmt::format("rank{}", rank.rank),
                        .argv = run_command(job, job.program, 1, job.result_dir),
                        .environment = std::move(rank.environment),
                        .token = Command::Token::environment});
  }
  return commands;
}

}  // namespace lockstep::launch
