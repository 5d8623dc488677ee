#include "launch/runner.h"

#include <algorithm>
#include <list>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "base/random_token.h"
#include "launch/process.h"

namespace lockstep::launch {
namespace {

constexpr double kLookAround = 0.1;  // seconds until a stop is noticed that came without a signal

class Runner {
 public:
  Runner(std::span<const Command> commands, const RunOptions& options)
      : options_(options), started_(now()) {
    std::vector<std::string> programs;
    for (const Command& command : commands) programs.push_back(executable(command));
    if (!options.log_dir.empty()) make_directory(options.log_dir);
    const std::string token = random_token();
    for (std::size_t i = 0; i < commands.size(); ++i) {
      running_.emplace_back(commands[i], programs[i], token, options);
    }
  }

  Outcome run() {
    while (!running_.empty()) {
      wait();
      listen();
      reap();
      end_what_should();
    }
    return std::move(outcome_);
  }

 private:
  void wait() const {
    std::vector<pollfd> events;
    for (const Process& process : running_) {
      events.push_back(process.output());
      events.push_back(process.end());
    }
    poll(events.data(), events.size(), static_cast<int>(kLookAround * 1000));
  }

  void listen() {
    for (Process& process : running_) {
      process.read_output();
      if (process.told_failure() && !failed_) failed_ = now();
    }
  }

  void reap() {
    std::erase_if(running_, [this](Process& process) {
      std::optional<Ended> ended = process.reap();
      if (!ended) return false;
      ended->asked = ending_.has_value();
      if (ended->exit_code != 0 && !failed_) failed_ = now();
      outcome_.processes.push_back(std::move(*ended));
      return true;
    });
  }

  void end_what_should() {
    if (ending_) {
      if (now() > *ending_ + options_.patience) {
        for (Process& process : running_) process.end_for_certain();
      }
      return;
    }
    if (running_.empty()) return;
    outcome_.stopped = options_.stop != nullptr && *options_.stop;
    outcome_.timed_out =
        !outcome_.stopped && options_.time_limit > 0 && now() > started_ + options_.time_limit;
    const bool no_hope = failed_ && now() > *failed_ + options_.grace;
    if (!outcome_.stopped && !outcome_.timed_out && !no_hope) return;
    for (Process& process : running_) process.end_politely();
    ending_ = now();
  }

  const RunOptions& options_;
  double started_;
  std::list<Process> running_;
  Outcome outcome_;
  std::optional<double> failed_;  // when the first one did
  std::optional<double> ending_;  // since when
};

}  // namespace

const Ended* Outcome::first_failure() const {
  const auto first = [this](auto counts) -> const Ended* {
    const auto found = std::ranges::find_if(
        processes, [&](const Ended& ended) { return ended.exit_code != 0 && counts(ended); });
    return found == processes.end() ? nullptr : &*found;
  };
  // Over different connections, the news of a failure may come before the failure itself.
  const Ended* cause = first([](const Ended& ended) {
    return !ended.asked && ended.exit_code != static_cast<int>(ExitCode::rank_failed);
  });
  return cause != nullptr ? cause : first([](const Ended&) { return true; });
}

Outcome run(std::span<const Command> commands, const RunOptions& options) {
  return Runner(commands, options).run();
}

}  // namespace lockstep::launch
