#include "machine/clock_source.h"

#include "base/clock.h"
#include "machine/kernel_file.h"

namespace lockstep::machine {

ClockSource clock_source(const std::filesystem::path& root) {
  constexpr int kReadings = 2000;
  const double begin = now();
  double end = begin;
  for (int i = 0; i < kReadings; ++i) end = now();
  return {.name = kernel_file(root / "sys/devices/system/clocksource/clocksource0" /
                              "current_clocksource"),
          .read_ns = (end - begin) / kReadings * 1e9};
}

}  // namespace lockstep::machine
