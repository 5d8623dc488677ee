#include "cli/follow.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <utility>

namespace lockstep::cli {
namespace {

constexpr std::chrono::milliseconds kPause(200);

}  // namespace

Follow::Follow(std::filesystem::path file, std::FILE* stream)
    : file_(std::move(file)), stream_(stream), thread_([this](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        while (!stopped.wait_for(lock, stop, kPause, [&] { return stop.stop_requested(); })) {
          copy_what_is_new();
        }
      }) {}

Follow::~Follow() {
  thread_.request_stop();
  thread_.join();
  copy_what_is_new();
}

// Opened anew each time: only then does a network file system look for what others have written.
void Follow::copy_what_is_new() {
  std::ifstream input(file_, std::ios::binary);
  input.seekg(copied_);
  std::array<char, 1 << 14> buffer;
  while (input.read(buffer.data(), buffer.size()), input.gcount() > 0) {
    std::fwrite(buffer.data(), 1, static_cast<std::size_t>(input.gcount()), stream_);
    copied_ += input.gcount();
  }
  std::fflush(stream_);
}

}  // namespace lockstep::cli
