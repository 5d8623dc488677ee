#include "launch/ranks.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"
#include "spec/placement.h"

namespace lockstep::launch {
namespace {

// Hosts for servers come first, as many as the servers need.
std::size_t hosts_apart(const Job& job, const spec::Hosts& hosts, const Site& site) {
  if (!site.servers_apart || job.servers == 0) return 0;
  const int per_host = std::max(1, site.servers_per_host);
  const int wanted = (job.servers + per_host - 1) / per_host;
  if (static_cast<std::size_t>(wanted) < hosts.size()) return static_cast<std::size_t>(wanted);
  throw Error(ExitCode::usage,
              fmt::format("{}, {} on each host, leave no host of {} for devices",
                          counted(job.servers, "server"), per_host, hosts.size()),
              "name more hosts, or let servers and devices share them");
}

// One for each host in turn, or each host filled before the next one.
std::vector<int> place_servers(const Job& job, std::size_t hosts, const Site& site) {
  std::vector<int> counts(hosts, 0);
  const int limit = site.servers_per_host;
  if (limit > 0 && job.servers > limit * static_cast<int>(hosts)) {
    throw Error(
        ExitCode::usage,
        fmt::format("{} servers do not fit on {} of {} each", job.servers,
                    counted(static_cast<std::int64_t>(hosts), "host"), counted(limit, "server")),
        "allow more servers on a host, or ask for fewer");
  }
  for (int server = 0; server < job.servers; ++server) {
    ++counts[limit > 0 ? static_cast<std::size_t>(server / limit)
                       : static_cast<std::size_t>(server) % hosts];
  }
  return counts;
}

}  // namespace

Placement placement(const Job& job, const spec::Hosts& hosts, const Site& site) {
  LOCKSTEP_CHECK(!hosts.empty());
  const std::size_t apart = hosts_apart(job, hosts, site);
  Placement result;
  result.workers =
      spec::place({hosts.begin() + static_cast<std::ptrdiff_t>(apart), hosts.end()}, job.devices);
  result.workers.insert(result.workers.begin(), apart, 0);
  // Beside the devices, on hosts that have some.
  const auto used = static_cast<std::size_t>(
      std::ranges::count_if(result.workers, [](int count) { return count > 0; }));
  result.servers = place_servers(job, apart > 0 ? apart : used, site);
  result.servers.resize(hosts.size(), 0);
  return result;
}

std::vector<Rank> ranks(const Placement& placement, const std::string& coordinator) {
  const int world = std::accumulate(placement.workers.begin(), placement.workers.end(), 0) +
                    std::accumulate(placement.servers.begin(), placement.servers.end(), 0);
  std::vector<Rank> all;
  // Servers compute little: they do not count among those that share a host's cores.
  for (const std::vector<int>* counts : {&placement.workers, &placement.servers}) {
    for (std::size_t host = 0; host < counts->size(); ++host) {
      for (int local = 0; local < (*counts)[host]; ++local) {
        const int rank = static_cast<int>(all.size());
        all.push_back({rank,
                       host,
                       {{"LOCKSTEP_RANK", std::to_string(rank)},
                        {"LOCKSTEP_WORLD_SIZE", std::to_string(world)},
                        {"LOCKSTEP_LOCAL_RANK", std::to_string(local)},
                        {"LOCKSTEP_LOCAL_WORLD_SIZE", std::to_string((*counts)[host])},
                        {"LOCKSTEP_COORDINATOR", coordinator}}});
      }
    }
  }
  return all;
}

std::vector<std::string> run_command(const Job& job, const std::string& program, int devices,
                                     const std::string& result_dir) {
  std::vector<std::string> words = {program, "run"};
  words.insert(words.end(), job.flags.begin(), job.flags.end());
  words.push_back(fmt::format("--devices={}", devices));
  if (job.servers > 0) words.push_back(fmt::format("--num_ps={}", job.servers));
  if (!result_dir.empty()) words.push_back("--result_dir=" + result_dir);
  return words;
}

}  // namespace lockstep::launch
