#include "launch/mpi.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "launch/ranks.h"
#include "launch/remote.h"

namespace lockstep::launch {
namespace {

// Consecutive ranks with the same command line: what stands between two colons.
struct Context {
  std::vector<std::string> hosts;  // "node1:2"
  int ranks = 0;
  std::vector<std::string> words;
};

std::vector<std::string> words_on(const spec::Host& host, const Job& job, const Site& site) {
  if (!is_apart(host, site)) return run_command(job, job.program, 1, job.result_dir);
  return run_command(job, remote_program(site), 1, remote_results(job, site));
}

std::vector<Context> contexts(const Job& job, const Site& site) {
  const Placement where = placement(job, site.hosts, site);
  std::vector<Context> result;
  const auto add = [&](std::size_t host, int ranks, bool join) {
    if (ranks == 0) return;
    const std::vector<std::string> words = words_on(site.hosts[host], job, site);
    if (!join || result.empty() || result.back().words != words) result.push_back({{}, 0, words});
    result.back().hosts.push_back(fmt::format("{}:{}", site.hosts[host].ssh, ranks));
    result.back().ranks += ranks;
  };
  for (std::size_t i = 0; i < site.hosts.size(); ++i) add(i, where.workers[i], true);
  // mpirun would not go back to a host whose slots are taken while it may choose another one.
  for (std::size_t i = 0; i < site.hosts.size(); ++i) add(i, where.servers[i], false);
  return result;
}

void refuse_own_ways(const spec::Hosts& hosts) {
  const auto own = std::ranges::find_if(
      hosts, [](const spec::Host& host) { return !host.user.empty() || host.port != 0; });
  if (own == hosts.end()) return;
  throw Error(
      ExitCode::usage,
      fmt::format("mpirun goes to all hosts with the same user and port, and {} has its own",
                  own->name),
      "write them into ~/.ssh/config instead");
}

std::vector<std::string> mpirun(const Site& site) {
  std::vector<std::string> words = {"mpirun"};
  if (site.root) words.push_back("--allow-run-as-root");
  // Ranks pin themselves, and where they go is decided here.
  words.insert(words.end(), {"--bind-to", "none", "--oversubscribe", "--map-by", "slot"});
  // Without these, a host that is gone without a word is waited for by mpirun for minutes.
  for (const auto& [name, value] :
       {std::pair("time", "5"), std::pair("intvl", "1"), std::pair("probes", "5")}) {
    words.insert(words.end(), {"--mca", fmt::format("oob_tcp_keepalive_{}", name), value});
  }
  if (std::ranges::any_of(site.hosts, [](const spec::Host& host) { return !host.here; })) {
    words.insert(words.end(),
                 {"--mca", "plm_rsh_agent", "ssh " + join(ssh_options(site.ssh), " ")});
  }
  words.insert(words.end(), site.extra.begin(), site.extra.end());
  return words;
}

}  // namespace

std::vector<Command> mpi(const Job& job, const Site& site) {
  std::vector<std::string> words = mpirun(site);
  if (site.hosts.empty()) {
    words.insert(words.end(), {"-np", std::to_string(job.devices + job.servers)});
    const auto run = run_command(job, job.program, 1, job.result_dir);
    words.insert(words.end(), run.begin(), run.end());
    return {{.name = "mpirun", .argv = std::move(words), .failure = kFailure}};
  }
  refuse_own_ways(site.hosts);
  bool first = true;
  for (const Context& context : contexts(job, site)) {
    if (!first) words.push_back(":");
    first = false;
    words.insert(words.end(),
                 {"-H", join(context.hosts, ","), "-np", std::to_string(context.ranks)});
    words.insert(words.end(), context.words.begin(), context.words.end());
  }
  return {{.name = "mpirun", .argv = std::move(words), .failure = kFailure}};
}

}  // namespace lockstep::launch
