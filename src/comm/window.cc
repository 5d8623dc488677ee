#include "comm/window.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <limits>

#include "base/check.h"

namespace lockstep::comm {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kSkew = 17 * kLine;
constexpr std::size_t kSkews = 60;  // as many as differ within a page, and no page more than needed

constexpr std::size_t lines(std::size_t bytes) {
  return (bytes + kLine - 1) / kLine * kLine;
}

std::size_t skew(int rank) {
  return static_cast<std::size_t>(rank) % kSkews * kSkew;
}

// Shared between processes, so not the private kind that std::atomic::wait uses.
void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

void Bell::ring() {
  rings.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) == 0) return;
  futex(rings, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr);
}

void Bell::sleep(std::uint32_t seen, int milliseconds) {
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  const timespec most{.tv_sec = milliseconds / 1000,
                      .tv_nsec = milliseconds % 1000 * std::int64_t{1'000'000}};
  futex(rings, FUTEX_WAIT, seen, &most);
  sleepers.fetch_sub(1, std::memory_order_relaxed);
}

std::size_t window_bytes(std::size_t chunks, std::size_t floats) {
  return sizeof(Bell) + chunks * sizeof(Counter) + kSkews * kSkew +
         2 * lines(floats * sizeof(float)) + kSkew;
}

Window window(std::span<std::byte> memory, std::size_t chunks, std::size_t floats, int rank) {
  LOCKSTEP_CHECK(memory.size() >= window_bytes(chunks, floats));
  std::byte* at = memory.data();
  const auto take = [&at](std::size_t bytes) {
    std::byte* const start = at;
    at += lines(bytes);
    return start;
  };
  Window window;
  window.bell = reinterpret_cast<Bell*>(take(sizeof(Bell)));
  window.counters = {reinterpret_cast<Counter*>(take(chunks * sizeof(Counter))), chunks};
  at += skew(rank);
  window.gradients = {reinterpret_cast<float*>(take(floats * sizeof(float))), floats};
  at += kSkew / 2 / kLine * kLine;
  window.parameters = {reinterpret_cast<float*>(take(floats * sizeof(float))), floats};
  return window;
}

std::vector<Window> share_windows(Transport& transport, std::size_t chunks, std::size_t floats) {
  transport.share(window_bytes(chunks, floats));
  std::vector<Window> windows;
  for (int rank = 0; rank < transport.world(); ++rank) {
    const std::span<std::byte> memory = transport.memory_of(rank);
    windows.push_back(memory.empty() ? Window{} : window(memory, chunks, floats, rank));
  }
  return windows;
}

}  // namespace lockstep::comm
