#include "mpi/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/tcp.h"

namespace lockstep::mpi {
namespace {

using ::testing::Optional;

TEST(OwnAddresses, LeaveLoopbackOut) {
  for (const std::string& address : own_addresses()) {
    EXPECT_FALSE(address.starts_with("127.") || address == "::1") << address;
  }
}

TEST(FirstReachable, FindsTheOneThatListens) {
  const comm::Listener listener("127.0.0.2:0");
  const std::vector<std::string> addresses = {"127.0.0.1", "::1", "127.0.0.2"};
  EXPECT_THAT(first_reachable(addresses, std::to_string(listener.port()), 5),
              Optional(std::string("127.0.0.2")));
}

TEST(FirstReachable, FindsNoneWhereAllRefuse) {
  const comm::Listener listener("127.0.0.2:0");
  const std::vector<std::string> addresses = {"127.0.0.1", "127.0.0.3", "not an address"};
  EXPECT_EQ(first_reachable(addresses, std::to_string(listener.port()), 5), std::nullopt);
}

}  // namespace
}  // namespace lockstep::mpi
