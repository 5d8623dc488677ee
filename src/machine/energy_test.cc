#include "machine/energy.h"

#include <gtest/gtest.h>

#include "machine/fake_root.h"

namespace lockstep::machine {
namespace {

const std::string kZones = "sys/class/powercap/";

void put_zone(FakeRoot& root, const std::string& zone, const std::string& name,
              const std::string& microjoules) {
  root.put(kZones + zone + "/name", name);
  root.put(kZones + zone + "/max_energy_range_uj", "1000000000");
  root.put(kZones + zone + "/energy_uj", microjoules);
}

TEST(EnergyMeter, AddsUpPackagesAndNothingElse) {
  FakeRoot root;
  put_zone(root, "intel-rapl:0", "package-0", "100000000");
  put_zone(root, "intel-rapl:1", "package-1", "5000000");
  put_zone(root, "intel-rapl:0:0", "core", "0");
  put_zone(root, "intel-rapl:2", "psys", "0");
  put_zone(root, "intel-rapl-mmio:0", "package-0", "0");
  EnergyMeter meter(root.path());
  EXPECT_FALSE(meter.joules());  // not before it is started
  meter.start();
  for (const char* zone : {"intel-rapl:0:0", "intel-rapl:2", "intel-rapl-mmio:0"}) {
    root.put(kZones + zone + "/energy_uj", "900000000");
  }
  root.put(kZones + "intel-rapl:0/energy_uj", "130000000");
  root.put(kZones + "intel-rapl:1/energy_uj", "7500000");
  meter.look();
  EXPECT_DOUBLE_EQ(meter.joules().value(), 30 + 2.5);
}

TEST(EnergyMeter, SeesThatACounterHasBegunAnew) {
  FakeRoot root;
  put_zone(root, "intel-rapl:0", "package-0", "990000000");
  EnergyMeter meter(root.path());
  meter.start();
  meter.look();
  EXPECT_FALSE(meter.joules());  // nothing takes no energy
  for (const char* value : {"4000000", "700000000", "1000000"}) {
    root.put(kZones + "intel-rapl:0/energy_uj", value);
    meter.look();
  }
  EXPECT_DOUBLE_EQ(meter.joules().value(), 14 + 696 + 301);
}

TEST(EnergyMeter, KnowsNothingWhereOneCounterIsNotReadable) {
  FakeRoot root;
  EXPECT_FALSE(EnergyMeter(root.path()).joules());
  put_zone(root, "intel-rapl:0", "package-0", "1");
  put_zone(root, "intel-rapl:1", "package-1", "");  // as for those who are not root
  EnergyMeter meter(root.path());
  meter.start();
  meter.look();
  EXPECT_FALSE(meter.joules());
}

}  // namespace
}  // namespace lockstep::machine
