#include "comm/tcp/address.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep::comm::tcp {
namespace {

TEST(Address, IsAHostAndAPort) {
  for (const char* text : {"node1:2222", "10.0.0.7:0", "[fd00::2]:65535", ":2222"}) {
    EXPECT_EQ(text, to_string(parse_address(text)));
  }
  EXPECT_EQ("fd00::2", parse_address("[fd00::2]:1").host);
  EXPECT_EQ("1", parse_address("[fd00::2]:1").port);
}

TEST(Address, IsRefusedWithoutAPortThatExists) {
  for (const char* text :
       {"", "node1", "node1:", "node1:ssh", "node1:65536", "node1:-1", "fd00::2"}) {
    EXPECT_THROW(parse_address(text), Error) << text;
  }
}

TEST(InterfaceAddress, IsFoundByNameAndByNetwork) {
  EXPECT_EQ("127.0.0.1", interface_address("lo"));
  EXPECT_EQ("127.0.0.1", interface_address("127.0.0.0/8"));
}

TEST(InterfaceAddress, ThatIsMissingListsThoseThatExist) {
  for (const char* network : {"nosuch0", "203.0.113.0/24", "fd12:3456::/64"}) {
    try {
      interface_address(network);
      FAIL() << network;
    } catch (const Error& error) {
      EXPECT_EQ(ExitCode::usage, error.code());
      EXPECT_THAT(error.what(), testing::HasSubstr(network));
      EXPECT_THAT(error.hint(), testing::HasSubstr("lo (127.0.0.1)"));
    }
  }
}

}  // namespace
}  // namespace lockstep::comm::tcp
