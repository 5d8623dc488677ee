#include "launch/ssh.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "launch/ranks.h"
#include "launch/remote.h"
#include "spec/cluster.h"

namespace lockstep::launch {
namespace {

using RanksByHost = std::vector<std::pair<const spec::Host*, std::vector<Rank>>>;

// The ranks of each host that has any, rank 0's first.
RanksByHost by_host(const Job& job, const Site& site) {
  const Placement where = placement(job, site.hosts, site);
  const auto first = std::ranges::find_if(where.workers, [](int count) { return count > 0; });
  const spec::Host& meeting = site.hosts[static_cast<std::size_t>(first - where.workers.begin())];
  RanksByHost hosts;
  for (Rank& rank : ranks(where, to_string(spec::Address{meeting.address, site.port}))) {
    const spec::Host* host = &site.hosts[rank.host];
    auto known = std::ranges::find(hosts, host, [](const auto& entry) { return entry.first; });
    if (known == hosts.end()) known = hosts.insert(hosts.end(), {host, {}});
    known->second.push_back(std::move(rank));
  }
  return hosts;
}

void refuse_a_meeting_on_the_loopback(const RanksByHost& hosts) {
  const std::string& meeting = hosts.front().first->address;
  if (hosts.size() == 1 || (meeting != "localhost" && !meeting.starts_with("127."))) return;
  throw Error(ExitCode::usage,
              fmt::format("{} cannot reach the first host as {}", hosts[1].first->name, meeting),
              "name the first host as the others know it");
}

std::string line_of(const Rank& rank, std::vector<std::string> words) {
  return shell_line(Command{.name = {}, .argv = std::move(words), .environment = rank.environment});
}

}  // namespace

std::vector<Command> ssh(const Job& job, const Site& site) {
  const RanksByHost hosts = by_host(job, site);
  refuse_a_meeting_on_the_loopback(hosts);
  std::vector<Command> commands;
  for (const auto& [host, ranks] : hosts) {
    const bool apart = is_apart(*host, site);
    const std::vector<std::string> words =
        run_command(job, apart ? remote_program(site) : job.program, 1,
                    apart ? remote_results(job, site) : job.result_dir);
    std::vector<std::string> lines;
    for (const Rank& rank : ranks) lines.push_back(line_of(rank, words));
    commands.push_back({.name = host->name,
                        .host = host->name,
                        .argv = on_host(*host, site.ssh, run_ranks_until_input_ends(lines)),
                        .token = Command::Token::input,
                        .ends_with_input = true,
                        .failure = kFailure});
  }
  return commands;
}

std::vector<Command> collect_by_ssh(const Job& job, const Site& site) {
  std::vector<Command> commands;
  for (const auto& [host, ranks] : by_host(job, site)) {
    if (!is_apart(*host, site)) continue;
    const std::string there = shell_quoted(remote_results(job, site));
    const std::string here = shell_quoted(job.result_dir);
    const std::string send = fmt::format("cd {0} && tar -cf - . && rm -rf {0}", there);
    commands.push_back({.name = host->name + ".collect",
                        .host = host->name,
                        .argv = {"sh", "-c",
                                 fmt::format("mkdir -p {0} && {1} | tar -xf - -C {0}", here,
                                             shell_line(on_host(*host, site.ssh, send)))}});
  }
  return commands;
}

std::vector<Command> reach_by_ssh(const Job& job, const Site& site) {
  std::vector<Command> commands;
  for (const auto& [host, ranks] : by_host(job, site)) {
    if (host->here) continue;
    commands.push_back({.name = host->name + ".reach",
                        .host = host->name,
                        .argv = on_host(*host, site.ssh, "exit 0")});
  }
  return commands;
}

}  // namespace lockstep::launch
