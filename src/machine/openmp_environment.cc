#include "machine/openmp_environment.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/affinity.h"
#include "base/error.h"
#include "machine/cores.h"

namespace lockstep::machine {
namespace {

// Places and bindings hold for the process: every team would be bound to the same ones. The others
// let libgomp make a team smaller than its processors.
constexpr std::string_view kHarmful[] = {"OMP_PROC_BIND",     "OMP_PLACES",
                                         "GOMP_CPU_AFFINITY", "OMP_DYNAMIC",
                                         "OMP_THREAD_LIMIT",  "OMP_MAX_ACTIVE_LEVELS"};
// A fraction of a millisecond of waiting before a thread sleeps: the regions of a step follow each
// other faster than that, and idle teams leave their cores alone. Overrides OMP_WAIT_POLICY.
constexpr std::string_view kSpinCount = "GOMP_SPINCOUNT";
constexpr std::string_view kSpinCountValue = "10000";
// Says to the second run of the program that it is one: it never starts a third.
constexpr const char* kGuard = "LOCKSTEP_OPENMP_CORRECTED";

// With places or bindings in its environment libgomp binds the main thread to one of them as it is
// loaded, and a thread keeps its mask when it executes a program. What the thread was given is seen
// only by what runs before all libraries' constructors.
constinit std::vector<int> processors_at_start;

void remember_processors() {
  processors_at_start = bound_processors();
}
[[gnu::section(".preinit_array"), gnu::used]] void (*before_libraries)() = remember_processors;

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

std::optional<std::vector<std::string>> corrected_environment(
    std::span<const std::string> environment) {
  std::vector<std::string> corrected;
  bool spins = false;
  for (const std::string& variable : environment) {
    const std::string_view name = name_of(variable);
    spins |= name == kSpinCount;
    if (std::ranges::find(kHarmful, name) == std::end(kHarmful)) corrected.push_back(variable);
  }
  if (spins && corrected.size() == environment.size()) return std::nullopt;
  if (!spins) corrected.push_back(fmt::format("{}={}", kSpinCount, kSpinCountValue));
  return corrected;
}

void correct_openmp_environment(char** argv) {
  if (std::getenv(kGuard) != nullptr) {
    unsetenv(kGuard);  // programs that this one starts are corrected on their own
    return;
  }
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);
  }
  std::optional<std::vector<std::string>> corrected = corrected_environment(environment);
  if (!corrected) return;
  corrected->push_back(fmt::format("{}=1", kGuard));
  std::vector<char*> variables;
  for (std::string& variable : *corrected) variables.push_back(variable.data());
  variables.push_back(nullptr);
  bind_thread(processors_at_start);
  execve("/proc/self/exe", argv, variables.data());
  throw Error(ExitCode::environment,
              fmt::format("cannot run /proc/self/exe again with a corrected OpenMP environment: {}",
                          std::strerror(errno)),
              fmt::format("unset {}, and set {}={}", fmt::join(kHarmful, ", "), kSpinCount,
                          kSpinCountValue));
}

}  // namespace lockstep::machine
