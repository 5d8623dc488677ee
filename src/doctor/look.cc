#include "doctor/look.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "base/error.h"
#include "base/text.h"
#include "comm/tcp.h"
#include "doctor/judge.h"
#include "launch/runner.h"
#include "machine/cores.h"
#include "machine/jitter.h"
#include "machine/memory.h"

namespace lockstep::doctor {
namespace {

std::string refusal_of_port(int port) {
  try {
    const comm::Listener listener(fmt::format(":{}", port));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

// Each of them is tried, and one rank on each core is as many as there are as a rule.
Finding look_at_ports(int port, int cores) {
  int free = 0;
  const int wanted = std::min(std::max(cores, 1), 65535 - port);
  for (int next = port + 1; next <= port + wanted; ++next) free += refusal_of_port(next).empty();
  return judge_port(port, refusal_of_port(port), wanted, free);
}

std::string mpi_version() {
  try {
    const std::vector<launch::Command> ask = {{.name = "mpirun", .argv = {"mpirun", "--version"}}};
    const launch::Outcome outcome = launch::run(ask, {.time_limit = 10});
    return outcome.ok() ? split(outcome.processes[0].tail, '\n').front() : "";
  } catch (const Error&) {
    return {};  // there is no such program
  }
}

// A thread of its own, because a thread's first parallel region fixes its team.
void on_team(const std::vector<int>& processors, const std::function<void()>& work) {
  std::thread([&] {
    machine::join_team(processors);
    work();
  }).join();
}

// Two arrays, and more than enough left for everybody else.
std::size_t array_bytes(const machine::Environment& environment) {
  constexpr std::int64_t kMost = 256 << 20;
  constexpr std::int64_t kLeast = 4 << 20;
  return static_cast<std::size_t>(
      std::clamp(environment.memory_available_bytes / 8, kLeast, kMost));
}

}  // namespace

std::vector<Finding> glance(const machine::Environment& environment, const Purpose& purpose) {
  std::vector<Finding> found = machine::findings(environment);
  found.push_back(judge_reserved(machine::reserved_memory_bytes(), environment.memory_bytes));
  found.push_back(judge_clock_source(machine::clock_source()));
  found.push_back(judge_disk(machine::disk(purpose.result_dir)));
  if (purpose.port) found.push_back(look_at_ports(*purpose.port, environment.physical_cores));
  return found;
}

std::vector<Finding> measured_findings(const machine::Environment& environment) {
  constexpr double kPeakSeconds = 0.2;
  std::vector<Finding> found = {judge_mpi(mpi_version())};
  const std::vector<int> all = machine::place(machine::allowed(), 1, 0).front();
  machine::Peak peak;
  on_team(all, [&] {
    found.push_back(judge_addition(machine::measure_addition(array_bytes(environment))));
    peak = machine::measure_peak(kPeakSeconds);
  });
  found.push_back(judge_peak(peak));
  if (all.size() > 1) {
    on_team({all.front()}, [&] {
      found.push_back(judge_sharing(machine::measure_peak(kPeakSeconds), peak,
                                    !environment.hypervisor.empty()));
    });
  }
  on_team(all, [&] { found.push_back(judge_noise(noise_of(machine::measure_repetitions()))); });
  return found;
}

}  // namespace lockstep::doctor
