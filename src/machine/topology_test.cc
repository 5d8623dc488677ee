#include "machine/topology.h"

#include <gmock/gmock.h>
#include <hwloc.h>

#include <memory>
#include <numeric>
#include <string>
#include <type_traits>

#include "base/error.h"

namespace lockstep::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Loaded = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

// A machine in hwloc's notation; its processors are numbered in order unless it says otherwise.
Loaded load(const std::string& description) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  EXPECT_EQ(0, hwloc_topology_set_synthetic(topology, description.c_str()));
  EXPECT_EQ(0, hwloc_topology_load(topology));
  return Loaded(topology);
}

Topology machine(const std::string& description) {
  return read_topology(load(description).get());
}

std::vector<int> first(int processors) {
  std::vector<int> mask(static_cast<std::size_t>(processors));
  std::iota(mask.begin(), mask.end(), 0);
  return mask;
}

TEST(Topology, KeepsTheHardwareThreadsOfACoreTogether) {
  const Topology two_by_two = machine("pack:2 core:2 pu:2");
  EXPECT_THAT(two_by_two.cores, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5),
                                            ElementsAre(6, 7)));
  EXPECT_EQ(1, two_by_two.numa_nodes);
}

TEST(Topology, FollowsTheMachineAndNotTheNumbersOfItsProcessors) {
  // As Linux numbers many servers: all first hardware threads before all second ones.
  EXPECT_THAT(
      machine("pack:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)").cores,
      ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_EQ(4, machine("numa:4 core:2 pu:1").numa_nodes);
}

TEST(Topology, PutsTheFastCoresOfAHybridProcessorFirst) {
  const Loaded hybrid = load("core:4 pu:1");
  for (const unsigned efficiency : {0U, 1U}) {
    const hwloc_bitmap_t kind = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(kind, 2 * efficiency, static_cast<int>(2 * efficiency + 1));
    const int forced = static_cast<int>(efficiency);
    ASSERT_EQ(0, hwloc_cpukinds_register(hybrid.get(), kind, forced, 0, nullptr, 0));
    hwloc_bitmap_free(kind);
  }
  EXPECT_THAT(read_topology(hybrid.get()).cores,
              ElementsAre(ElementsAre(2), ElementsAre(3), ElementsAre(0), ElementsAre(1)));
}

TEST(Topology, OfThisMachineHoldsEveryProcessorThatWeMayUse) {
  const Topology here = topology();
  EXPECT_GE(here.numa_nodes, 1);
  const Allowed ours = allowed();
  EXPECT_GE(ours.usable, 1);
  EXPECT_LE(ours.usable, ours.cores);
  EXPECT_LE(ours.cores, static_cast<int>(ours.processors.size()));
  EXPECT_LE(ours.cores, static_cast<int>(here.cores.size()));
}

TEST(Allowed, TakesOneHardwareThreadOfEveryCoreFirst) {
  const Allowed all = allowed_on(machine("core:3 pu:2"), first(6), 0);
  EXPECT_THAT(all.processors, ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_EQ(3, all.cores);
  EXPECT_EQ(3, all.usable);
}

TEST(Allowed, KeepsToTheAffinityMask) {
  const std::vector<int> mask = {1, 2, 3, 7};
  const Allowed part = allowed_on(machine("core:4 pu:2"), mask, 0);
  EXPECT_THAT(part.processors, ElementsAre(1, 2, 7, 3));
  EXPECT_EQ(3, part.cores);
  EXPECT_EQ(3, part.usable);
}

TEST(Allowed, GivesWholeProcessorsOfTheQuotaAndAtLeastOne) {
  const Topology eight = machine("core:8 pu:1");
  const auto usable = [&](double quota) { return allowed_on(eight, first(8), quota).usable; };
  EXPECT_EQ(8, usable(0));
  EXPECT_EQ(8, usable(64));
  EXPECT_EQ(7, usable(7.99));
  EXPECT_EQ(2, usable(2));
  EXPECT_EQ(1, usable(1.5));
  EXPECT_EQ(1, usable(0.25));
}

TEST(Allowed, RefusesAMachineWithoutOurProcessors) {
  const std::vector<int> mask = {8, 9};
  EXPECT_THROW(allowed_on(machine("core:8 pu:1"), mask, 0), Error);
}

TEST(Place, DividesTheCoresEvenlyByDefault) {
  const Allowed eight = allowed_on(machine("pack:2 core:4 pu:2"), first(16), 0);
  EXPECT_THAT(place(eight, 1, 0), ElementsAre(ElementsAre(0, 2, 4, 6, 8, 10, 12, 14)));
  EXPECT_THAT(place(eight, 2, 0), ElementsAre(ElementsAre(0, 2, 4, 6), ElementsAre(8, 10, 12, 14)));
  EXPECT_THAT(place(eight, 3, 0),
              ElementsAre(ElementsAre(0, 2), ElementsAre(4, 6), ElementsAre(10, 12)));
}

TEST(Place, StartsSmallDevicesAtTheirShareOfTheMachine) {
  const Allowed eight = allowed_on(machine("pack:2 core:4 pu:1"), first(8), 0);
  EXPECT_THAT(place(eight, 2, 3), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(4, 5, 6)));
  EXPECT_THAT(place(eight, 2, 1), ElementsAre(ElementsAre(0), ElementsAre(4)));
}

TEST(Place, HandsOutNoMoreThanTheQuotaPaysFor) {
  const Allowed three = allowed_on(machine("core:8 pu:1"), first(8), 3.5);
  EXPECT_THAT(place(three, 1, 0), ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_THAT(place(three, 3, 1), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

TEST(Place, GivesEveryCoreToOneDeviceOnly) {
  for (int cores = 1; cores <= 9; ++cores) {
    const Topology topology = machine("core:" + std::to_string(cores) + " pu:1");
    const Allowed all = allowed_on(topology, first(cores), 0);
    for (int devices = 1; devices <= cores; ++devices) {
      for (int threads = 1; threads <= cores / devices; ++threads) {
        std::vector<int> uses(static_cast<std::size_t>(cores));
        for (const auto& group : place(all, devices, threads)) {
          EXPECT_EQ(static_cast<std::size_t>(threads), group.size());
          for (const int p : group) EXPECT_EQ(1, ++uses[static_cast<std::size_t>(p)]);
        }
      }
    }
  }
}

// The message and the hint of the Error that placing throws.
std::string refusal(const Allowed& allowed, int devices, int threads) {
  try {
    place(allowed, devices, threads);
  } catch (const Error& error) {
    EXPECT_EQ(ExitCode::usage, error.code());
    return std::string(error.what()) + "\n" + error.hint();
  }
  return "placed";
}

TEST(Place, ShowsTheArithmeticOfWhatDoesNotFit) {
  const Allowed two = allowed_on(machine("core:2 pu:2"), first(4), 0);
  EXPECT_THAT(refusal(two, 4, 2), HasSubstr("4 devices x 2 threads need 8 cores, 2 are allowed\n"));
  EXPECT_THAT(refusal(two, 1, 3), HasSubstr("1 device x 3 threads needs 3 cores, 2 are allowed\n"));
  EXPECT_THAT(refusal(two, 3, 0), HasSubstr("3 devices need at least 3 cores, 2 are allowed\n"));
  EXPECT_THAT(refusal(two, 3, 1), HasSubstr("may run on processors 0-3"));
}

TEST(Place, NamesTheQuotaThatLimitsIt) {
  const Allowed one = allowed_on(machine("core:8 pu:1"), first(8), 1.5);
  EXPECT_THAT(refusal(one, 2, 1), HasSubstr("2 devices x 1 thread need 2 cores, 1 is allowed\n"));
  EXPECT_THAT(refusal(one, 2, 1), HasSubstr("a CPU quota of 1.5 pays for 1 of 8 cores"));
}

TEST(Ranges, AreWrittenAsLinuxWritesThem) {
  EXPECT_EQ("", ranges({}));
  EXPECT_EQ("5", ranges(std::vector<int>{5}));
  EXPECT_EQ("0-3,8", ranges(std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ("0-1,4,6-7", ranges(std::vector<int>{6, 0, 4, 1, 7}));
}

}  // namespace
}  // namespace lockstep::machine
