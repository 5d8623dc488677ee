#include "cli/start_guard.h"

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/streams.h"
#include "cli/interrupt.h"

namespace lockstep::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks(100);

}  // namespace

StartGuard::StartGuard(std::function<void(const Error& error)> give_up,
                       std::chrono::milliseconds grace)
    : give_up_(std::move(give_up)),
      grace_(grace),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void StartGuard::watch(const std::stop_token& stop) const {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  const auto ended_within = [&](auto time) {
    return stopped.wait_for(lock, stop, time, [&] { return stop.stop_requested(); }) || over_;
  };
  while (!Interrupt::asked()) {
    if (ended_within(kBetweenLooks)) return;
  }
  if (ended_within(grace_)) return;
  give_up_(Error(Interrupt::exit_code(), "interrupted before the first step"));
  flush_output();
  std::_Exit(static_cast<int>(Interrupt::exit_code()));
}

}  // namespace lockstep::cli
