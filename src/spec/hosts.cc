#include "spec/hosts.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "spec/cluster.h"
#include "spec/slurm.h"

namespace lockstep::spec {
namespace {

// A part of a text that names hosts, and where it stands: "nodes:3".
struct Entry {
  std::vector<std::string> words;
  std::string place;
};

[[noreturn]] void refuse(std::string_view place, std::string_view problem, std::string hint) {
  throw Error(ExitCode::usage, fmt::format("{}: {}", place, problem), std::move(hint));
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(line.substr(0, line.find('#'))) + ' ') {
    if (c != ' ' && c != '\t' && c != '\r') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

// The lines that have any words.
std::vector<Entry> entries_of(std::string_view text, std::string_view source) {
  std::vector<Entry> entries;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    std::vector<std::string> words = words_of(line);
    if (!words.empty()) entries.push_back({std::move(words), fmt::format("{}:{}", source, number)});
  }
  if (entries.empty()) {
    refuse(source, "names no host",
           "write one host a line: an address and, if ssh knows it by another name, that one");
  }
  return entries;
}

bool is_of_names(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_' || c == ':' || c == '%';
}

std::string checked_name(const std::string& name, std::string_view place, std::string_view what) {
  if (!name.empty() && name.size() <= 253 && name[0] != '-' &&
      std::ranges::all_of(name, is_of_names)) {
    return name;
  }
  refuse(place, fmt::format("'{}' is no {}", name, what),
         "letters, digits, dots, dashes and underscores make a name, and no dash comes first");
}

int checked_slots(std::string_view text, std::string_view place) {
  const auto slots = parse_int(text);
  if (slots && *slots >= 1 && *slots <= kMaxRanks) return static_cast<int>(*slots);
  refuse(place, fmt::format("'{}' is no number of slots", text),
         fmt::format("an integer from 1 to {}: the devices that the host may take", kMaxRanks));
}

// "user@name"
void set_ssh(Host& host, const std::string& text, std::string_view place) {
  const std::size_t at = text.find('@');
  if (at != std::string::npos) host.user = checked_name(text.substr(0, at), place, "user");
  host.ssh = checked_name(at == std::string::npos ? text : text.substr(at + 1), place, "host");
}

Host named(const std::string& text, std::string_view place) {
  Host host;
  set_ssh(host, text, place);
  host.name = host.address = host.ssh;
  return host;
}

// "node1:4", "[fe80::1]:4"; without a count: `slots`. Colons without brackets are of an IPv6
// address where there are several.
Host counted(const std::string& text, std::string_view place, int slots) {
  const std::size_t bracket = text.find('[');
  const std::size_t close = text.find(']');
  const std::size_t colon = text.rfind(':');
  std::string name = text;
  std::optional<std::string> count;
  if (bracket != std::string::npos && close != std::string::npos && bracket < close) {
    name = text.substr(0, bracket) + text.substr(bracket + 1, close - bracket - 1);
    const std::string rest = text.substr(close + 1);
    if (!rest.empty()) count = rest[0] == ':' ? rest.substr(1) : rest;
  } else if (colon != std::string::npos && text.find(':') == colon) {
    name = text.substr(0, colon);
    count = text.substr(colon + 1);
  }
  Host host = named(name, place);
  host.slots = count ? checked_slots(*count, place) : slots;
  return host;
}

Host of_line(const Entry& entry) {
  Host host = counted(entry.words[0], entry.place, 0);
  for (std::size_t i = 1; i < entry.words.size(); ++i) {
    const std::string& word = entry.words[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos && i == 1) {
      set_ssh(host, word, entry.place);
      host.name = host.ssh;
    } else if (word.starts_with("slots=")) {
      host.slots = checked_slots(word.substr(equals + 1), entry.place);
    } else if (word.starts_with("max_slots=") || word.starts_with("max-slots=")) {
      // What Open MPI allows when it is told to oversubscribe; slots are what it starts with.
      checked_slots(word.substr(equals + 1), entry.place);
    } else {
      refuse(entry.place, fmt::format("cannot make anything of '{}'", word),
             "a line is: address, or address and ssh's name for it, or host slots=4");
    }
  }
  return host;
}

// Two hosts of one address, or that ssh reaches by one name, would be one that is measured twice.
void refuse_twice(const Hosts& hosts, const Host& host, std::string_view place) {
  const auto same = std::ranges::find_if(hosts, [&](const Host& other) {
    return other.address == host.address || other.name == host.name;
  });
  if (same == hosts.end()) return;
  if (same->address != host.address) {
    refuse(place,
           fmt::format("ssh calls {} {}, and {} as well", host.address, host.name, same->address),
           "give every host a name of its own in ~/.ssh/config, or leave the second word out where "
           "ssh reaches the host by its address");
  }
  refuse(place, fmt::format("host {} is there already", host.name),
         fmt::format("name a host once; for several devices write {} slots=2", host.address));
}

Hosts slurm_hosts(const Getenv& getenv) {
  std::string_view list = value_of(getenv, "SLURM_JOB_NODELIST");
  if (list.empty()) list = value_of(getenv, "SLURM_NODELIST");
  if (list.empty()) return {};
  Hosts hosts;
  for (const std::string& name : expand_hostlist(list)) {
    hosts.push_back(named(name, "SLURM_JOB_NODELIST"));
  }
  // Where nobody asked for tasks, Slurm says one for each host: that is no limit.
  if (value_of(getenv, "SLURM_NTASKS").empty()) return hosts;
  const std::vector<int> tasks = expand_task_counts(value_of(getenv, "SLURM_TASKS_PER_NODE"));
  for (std::size_t i = 0; i < std::min(hosts.size(), tasks.size()); ++i) hosts[i].slots = tasks[i];
  return hosts;
}

Hosts pbs_hosts(const Getenv& getenv) {
  const std::string path(value_of(getenv, "PBS_NODEFILE"));
  return path.empty() ? Hosts{} : parse_pbs_nodefile(read_file(path, kLargestSpec), path);
}

Hosts deeplearning_hosts(const Getenv& getenv) {
  const std::string path(value_of(getenv, "DEEPLEARNING_WORKERS_PATH"));
  if (path.empty()) return {};
  Hosts hosts = parse_hosts_file(read_file(path, kLargestSpec), path);
  if (const auto text = value_of(getenv, "DEEPLEARNING_WORKERS_COUNT"); !text.empty()) {
    const auto count = parse_int(text);
    if (!count || *count < 1 || static_cast<std::size_t>(*count) > hosts.size()) {
      refuse("DEEPLEARNING_WORKERS_COUNT",
             fmt::format("'{}' is no number of the {} in {}", text,
                         lockstep::counted(std::ssize(hosts), "host"), path),
             "unset it, or correct the file");
    }
    hosts.resize(static_cast<std::size_t>(*count));
  }
  if (const auto text = value_of(getenv, "DEEPLEARNING_WORKER_GPU_COUNT"); !text.empty()) {
    const int slots = checked_slots(text, "DEEPLEARNING_WORKER_GPU_COUNT");
    for (Host& host : hosts) host.slots = slots;
  }
  return hosts;
}

}  // namespace

Hosts parse_hosts_file(std::string_view text, std::string_view source) {
  Hosts hosts;
  for (const Entry& entry : entries_of(text, source)) {
    Host host = of_line(entry);
    refuse_twice(hosts, host, entry.place);
    hosts.push_back(std::move(host));
  }
  return hosts;
}

Hosts parse_pbs_nodefile(std::string_view text, std::string_view source) {
  Hosts hosts;
  for (const Entry& entry : entries_of(text, source)) {
    if (entry.words.size() > 1) {
      refuse(entry.place, "a line of a PBS nodefile is one name",
             "unset PBS_NODEFILE where the file is another one");
    }
    const Host host = named(entry.words[0], entry.place);
    auto known = std::ranges::find(hosts, host.name, &Host::name);
    if (known == hosts.end()) known = hosts.insert(hosts.end(), host);
    ++known->slots;
  }
  return hosts;
}

Hosts parse_host_list(std::string_view list) {
  Hosts hosts;
  for (const std::string& text : split(list, ',')) {
    const std::string place = fmt::format("host '{}'", trim(text));
    Host host = counted(std::string(trim(text)), place, 1);
    refuse_twice(hosts, host, place);
    hosts.push_back(std::move(host));
  }
  return hosts;
}

Hosts pair_addresses(std::string_view public_text, std::string_view public_source,
                     std::string_view private_text, std::string_view private_source) {
  Hosts hosts = parse_hosts_file(public_text, public_source);
  const Hosts inside = parse_hosts_file(private_text, private_source);
  if (hosts.size() != inside.size()) {
    refuse(private_source,
           fmt::format("{}, but {} in {}", lockstep::counted(std::ssize(inside), "host"),
                       hosts.size(), public_source),
           "the same hosts in the same order, one a line, in both");
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i].address = inside[i].address;
  return hosts;
}

Hosts read_hosts_file(const std::filesystem::path& path, const Getenv& getenv) {
  const std::string text = read_file(path, kLargestSpec);
  return value_of(getenv, "PBS_NODEFILE") == path.string() ? parse_pbs_nodefile(text, path.string())
                                                           : parse_hosts_file(text, path.string());
}

Hosts hosts_of_environment(const Getenv& getenv) {
  for (Hosts (*source)(const Getenv&) : {slurm_hosts, pbs_hosts, deeplearning_hosts}) {
    if (Hosts hosts = source(getenv); !hosts.empty()) return hosts;
  }
  return {};
}

void mark_here(Hosts& hosts, std::span<const std::string> own_names) {
  const auto is_own = [&](const std::string& name) {
    return std::ranges::find(own_names, name) != own_names.end();
  };
  for (Host& host : hosts) host.here = host.port == 0 && (is_own(host.address) || is_own(host.ssh));
}

}  // namespace lockstep::spec
