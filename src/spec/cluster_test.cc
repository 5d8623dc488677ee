#include "spec/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/usage_error_for_test.h"

namespace lockstep::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string error_of_list(std::string_view list) {
  return usage_error_of([&] { parse_hosts(list, 2230); });
}

TEST(Hosts, HavePortsOrTheDefaultOnes) {
  EXPECT_THAT(parse_hosts("a:2222,b", 2230), ElementsAre(Address{"a", 2222}, Address{"b", 2230}));
  EXPECT_THAT(parse_hosts(" 10.0.0.1 , node-2.lan:1 ", 2222),
              ElementsAre(Address{"10.0.0.1", 2222}, Address{"node-2.lan", 1}));
  EXPECT_THAT(parse_hosts("", 2222), IsEmpty());
  for (const char* blank : {" ", "\t", ",", " , "}) {
    EXPECT_THAT(usage_error_of([&] { parse_hosts(blank, 2222); }),
                HasSubstr("the name is missing"));
  }
}

TEST(Hosts, CountPortsUpWhereAHostHasSeveralProcesses) {
  EXPECT_THAT(parse_hosts("a,b,a,a", 2230), ElementsAre(Address{"a", 2230}, Address{"b", 2230},
                                                        Address{"a", 2231}, Address{"a", 2232}));
}

TEST(Hosts, MayBeIpv6Addresses) {
  const std::vector<Address> expected = {{"fe80::1", 2222}, {"::1", 2230}, {"::2", 2230}};
  EXPECT_EQ(parse_hosts("[fe80::1]:2222,[::1],::2", 2230), expected);
}

TEST(Hosts, PrintAndParseBack) {
  for (const char* text : {"a:1", "10.0.0.1:65535", "[fe80::1]:2222", "[::]:80"}) {
    EXPECT_EQ(to_string(parse_address(text, 7)), text);
  }
}

TEST(Hosts, AreRefusedWithTheEntryThatIsWrong) {
  EXPECT_EQ(error_of_list("a,b:x"), "host 'b:x': expected a port from 1 to 65535");
  EXPECT_EQ(error_of_list("a:0"), "host 'a:0': expected a port from 1 to 65535");
  EXPECT_EQ(error_of_list("a:65536"), "host 'a:65536': expected a port from 1 to 65535");
  EXPECT_EQ(error_of_list("a:"), "host 'a:': expected a port from 1 to 65535");
  EXPECT_EQ(error_of_list("a,,b"), "host '': the name is missing");
  EXPECT_EQ(error_of_list("a,"), "host '': the name is missing");
  EXPECT_EQ(error_of_list(":2222"), "host ':2222': the name is missing");
  EXPECT_EQ(error_of_list("a b"), "host 'a b': this is no name");
  EXPECT_EQ(error_of_list("user@a"), "host 'user@a': this is no name");
  EXPECT_EQ(error_of_list("grpc://a:1"), "host 'grpc://a:1': this is no name");
  EXPECT_EQ(error_of_list("[::1"), "host '[::1': a bracket is not closed");
  EXPECT_EQ(error_of_list("[::1]2"), "host '[::1]2': expected a colon behind the bracket");
  EXPECT_EQ(error_of_list("a:1,b,a:1"), "host 'a:1': a:1 is there already");
  EXPECT_EQ(error_of_list("a:2231,a"), "host 'a': a:2231 is there already");
}

TEST(Members, KeepTheJobsOfOneHostApart) {
  const Members all = members({.worker_hosts = "a,a", .ps_hosts = "a", .controller_host = "a"});
  EXPECT_THAT(all.workers, ElementsAre(Address{"a", 2230}, Address{"a", 2231}));
  EXPECT_THAT(all.servers, ElementsAre(Address{"a", 2222}));
  EXPECT_EQ(all.controller, (Address{"a", 2221}));
  EXPECT_EQ(members({}).controller, std::nullopt);
}

TEST(Members, NeverShareAnAddress) {
  EXPECT_THAT(usage_error_of([] { members({.worker_hosts = "a:1", .ps_hosts = "b,a:1"}); }),
              HasSubstr("host 'a:1': a worker and a parameter server"));
  EXPECT_THAT(usage_error_of([] { members({.worker_hosts = "a:1", .controller_host = "a:1"}); }),
              HasSubstr("host 'a:1': the controller"));
  EXPECT_THAT(usage_error_of([] { members({.ps_hosts = "a:1", .controller_host = "a:1"}); }),
              HasSubstr("host 'a:1': the controller"));
}

}  // namespace
}  // namespace lockstep::spec
