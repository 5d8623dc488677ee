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

void install(int signal, unsigned flags) {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(flags);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void Interrupt::listen() {
  install(SIGINT, SA_RESTART | SA_RESETHAND);  // the second one finds the default action again
  install(SIGTERM, SA_RESTART);
}

void Interrupt::ask(int signal) {
  on_signal(signal);
}

const std::atomic<bool>& Interrupt::asked() {
  return g_asked;
}
int Interrupt::signal() {
  return g_signal;
}
ExitCode Interrupt::exit_code() {
  return g_signal == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
}

}  // namespace lockstep::cli
