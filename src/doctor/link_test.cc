#include "doctor/link.h"

#include <gmock/gmock.h>

namespace lockstep::doctor {
namespace {

using machine::Finding;
using machine::Level;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* kSaid =
    "warning: the load average is high\n"
    "{\n  \"rows\": [\n"
    "    {\"bytes\": 8, \"time_us\": 40.5, \"busbw_GBps\": 0.0001},\n"
    "    {\"bytes\": 8388608, \"time_us\": 35500, \"busbw_GBps\": 0.118}\n  ]\n}\n";

TEST(Pairs, AreNeighboursOnARing) {
  EXPECT_THAT(pairs_to_measure(0), IsEmpty());
  EXPECT_THAT(pairs_to_measure(1), IsEmpty());
  EXPECT_THAT(pairs_to_measure(2), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(pairs_to_measure(4), ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 3), Pair(3, 0)));
}

TEST(LinkCommands, StartOneRankOnEachHostWithTheProgramThatIsThere) {
  const spec::Host here{.name = "a", .address = "10.0.0.1", .ssh = "a", .here = true};
  const spec::Host there{.name = "b", .address = "10.0.0.2", .ssh = "b"};
  const launch::Site site{
      .hosts = {here, there}, .remote_dir = "/tmp/lockstep", .build = "1-2", .port = 4000};
  const auto commands = link_commands(here, there, site, "/bin/lockstep");
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].argv.front(), "sh");
  EXPECT_THAT(commands[0].argv.back(), HasSubstr("LOCKSTEP_COORDINATOR=10.0.0.1:4000"));
  EXPECT_THAT(commands[0].argv.back(), HasSubstr("LOCKSTEP_RANK=0"));
  EXPECT_THAT(commands[0].argv.back(), HasSubstr("/bin/lockstep comm "));
  EXPECT_EQ(commands[1].argv.front(), "ssh");
  EXPECT_THAT(commands[1].argv.back(), HasSubstr("LOCKSTEP_RANK=1"));
  EXPECT_THAT(commands[1].argv.back(), HasSubstr("/tmp/lockstep/lockstep-1-2/lockstep comm "));
  EXPECT_TRUE(commands[1].ends_with_input);
}

TEST(ReadLink, TakesTheRoundTripFromTheSmallAndTheRateFromTheLargeRow) {
  const Link link = read_link("a", "b", kSaid);
  EXPECT_EQ(link.failure, "");
  EXPECT_EQ(link.round_trip_us, 81);
  EXPECT_NEAR(link.megabytes_per_second, 118, 1e-9);
}

TEST(ReadLink, KeepsWhatWasSaidInstead) {
  EXPECT_EQ(read_link("a", "b", "warning: busy\nerror: cannot listen\nhint: look").failure,
            "cannot listen");
  EXPECT_EQ(read_link("a", "b", "Connection refused").failure, "Connection refused");
  EXPECT_EQ(read_link("a", "b", "").failure, "no answer");
  EXPECT_NE(read_link("a", "b", "{\n  \"rows\": [\n").failure, "");
  EXPECT_EQ(
      read_link("a", "b", "{\n\"rows\": [], \"error\": {\"message\": \"rank 1 on b was lost\"}\n}")
          .failure,
      "rank 1 on b was lost");
}

std::vector<Level> levels(const std::vector<std::vector<Finding>>& findings) {
  std::vector<Level> all;
  for (const auto& link : findings) {
    for (const Finding& finding : link) all.push_back(finding.level);
  }
  return all;
}

TEST(JudgeLinks, AreContentWithAFastNetwork) {
  const std::vector<Link> links = {{"a", "b", 1150, 60}, {"b", "c", 1100, 80}};
  const auto findings = judge_links(links);
  EXPECT_THAT(levels(findings), ElementsAre(Level::ok, Level::ok, Level::ok, Level::ok));
  EXPECT_EQ(findings[0][0].value, 1150);
  EXPECT_EQ(findings[0][0].unit, "MB/s");
  EXPECT_EQ(findings[0][1].value, 60);
  EXPECT_EQ(findings[0][1].unit, "us");
  EXPECT_EQ(findings[0][0].peer, "b");
}

TEST(JudgeLinks, NameTheOneThatIsSlowBesideTheOthers) {
  const std::vector<Link> links = {{"a", "b", 1150, 60}, {"b", "c", 118, 80}};
  const auto findings = judge_links(links);
  EXPECT_THAT(levels(findings), ElementsAre(Level::ok, Level::ok, Level::warning, Level::ok));
  EXPECT_THAT(findings[1][0].sentence, HasSubstr("where another link has 1150"));
}

TEST(JudgeLinks, WarnOfASlowAndDistantNetwork) {
  const std::vector<Link> links = {{"a", "b", 11, 4000}};
  EXPECT_THAT(levels(judge_links(links)), ElementsAre(Level::warning, Level::warning));
}

TEST(JudgeLinks, CallHostsThatDoNotReachEachOtherAProblem) {
  const std::vector<Link> links = {{.from = "a", .to = "b", .failure = "timed out"}};
  const auto findings = judge_links(links);
  EXPECT_THAT(levels(findings), ElementsAre(Level::problem));
  EXPECT_EQ(findings[0][0].sentence, "ranks on a and b do not reach each other: timed out");
}

}  // namespace
}  // namespace lockstep::doctor
