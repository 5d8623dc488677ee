#include "cli/crash.h"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "comm/lost.h"
#include "machine/cores.h"

namespace lockstep::cli {
namespace {

struct Position {
  int rank = -1;  // below 0: not known
  std::int64_t step = -1;
};
constinit thread_local Position place;

// Made before there is a crash: a handler must not allocate.
std::string g_ranks, g_host;

// Where the thread's handler runs: what it tells of may be that there is no other stack left.
class HandlerStack {
 public:
  HandlerStack() {
    const stack_t stack = {.ss_sp = memory_.data(), .ss_flags = 0, .ss_size = memory_.size()};
    sigaltstack(&stack, nullptr);
  }
  ~HandlerStack() {
    const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  std::vector<std::byte> memory_ = std::vector<std::byte>(64 * 1024);
};

// As much of a text as fits.
class Line {
 public:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    const auto added = fmt::format_to_n(text_.begin() + size_, text_.size() - size_, format,
                                        std::forward<Arguments>(arguments)...);
    size_ = static_cast<std::size_t>(added.out - text_.begin());
  }
  void print() const { [[maybe_unused]] const auto done = write(2, text_.data(), size_); }

 private:
  std::array<char, 512> text_;
  std::size_t size_ = 0;
};

void tell(int signal) {
  Line line;
  line.add("error: ");
  if (place.rank < 0) {
    line.add("{}", g_ranks);
  } else {
    line.add("rank {}", place.rank);
  }
  line.add(" on {} crashed", g_host);
  if (place.step >= 0) line.add(" at step {}", place.step);
  line.add(
      ": {}\nhint: this is a bug in lockstep or a library; please include the lines below in a "
      "report:\n",
      sigdescr_np(signal));
  line.print();
  std::array<void*, 32> frames;
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), 2);
}

std::atomic<bool> g_told = false;
constinit thread_local bool telling = false;

void on_crash(int signal) {
  if (!telling && g_told.exchange(true)) {
    while (true) pause();  // ranks of one process may crash together: one tells, and ends them all
  }
  if (!std::exchange(telling, true)) tell(signal);
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal);  // comes when this returns
}

}  // namespace

void Crash::listen(std::span<const int> ranks) {
  g_ranks = ranks.size() == 1 ? fmt::format("rank {}", ranks.front())
                              : fmt::format("one of ranks {}", machine::ranges(ranks));
  g_host = comm::own_host_name();
  void* frame = nullptr;
  backtrace(&frame, 1);  // its first call loads a library
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    struct sigaction action = {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

void Crash::in_rank(int rank) {
  static const thread_local HandlerStack stack;
  place = {.rank = rank};
}

void Crash::in_step(std::int64_t step) {
  place.step = step;
}

}  // namespace lockstep::cli
