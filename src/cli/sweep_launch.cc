#include "cli/sweep_launch.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "result/run_file.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

// What follows these words in a line of it; empty: no line has them.
std::string said_after(std::string_view words, const std::string& tail) {
  for (const std::string& line : split(tail, '\n')) {
    if (line.starts_with(words)) return line.substr(words.size());
  }
  return {};
}

// The last thing that it said which says something about its end.
std::string last_words(const std::string& tail) {
  std::string last = said_after("error: ", tail);
  if (!last.empty()) return last;
  for (const std::string& line : split(tail, '\n')) {
    const bool remark = line.starts_with("warning: ") || line.starts_with("note: ");
    if (!remark && !trim(line).empty()) last = trim(line);
  }
  return last;
}

// What others say may have lines and colours; a table has room for one line of letters.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return text;
}

std::string how_it_ended(const launch::Ended& ended) {
  std::string words = last_words(ended.tail);
  if (words.starts_with("rank ")) return words;  // with its host: a launcher's code says less
  const std::string who =
      ended.host.empty() ? ended.name : fmt::format("{} on {}", ended.name, ended.host);
  std::string text = ended.exit_code > 128
                         ? fmt::format("{} was ended by signal {}", who, ended.exit_code - 128)
                         : fmt::format("{} ended with exit code {}", who, ended.exit_code);
  return words.empty() ? text : fmt::format("{}: {}", text, words);
}

// Wrong flags and a machine that lacks something stay wrong.
bool may_go_well_next_time(int exit_code) {
  return exit_code != static_cast<int>(ExitCode::usage) &&
         exit_code != static_cast<int>(ExitCode::environment);
}

// --strict: measured, but not stable.
bool measured(const launch::Outcome& outcome) {
  const launch::Ended* failed = outcome.first_failure();
  return outcome.ok() || (!outcome.timed_out && !outcome.stopped &&
                          failed->exit_code == static_cast<int>(ExitCode::unstable));
}

Launched judge(const launch::Outcome& outcome, const fs::path& directory, double time_limit) {
  Launched launched;
  if (outcome.stopped) {
    launched.interrupted = true;
    return launched;
  }
  if (outcome.timed_out) {
    launched.failure =
        fmt::format("it had not ended after {} (--point_time_limit)", human_seconds(time_limit));
    launched.worth_retrying = true;
    return launched;
  }
  std::optional<result::RunFile> file;
  try {
    file = result::read_run_json(read_file(directory / "run.json"));
  } catch (const Error& error) {
    launched.failure = error.what();  // unless a process says more
  }
  const launch::Ended* failed = outcome.first_failure();
  if (file && measured(outcome) && std::holds_alternative<stats::Launch>(*file)) {
    launched.numbers = std::get<stats::Launch>(*file);
    return launched;
  }
  launched.worth_retrying = failed == nullptr || may_go_well_next_time(failed->exit_code);
  if (file && std::holds_alternative<result::Failure>(*file)) {
    const auto& failure = std::get<result::Failure>(*file);
    launched.failure = failure.message;
    launched.worth_retrying = may_go_well_next_time(static_cast<int>(failure.code));
  } else if (failed != nullptr) {
    launched.failure = how_it_ended(*failed);
  }
  return launched;
}

}  // namespace

launch::Job job_of(const Launching& launching, const spec::Point& point, int round,
                   const std::string& directory) {
  return {.id = fmt::format("{}-{}-{}", launching.sweep, point.id, round + 1),
          .program = launching.program,
          .flags = point.flags,
          .devices = point.devices,
          .servers = point.num_ps,
          .result_dir = directory};
}

namespace {

// The hosts of a failed launch that do not answer, with what ssh says of them.
std::vector<launch::Ended> silent_hosts(const Launching& launching, const launch::Job& job,
                                        const fs::path& log_dir, const std::atomic<bool>& stop) {
  const auto reach = launching.launcher.reach(job, launching.site);
  if (reach.empty()) return {};
  launch::Outcome outcome = launch::run(reach, {.time_limit = 30,
                                                .log_dir = log_dir,
                                                .stop = &stop,
                                                .grace = std::numeric_limits<double>::infinity()});
  if (outcome.stopped) return {};
  std::erase_if(outcome.processes, [](const launch::Ended& ended) { return ended.exit_code == 0; });
  return std::move(outcome.processes);
}

Launched unreachable(const launch::Ended& host) {
  return {.failure =
              fmt::format("host {} cannot be reached by ssh: {}", host.host, last_words(host.tail)),
          .code = ExitCode::launch};
}

// N of the line "threads_per_device": N of a configuration, as --print_config prints it; 0 (of
// servers, too): it is another line.
int threads_in(std::string_view line) {
  constexpr std::string_view kKey = "\"threads_per_device\": ";
  const std::size_t key = line.find(kKey);
  if (key == std::string_view::npos || !line.ends_with(',')) return 0;
  line.remove_prefix(key + kKey.size());
  line.remove_suffix(1);
  return static_cast<int>(parse_int(line).value_or(0));
}

Launched launch_in(const Launching& launching, const spec::Point& point, int round,
                   SweepDirectory& directory, const std::atomic<bool>& stop) {
  const fs::path place = directory.begin(point, round);
  const launch::Job job = job_of(launching, point, round, place.string());
  const launch::Outcome outcome = launch::run(launching.launcher.commands(job, launching.site),
                                              {.time_limit = launching.time_limit,
                                               .log_dir = place,
                                               .stop = &stop,
                                               .live = launching.live});
  std::vector<launch::Ended> silent;
  if (!outcome.stopped && !measured(outcome)) {
    silent = silent_hosts(launching, job, place / "reach", stop);
  }
  auto collect = launching.launcher.collect(job, launching.site);
  std::erase_if(collect, [&](const launch::Command& command) {
    return std::ranges::count(silent, command.host, &launch::Ended::host) > 0;
  });
  if (!collect.empty()) launch::run(collect, {.log_dir = place / "collect"});
  Launched launched =
      silent.empty() ? judge(outcome, place, launching.time_limit) : unreachable(silent.front());
  if (launched.numbers) {
    directory.finish(point, round);
  } else if (launched.interrupted) {
    directory.drop(point, round);
  } else {
    directory.fail(point, round);
  }
  return launched;
}

}  // namespace

int threads_on_hosts(const Launching& launching, const spec::Plan& plan) {
  const spec::Point& largest = *std::ranges::max_element(
      plan.points, {},
      [](const spec::Point& point) { return std::pair(point.devices, point.num_ps); });
  launch::Job job = job_of(launching, largest, 0, "");
  job.flags.emplace_back("--print_config");
  int least = 0;
  const launch::Outcome outcome =
      launch::run(launching.launcher.commands(job, launching.site),
                  {.time_limit = 60,
                   .grace = std::numeric_limits<double>::infinity(),
                   .on_line = [&](const std::string&, std::string_view line) {
                     const int threads = threads_in(line);
                     if (threads > 0) least = least > 0 ? std::min(least, threads) : threads;
                   }});
  for (const launch::Ended& ended : outcome.processes) {
    if (ended.exit_code == 0 || may_go_well_next_time(ended.exit_code)) continue;
    throw Error(static_cast<ExitCode>(ended.exit_code), how_it_ended(ended),
                said_after("hint: ", ended.tail));
  }
  if (least > 0) return least;
  const std::atomic<bool> never = false;
  const auto silent = silent_hosts(launching, job, {}, never);
  if (!silent.empty()) {
    throw Error(ExitCode::launch, unreachable(silent.front()).failure,
                fmt::format("try: ssh {} true; lockstep doctor --hosts={} checks more",
                            silent.front().host, silent.front().host));
  }
  throw Error(ExitCode::launch,
              fmt::format("no host says how many cores it has: {}",
                          how_it_ended(outcome.processes.front())),
              "--threads_per_device leaves the question out");
}

Launched launch_point(const Launching& launching, const spec::Point& point, int round,
                      SweepDirectory& directory, const std::atomic<bool>& stop) {
  if (stop) return {.interrupted = true};
  try {
    Launched launched = launch_in(launching, point, round, directory, stop);
    launched.failure = one_line(std::move(launched.failure));
    return launched;
  } catch (const Error& error) {
    // A full disk may have room again for the next point. Whatever it is, what was measured is
    // kept.
    const bool start = error.code() == ExitCode::launch;
    return {.failure = error.what(), .code = start ? ExitCode::launch : ExitCode::rank_failed};
  }
}

}  // namespace lockstep::cli
