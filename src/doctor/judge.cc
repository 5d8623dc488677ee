#include "doctor/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "stats/quantile.h"

namespace lockstep::doctor {
namespace {

constexpr double kGiB = 1 << 30;
constexpr double kLittleSpace = kGiB;
constexpr double kNoSpace = 16 << 20;
constexpr double kSlowClock = 500;          // ns; a counter of the processor takes a tenth of that
constexpr double kMuchReserved = 0.1;       // of the memory
constexpr double kFullArithmetic = 0.9;     // of what all cores would have alone
constexpr double kTooMuchArithmetic = 1.1;  // more than that of one core has been disturbed
constexpr double kMuchNoise = 0.05;

}  // namespace

Finding judge_disk(const machine::Disk& disk) {
  const auto left = static_cast<double>(disk.free_bytes);
  const std::string place = disk.directory.string();
  Finding finding{
      .subject = "disk", .value = left / kGiB, .unit = "GiB", .sentence = "free in " + place};
  if (!disk.refusal.empty()) {
    finding.level = Level::problem;
    finding.sentence = fmt::format("results cannot be written to {}: {}", place, disk.refusal);
    finding.remedy = "--result_dir names another directory";
  } else if (left < kLittleSpace) {
    finding.level = left < kNoSpace ? Level::problem : Level::warning;
    finding.sentence = fmt::format("only {} are free in {}", human_bytes(left), place);
    finding.remedy = "make room, or name another directory with --result_dir";
  }
  return finding;
}

Finding judge_port(int port, const std::string& refusal, int wanted, int free) {
  if (refusal.empty()) {
    Finding finding{.subject = "port",
                    .value = port,
                    .sentence = fmt::format("free for ranks to meet at, and {} of {} after it for "
                                            "their data",
                                            free, wanted)};
    if (free < wanted) {
      finding.level = Level::warning;
      finding.remedy = "end what listens there, or choose others with --port";
    }
    return finding;
  }
  return {.subject = "port",
          .level = Level::warning,
          .value = port,
          .sentence = fmt::format("ranks cannot meet at port {}: {}", port, refusal),
          .remedy = "end what listens there, or choose another one with --port"};
}

Finding judge_clock_source(const machine::ClockSource& clock) {
  const std::string name =
      clock.name.empty() ? "a source that the kernel does not name" : clock.name;
  Finding finding{.subject = "clock",
                  .value = clock.read_ns,
                  .unit = "ns",
                  .sentence = fmt::format("to read the clock, which is {}", name)};
  if (clock.read_ns > kSlowClock) {
    finding.level = Level::warning;
    finding.sentence = fmt::format(
        "the clock is {}, which takes {:.0f} ns to read: short phases look longer than they are",
        name, clock.read_ns);
    finding.remedy = "let the kernel use the processor's counter: clocksource=tsc";
  }
  return finding;
}

Finding judge_reserved(std::int64_t reserved, std::int64_t memory) {
  Finding finding{.subject = "reserved pages",
                  .value = static_cast<double>(reserved) / kGiB,
                  .unit = "GiB",
                  .sentence = "set aside for programs that ask for huge pages by name"};
  if (static_cast<double>(reserved) > kMuchReserved * static_cast<double>(memory)) {
    finding.level = Level::warning;
    finding.sentence = fmt::format(
        "{} of memory are set aside for huge pages by name, which lockstep does not use",
        human_bytes(static_cast<double>(reserved)));
    finding.remedy = "give them back: sysctl vm.nr_hugepages=0";
  }
  return finding;
}

Finding judge_mpi(const std::string& version) {
  if (!version.empty()) return {.subject = "mpi", .sentence = version};
  return {.subject = "mpi",
          .sentence = "there is no mpirun, which only --launcher=mpi needs",
          .remedy = "apt-get install openmpi-bin"};
}

Finding judge_addition(double gigabytes_per_second) {
  return {.subject = "memory bandwidth",
          .value = 3 * gigabytes_per_second,
          .unit = "GB/s",
          .sentence = "a += b on all cores, three arrays counted as in STREAM's Add"};
}

Finding judge_peak(const machine::Peak& peak) {
  return {.subject = "peak",
          .value = peak.gflops,
          .unit = "GFLOP/s",
          .sentence = fmt::format("{} multiply-adds on {}", peak.instructions,
                                  counted(peak.threads, "thread"))};
}

Finding judge_sharing(const machine::Peak& one, const machine::Peak& all, bool in_guest) {
  const double share = all.gflops / (one.gflops * all.threads);
  Finding finding{.subject = "cores together",
                  .value = 100 * share,
                  .unit = "%",
                  .sentence = fmt::format("of {} times the arithmetic of one core", all.threads)};
  if (share < kFullArithmetic) {
    finding.level = Level::warning;
    finding.sentence = fmt::format(
        "all {} cores together have {:.0f} % of {} times the arithmetic of one: they share units, "
        "clock lower together, or do other work; no efficiency can be higher",
        all.threads, 100 * share, all.threads);
    finding.remedy =
        in_guest ? "stop other work; in a virtual machine, processors may be hardware threads "
                   "of one core: ask for whole cores, or use half of the processors"
                 : "turn turbo off, stop other work, use one hardware thread of each core";
  } else if (share > kTooMuchArithmetic) {
    finding.level = Level::warning;
    finding.sentence = fmt::format(
        "all {} cores together have {:.0f} % of {} times the arithmetic of one, which cannot be: "
        "other "
        "work took time from the core that was measured alone",
        all.threads, 100 * share, all.threads);
    finding.remedy = "stop other work and run lockstep doctor again";
  }
  return finding;
}

Noise noise_of(std::span<const std::vector<double>> threads) {
  Noise worst;
  for (const std::vector<double>& times : threads) {
    const Noise noise{stats::median(times), stats::quantile(times, 0.95)};
    if (worst.median == 0 || noise.excess() > worst.excess()) worst = noise;
  }
  return worst;
}

Finding judge_noise(const Noise& noise) {
  Finding finding{
      .subject = "noise",
      .value = 100 * noise.excess(),
      .unit = "%",
      .sentence = fmt::format("one in twenty repetitions of the same {:.0f} us takes {:.0f} us or "
                              "more",
                              noise.median * 1e6, noise.p95 * 1e6)};
  if (noise.excess() > kMuchNoise) {
    finding.level = Level::warning;
    finding.sentence += ": something else takes time from these cores";
    finding.remedy = "stop other work; on a shared machine, ask for more launches (--repeats)";
  }
  return finding;
}

}  // namespace lockstep::doctor
