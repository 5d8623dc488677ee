#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace lockstep::machine {

// The energy that the processor packages of this machine take, whoever computes on them, by the
// counters that the kernel shows (RAPL). `root` is where /sys is looked for.
class EnergyMeter {
 public:
  explicit EnergyMeter(const std::filesystem::path& root = "/");

  // Counts from here on.
  void start();
  // Adds what was taken since the last look. A counter begins anew after some minutes, so look in
  // between; that it has done so once is seen.
  void look();
  // Between the start and the last look. Nothing: the machine does not tell, or not to us; or its
  // counters stand still, as in some virtual machines.
  std::optional<double> joules() const;

 private:
  struct Package {
    std::filesystem::path counter;
    std::int64_t range = 0;  // the largest that it shows, in microjoules
    std::int64_t last = 0;
  };
  // Reads all counters; `advanced` hears by how much each went on. Without all of them there is no
  // sum.
  template <typename Advanced>
  void read(const Advanced& advanced);

  std::vector<Package> packages_;
  std::optional<double> joules_;
};

}  // namespace lockstep::machine
