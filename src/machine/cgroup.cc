#include "machine/cgroup.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "machine/kernel_file.h"

namespace lockstep::machine {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The path of our group in the hierarchy of a version 1 controller, or with "" in version 2's.
std::optional<fs::path> own_group(const fs::path& root, std::string_view controller) {
  for (const std::string& line : split(kernel_file(root / "proc/self/cgroup"), '\n')) {
    const std::vector<std::string> fields = split(line, ':');  // hierarchy:controllers:path
    if (fields.size() >= 3 && contains(split(fields[1], ','), controller)) return fields[2];
  }
  return std::nullopt;
}

// The directories of all groups that limit us: ours and those around it, as far as they are
// mounted here. Directories of both versions; each has files of its own version only.
std::vector<fs::path> enclosing_groups(const fs::path& root, std::string_view controller) {
  std::vector<fs::path> groups;
  for (const std::string& line : split(kernel_file(root / "proc/self/mountinfo"), '\n')) {
    // id parent device root-of-the-mount mount-point options [tags] - type source super-options
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
    const bool version2 = dash[1] == "cgroup2";
    const bool version1 = dash[1] == "cgroup" && contains(split(dash[3], ','), controller);
    if (!version1 && !version2) continue;
    const std::optional<fs::path> group = own_group(root, version2 ? "" : controller);
    if (!group) continue;
    // Inside a container the mount may begin at the container's group, and the path may even lead
    // out of what is mounted: the mount point is then the innermost group that can be read.
    fs::path below = group->lexically_relative(fields[3]);
    if (below.empty() || *below.begin() == "..") below = ".";
    const fs::path mount = (root / fs::path(fields[4]).relative_path()).lexically_normal();
    fs::path directory = (mount / below).lexically_normal();
    if (!directory.has_filename()) directory = directory.parent_path();
    for (; directory != mount; directory = directory.parent_path()) groups.push_back(directory);
    groups.push_back(mount);
  }
  return groups;
}

// Time per period of one group; nothing where it is unlimited.
std::optional<double> quota_of(const fs::path& group) {
  const std::vector<std::string> max = split(kernel_file(group / "cpu.max"), ' ');
  const bool version2 = max.size() == 2;
  const auto time = parse_double(version2 ? max[0] : kernel_file(group / "cpu.cfs_quota_us"));
  const auto period = parse_double(version2 ? max[1] : kernel_file(group / "cpu.cfs_period_us"));
  if (!time || !period || *time <= 0 || *period <= 0) return std::nullopt;  // "max" or -1
  return *time / *period;
}

// The value of "key value" in memory.stat.
std::int64_t statistic(const fs::path& group, std::string_view key) {
  for (const std::string& line : split(kernel_file(group / "memory.stat"), '\n')) {
    const std::vector<std::string> fields = split(line, ' ');
    if (fields.size() == 2 && fields[0] == key) return parse_int(fields[1]).value_or(0);
  }
  return 0;
}

std::optional<std::int64_t> memory_left_in(const fs::path& group) {
  struct Names {
    const char *limit, *usage, *reclaimable;
  };
  constexpr Names kVersions[] = {
      {"memory.max", "memory.current", "inactive_file"},
      {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
  };
  for (const Names& names : kVersions) {
    const auto limit = parse_int(kernel_file(group / names.limit));  // not a number: "max"
    const auto usage = parse_int(kernel_file(group / names.usage));
    if (!limit || !usage) continue;
    const std::int64_t held = *usage - statistic(group, names.reclaimable);
    return std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, held));
  }
  return std::nullopt;
}

}  // namespace

double cpu_quota(const fs::path& root) {
  double smallest = 0;
  for (const fs::path& group : enclosing_groups(root, "cpu")) {
    const std::optional<double> quota = quota_of(group);
    if (quota && (smallest == 0 || *quota < smallest)) smallest = *quota;
  }
  return smallest;
}

std::optional<std::int64_t> cgroup_memory_left(const fs::path& root) {
  std::optional<std::int64_t> smallest;
  for (const fs::path& group : enclosing_groups(root, "memory")) {
    const std::optional<std::int64_t> left = memory_left_in(group);
    if (left && (!smallest || *left < *smallest)) smallest = left;
  }
  return smallest;
}

}  // namespace lockstep::machine
