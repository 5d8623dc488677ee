#include "machine/energy.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/text.h"
#include "machine/kernel_file.h"

namespace lockstep::machine {
namespace {

namespace fs = std::filesystem;

// "intel-rapl:1", on AMD's processors, too. Its parts are "intel-rapl:1:0", and the same package by
// another way is "intel-rapl-mmio:1": both would count twice. The whole platform is named "psys".
bool is_package(const fs::path& zone) {
  const std::string name = zone.filename().string();
  return name.starts_with("intel-rapl:") && std::ranges::count(name, ':') == 1 &&
         kernel_file(zone / "name").starts_with("package");
}

}  // namespace

EnergyMeter::EnergyMeter(const fs::path& root) {
  std::error_code none;
  fs::directory_iterator zone(root / "sys/class/powercap", none);
  for (; !none && zone != fs::directory_iterator(); zone.increment(none)) {
    if (!is_package(zone->path())) continue;
    packages_.push_back(
        {.counter = zone->path() / "energy_uj",
         .range = parse_int(kernel_file(zone->path() / "max_energy_range_uj")).value_or(0)});
  }
}

template <typename Advanced>
void EnergyMeter::read(const Advanced& advanced) {
  for (Package& package : packages_) {
    const auto value = parse_int(kernel_file(package.counter));
    if (!value || *value < 0 || package.range <= 0) {
      packages_.clear();
      joules_.reset();
      return;
    }
    std::int64_t microjoules = *value - package.last;
    if (microjoules < 0) microjoules += package.range;
    package.last = *value;
    advanced(microjoules);
  }
}

void EnergyMeter::start() {
  if (!packages_.empty()) joules_ = 0;
  read([](std::int64_t) {});
}

void EnergyMeter::look() {
  if (!joules_) return;
  read([&](std::int64_t microjoules) { *joules_ += 1e-6 * static_cast<double>(microjoules); });
}

std::optional<double> EnergyMeter::joules() const {
  return joules_ && *joules_ > 0 ? joules_ : std::nullopt;
}

}  // namespace lockstep::machine
