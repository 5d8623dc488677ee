#include "launch/remote.h"

#include <gmock/gmock.h>

#include "launch/here.h"
#include "launch/runner.h"

namespace lockstep::launch {
namespace {

using testing::Contains;

// What becomes of the lines, when their input ends after a while, or never.
Ended run_lines(const std::vector<std::string>& lines, double input_ends = 0) {
  const spec::Host here = {.name = "here", .address = "localhost", .here = true};
  const Command command = {.name = "here",
                           .argv = on_host(here, {}, run_until_input_ends(lines)),
                           .ends_with_input = true};
  return run(std::vector{command}, {.time_limit = input_ends}).processes.at(0);
}

TEST(LinesOnAHost, RunSideBySideToTheirEnd) {
  const Ended ended = run_lines({"sh -c 'sleep 0.4; echo second'", "echo first"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.tail, "first\nsecond");
}

TEST(LinesOnAHost, EndWithTheCodeOfOneThatFailed) {
  EXPECT_EQ(run_lines({"true", "sh -c 'exit 5'", "true"}).exit_code, 5);
}

TEST(LinesOnAHost, ReadNothing) {
  EXPECT_EQ(run_lines({"sh -c 'cat; echo end'"}).tail, "end");
}

TEST(LinesOnAHost, AreEndedPolitelyWhenTheirInputEnds) {
  const Ended ended =
      run_lines({"sh -c 'trap \"echo bye; exit 3\" TERM; sleep 30 & wait'", "sleep 30"}, 0.5);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.tail, testing::StartsWith("bye"));  // shells tell of the other, too
  EXPECT_LT(ended.seconds, 3);
}

TEST(Ranks, OfAllCommandsGetOneTokenThatNoCommandShows) {
  const spec::Host here = {.name = "here", .address = "localhost", .here = true};
  const std::string say = "sh -c 'echo $LOCKSTEP_TOKEN'";
  const std::vector<Command> commands = {
      {.name = "by_input",
       .argv = on_host(here, {}, run_ranks_until_input_ends({say, say})),
       .token = Command::Token::input,
       .ends_with_input = true},
      {.name = "by_environment",
       .argv = {"sh", "-c", "echo $LOCKSTEP_TOKEN"},
       .token = Command::Token::environment},
      {.name = "without", .argv = {"sh", "-c", "echo ${LOCKSTEP_TOKEN-none}"}}};
  std::map<std::string, std::string> said;
  for (const Ended& ended : run(commands, {}).processes) said[ended.name] = ended.tail;
  const std::string token = said["by_environment"];
  EXPECT_EQ(32U, token.size());
  EXPECT_EQ(said["by_input"], token + "\n" + token);
  EXPECT_EQ(said["without"], "none");
  for (const Command& command : commands) {
    EXPECT_EQ(shell_line(command).find(token), std::string::npos);
  }
  EXPECT_NE(run({&commands[1], 1}, {}).processes.at(0).tail, token);
}

TEST(SshWords, QuoteTheScriptForTheHostsShell) {
  const spec::Host host = {.name = "node1", .address = "node1", .ssh = "node1"};
  EXPECT_EQ(on_host(host, {}, "echo 'a b'").back(), R"(exec sh -c 'echo '\''a b'\''')");
}

TEST(OwnNames, HaveTheLoopbackAndTheName) {
  const std::vector<std::string> names = own_names();
  EXPECT_THAT(names, Contains("localhost"));
  EXPECT_THAT(names, Contains("127.0.0.1"));
  EXPECT_GT(names.size(), 3);
}

}  // namespace
}  // namespace lockstep::launch
