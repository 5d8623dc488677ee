#include "cli/interrupt.h"

#include <csignal>

namespace lockstep::cli {
namespace {

std::atomic<bool> g_asked = false;
std::atomic<int> g_signal = 0;

void on_signal(int signal) {
  g_signal = signal;
  g_asked = true;
}

void install(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  // The second signal finds the default action again.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  install(on_signal);
}
Interrupt::~Interrupt() {
  install(SIG_DFL);
}

const std::atomic<bool>& Interrupt::asked() {
  return g_asked;
}
int Interrupt::signal() {
  return g_signal;
}

}  // namespace lockstep::cli
