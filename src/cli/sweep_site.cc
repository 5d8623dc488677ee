#include "cli/sweep_site.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "spec/flags.h"
#include "spec/placement.h"

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

spec::Hosts named_hosts(const spec::Sweep& sweep, const Getenv& getenv) {
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
  if (!reached_at) return spec::read_hosts_file(*file, getenv);
  return spec::pair_addresses(read_file(*reached_at, kLargestSpec), *reached_at,
                              read_file(*file, kLargestSpec), *file);
}

void keep_first(spec::Hosts& hosts, int count) {
  const std::size_t there = std::max<std::size_t>(1, hosts.size());  // none: this machine
  if (static_cast<std::size_t>(count) > there) {
    throw Error(
        ExitCode::usage,
        fmt::format("--num_hosts={}, but there {} {}", count, there == 1 ? "is" : "are", there),
        "name more hosts, or ask for fewer");
  }
  if (count > 0 && !hosts.empty()) hosts.resize(static_cast<std::size_t>(count));
}

std::vector<std::string> words(const spec::Sweep& sweep, const std::string& flag) {
  std::vector<std::string> found;
  for (std::string& word : split(text(sweep, flag).value_or(""), ' ')) {
    if (!word.empty()) found.push_back(std::move(word));
  }
  return found;
}

int quotient_rounded_up(int number, int divisor) {
  return (number + divisor - 1) / divisor;
}

Place::Batch batch_on(const spec::Hosts& named, const spec::Sweep& sweep) {
  Place::Batch batch;
  if (named.empty()) {
    if (sweep.devices.empty()) {
      throw Error(
          ExitCode::usage,
          fmt::format("--launcher={} outside an allocation needs devices or hosts", sweep.launcher),
          "say how many: --devices=1:16 --devices_per_host=4; or name hosts with --hosts");
    }
    batch.tasks_per_host = number(sweep, "devices_per_host", 1);
    batch.hosts = quotient_rounded_up(sweep.devices.back(), batch.tasks_per_host);
    if (is_true(sweep, "servers_apart")) {
      batch.hosts +=
          quotient_rounded_up(std::ranges::max(sweep.num_ps), number(sweep, "servers_per_host", 1));
    }
  } else {
    batch.hosts = static_cast<int>(named.size());
    std::vector<std::string> names;
    for (const spec::Host& host : named) names.push_back(host.address);
    batch.options.push_back("--nodelist=" + join(names, ","));
  }
  // All cores of a host, unless the sweep says how many it needs.
  if (sweep.threads_per_device == 0) batch.options.emplace_back("--exclusive");
  if (sweep.threads_per_device > 1) {
    batch.options.push_back(fmt::format("--cpus-per-task={}", sweep.threads_per_device));
  }
  for (std::string& word : words(sweep, "sbatch_args")) batch.options.push_back(std::move(word));
  return batch;
}

bool all_here(const spec::Hosts& hosts) {
  return std::ranges::all_of(hosts, &spec::Host::here);
}

}  // namespace

Place place_of(const spec::Sweep& sweep, const Getenv& getenv,
               std::span<const std::string> own_names) {
  Place place;
  launch::Site& site = place.site;
  if (!sweep.launcher.empty()) place.launcher = &launch::find_launcher(sweep.launcher);
  const bool local = place.launcher != nullptr && place.launcher->here;
  site.hosts = named_hosts(sweep, getenv);
  const bool named = !site.hosts.empty();
  if (!named && !local) site.hosts = spec::hosts_of_environment(getenv);
  keep_first(site.hosts, number(sweep, "num_hosts", 0));
  const int per_host = number(sweep, "devices_per_host", 0);
  for (spec::Host& host : site.hosts) {
    // A flag is stronger than the environment, and a file or list that names hosts knows best.
    if (host.slots == 0 || (!named && per_host > 0)) host.slots = per_host;
    host.here = std::ranges::count(own_names, host.address) > 0;
    place.devices += std::max(1, host.slots);
  }
  if (local && !all_here(site.hosts)) {
    throw Error(ExitCode::usage,
                fmt::format("--launcher={} runs on this machine, and other hosts are named",
                            place.launcher->name),
                "leave --launcher out, or choose " + launch::launchers_of_hosts());
  }
  if (place.launcher == nullptr) {
    place.launcher = &launch::usual_launcher(all_here(site.hosts), [&](const char* allocation) {
      return !named && getenv(allocation) != nullptr;
    });
  }
  const char* allocation = place.launcher->allocation;
  if (allocation != nullptr && getenv(allocation) == nullptr) {
    place.batch = batch_on(site.hosts, sweep);
    if (!named) place.devices = sweep.devices.back();
  } else if (place.launcher->here) {
    const bool told = !site.hosts.empty() && site.hosts.front().slots > 0;
    place.devices = told ? place.devices : 0;
    // Refuses what does not fit.
    if (told && !sweep.devices.empty()) spec::place(site.hosts, sweep.devices.back());
    site.hosts.clear();
  } else if (site.hosts.empty()) {
    throw Error(ExitCode::usage, fmt::format("--launcher={} needs hosts", place.launcher->name),
                "name them: --hosts=node1:4,node2:4, or --hosts_file");
  }
  site.ssh = {.config = text(sweep, "ssh_config").value_or(""),
              .user = text(sweep, "ssh_user").value_or(""),
              .key = text(sweep, "ssh_key").value_or(""),
              .port = number(sweep, "ssh_port", 0)};
  // This machine alone needs no copies.
  if (!place.launcher->here) site.remote_dir = text(sweep, "remote_dir").value_or("");
  site.port = number(sweep, "port", site.port);
  site.processes = is_true(sweep, "processes");
  site.root = geteuid() == 0;
  site.servers_per_host = number(sweep, "servers_per_host", 0);
  site.servers_apart = is_true(sweep, "servers_apart");
  site.extra = words(sweep, "launcher_args");
  return place;
}

}  // namespace lockstep::cli
