#include "cli/sweep_site.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace lockstep::cli {
namespace {

std::optional<std::string> text(const spec::Sweep& sweep, const std::string& flag) {
  const auto found = sweep.site.find(flag);
  if (found == sweep.site.end()) return std::nullopt;
  return found->second;
}

int number(const spec::Sweep& sweep, const std::string& flag, int otherwise) {
  const auto found = text(sweep, flag);
  return found ? static_cast<int>(parse_int(*found).value_or(otherwise)) : otherwise;
}

bool is_true(const spec::Sweep& sweep, const std::string& flag) {
  const auto found = text(sweep, flag);
  return found && std::get<bool>(spec::parse_value({.kind = spec::Kind::boolean}, *found, flag));
}

spec::Hosts named_hosts(const spec::Sweep& sweep, const spec::ReadFile& read) {
  const auto list = text(sweep, "hosts");
  const auto file = text(sweep, "hosts_file");
  const auto reached_at = text(sweep, "ssh_hosts_file");
  if (list && file) {
    throw Error(ExitCode::usage, "--hosts and --hosts_file exclude each other", "give one of them");
  }
  if (reached_at && !file) {
    throw Error(ExitCode::usage, "--ssh_hosts_file needs --hosts_file",
                "the first says where ssh reaches the hosts, the second where they reach each "
                "other");
  }
  if (list) return spec::parse_host_list(*list);
  if (!file) return {};
  if (!reached_at) return spec::parse_hosts_file(read(*file), *file);
  return spec::pair_addresses(read(*reached_at), *reached_at, read(*file), *file);
}

spec::Hosts hosts_of_environment(const Getenv& getenv, const spec::ReadFile& read) {
  if (spec::Hosts hosts = spec::slurm_hosts(getenv); !hosts.empty()) return hosts;
  if (const char* file = getenv("PBS_NODEFILE"); file != nullptr && *file != '\0') {
    return spec::parse_pbs_nodefile(read(file), file);
  }
  return spec::deeplearning_hosts(getenv);
}

bool all_here(const spec::Hosts& hosts) {
  return std::ranges::all_of(hosts, &spec::Host::here);
}

}  // namespace

Place place_of(const spec::Sweep& sweep, const Getenv& getenv, const spec::ReadFile& read,
               std::span<const std::string> own_names) {
  Place place;
  launch::Site& site = place.site;
  const bool local = sweep.launcher == "local";
  site.hosts = named_hosts(sweep, read);
  if (site.hosts.empty() && !local) site.hosts = hosts_of_environment(getenv, read);
  const int per_host = number(sweep, "devices_per_host", 0);
  for (spec::Host& host : site.hosts) {
    if (host.slots == 0) host.slots = per_host;
    host.here = std::ranges::count(own_names, host.address) > 0;
    place.devices += std::max(1, host.slots);
  }
  if (local && !all_here(site.hosts)) {
    throw Error(ExitCode::usage, "--launcher=local runs on this machine, and other hosts are named",
                "leave --launcher out, or choose ssh, mpi or slurm");
  }
  place.launcher = !sweep.launcher.empty() ? sweep.launcher
                   : all_here(site.hosts)  ? "local"
                                           : "ssh";
  if (place.launcher == "local") {
    const bool told = !site.hosts.empty() && site.hosts.front().slots > 0;
    place.devices = told ? place.devices : 0;
    site.hosts.clear();
  } else if (site.hosts.empty()) {
    throw Error(ExitCode::usage, fmt::format("--launcher={} needs hosts", place.launcher),
                "name them: --hosts=node1:4,node2:4, or --hosts_file");
  }
  site.ssh = {.config = text(sweep, "ssh_config").value_or(""),
              .user = text(sweep, "ssh_user").value_or(""),
              .key = text(sweep, "ssh_key").value_or(""),
              .port = number(sweep, "ssh_port", 0)};
  site.remote_dir = text(sweep, "remote_dir").value_or("");
  site.port = number(sweep, "port", site.port);
  site.processes = is_true(sweep, "processes");
  site.root = geteuid() == 0;
  site.servers_per_host = number(sweep, "servers_per_host", 0);
  site.servers_apart = is_true(sweep, "servers_apart");
  for (const std::string& word : split(text(sweep, "launcher_args").value_or(""), ' ')) {
    if (!word.empty()) site.extra.push_back(word);
  }
  return place;
}

}  // namespace lockstep::cli
