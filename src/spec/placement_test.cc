#include "spec/placement.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep::spec {
namespace {

using testing::ElementsAre;

Host node(const std::string& name, int slots = 0) {
  return {.name = name, .address = name, .slots = slots};
}

std::string refusal(const Hosts& hosts, int devices) {
  try {
    place(hosts, devices);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_FALSE(error.hint().empty()) << error.what();
    return error.what();
  }
  return "accepted";
}

TEST(Placement, FillsHostsInOrder) {
  const Hosts hosts = {node("a", 8), node("b", 8)};
  EXPECT_THAT(place(hosts, 1), ElementsAre(1, 0));
  EXPECT_THAT(place(hosts, 8), ElementsAre(8, 0));
  EXPECT_THAT(place(hosts, 12), ElementsAre(8, 4));
  EXPECT_THAT(place(hosts, 16), ElementsAre(8, 8));
  EXPECT_THAT(place({node("a", 1), node("b", 3), node("c", 2)}, 5), ElementsAre(1, 3, 1));
}

TEST(Placement, SharesDevicesEvenlyAmongHostsThatDoNotTellTheirSlots) {
  const Hosts hosts = {node("a"), node("b"), node("c")};
  EXPECT_THAT(place(hosts, 1), ElementsAre(1, 0, 0));
  EXPECT_THAT(place(hosts, 3), ElementsAre(1, 1, 1));
  EXPECT_THAT(place(hosts, 5), ElementsAre(2, 2, 1));
  EXPECT_THAT(place({node("a"), node("b", 2), node("c")}, 5), ElementsAre(2, 2, 1));
}

TEST(Placement, OfMoreDevicesThanSlotsIsRefusedWithTheSum) {
  EXPECT_EQ(refusal({node("a", 8), node("b", 4)}, 13),
            "13 devices do not fit on 12 slots: 8 on a + 4 on b");
  EXPECT_EQ(refusal({node("a", 1)}, 2), "2 devices do not fit on 1 slot: 1 on a");
  EXPECT_EQ(refusal({node("a", 1)}, 0), "0 devices are none");
}

}  // namespace
}  // namespace lockstep::spec
