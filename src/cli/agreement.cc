#include "cli/agreement.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/text.h"
#include "comm/gathered.h"

namespace lockstep::cli {
namespace {

using SortedJson = nlohmann::json;

// Every rank of this process has to come to the agreement.
std::string agree(const Ranks& ranks, const std::string& mine,
                  const comm::Transport::Decide& decide) {
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    others.emplace_back([&mine, &decide, &rank = *ranks[i]] {
      try {
        rank.agree(mine, decide);
      } catch (const Error&) {  // the first rank of this process hears of it, too
      }
    });
  }
  return ranks.front()->agree(mine, decide);
}

// "/learning_rate/initial" as people say it.
std::string spoken(std::string key) {
  key.erase(0, 1);
  std::ranges::replace(key, '/', '.');
  return key;
}

std::string differences(const std::string& here, const std::string& there) {
  const SortedJson ours = SortedJson::parse(here), theirs = SortedJson::parse(there);
  SortedJson all = ours;
  all.update(theirs);
  std::vector<std::string> found;
  for (const auto& [key, ignored] : all.items()) {
    const SortedJson mine = ours.value(key, SortedJson()), other = theirs.value(key, SortedJson());
    if (mine == other) continue;
    found.push_back(fmt::format("{} is {} there, not {}", spoken(key), other.dump(), mine.dump()));
  }
  return join(found, "; ");
}

}  // namespace

void refuse_different_options(const Ranks& ranks, const SortedJson& options) {
  const comm::Transport& mine = *ranks.front();
  if (static_cast<int>(ranks.size()) == mine.world()) return;
  const auto first_difference = [&](const comm::Transport::Parts& all) -> std::string {
    for (int rank = 1; rank < mine.world(); ++rank) {
      const std::string& other = all[static_cast<std::size_t>(rank)];
      if (other == all.front()) continue;
      const std::string different =
          comm::read_gathered(mine, rank, [&] { return differences(all.front(), other); });
      return fmt::format("rank {} on {} was started with other options than rank 0 on {}: {}", rank,
                         mine.host_name(rank), mine.host_name(0), different);
    }
    return {};
  };
  const std::string difference = agree(ranks, options.flatten().dump(), first_difference);
  if (difference.empty()) return;
  throw Error(ExitCode::usage, difference, "give the same flags to all processes of a run");
}

SortedJson common_options(const spec::Trial& trial) {
  SortedJson options = SortedJson::parse(to_json(trial));
  for (const char* own :
       {"cluster", "result_dir", "strict", "price_per_hour", "display_every", "display_perf_ewma",
        "loss_to_report", "threads_per_device", "oversubscribe", "workspace_mb"}) {
    options.erase(own);
  }
  for (const char* own : {"private_threads", "use_prefetch", "prefetch_buffer_size",
                          "batch_group_size", "use_caching"}) {
    options["data"].erase(own);
  }
  // Whether there is one counts, not where.
  options["data"]["dir"] = !trial.data.dir.empty();
  options["checkpoints"]["dir"] = !trial.checkpoints.dir.empty();
  return options;
}

}  // namespace lockstep::cli
