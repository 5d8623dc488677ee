#include "launch/runner.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"

namespace lockstep::launch {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

Command shell(const std::string& name, const std::string& script) {
  return {.name = name, .argv = {"sh", "-c", script}};
}

std::vector<std::string> names(const Outcome& outcome) {
  std::vector<std::string> result;
  for (const Ended& ended : outcome.processes) result.push_back(ended.name);
  return result;
}

// The number that a process wrote into a file, once it is there.
pid_t id_in(const std::filesystem::path& file) {
  for (const double deadline = now() + 5; now() < deadline;) {
    if (std::filesystem::exists(file)) {
      if (const auto id = parse_int(trim(read_file(file)))) return static_cast<pid_t>(*id);
    }
    usleep(1000);
  }
  ADD_FAILURE() << file << " was not written";
  return 1;
}

// Whether the process ends within seconds; one that nobody has reaped yet has ended.
bool ends(pid_t id) {
  for (const double deadline = now() + 5; now() < deadline; usleep(1000)) {
    const std::filesystem::path stat = fmt::format("/proc/{}/stat", id);
    try {
      const std::string text = read_file(stat);
      if (text.substr(text.rfind(')') + 2, 1) == "Z") return true;
    } catch (const Error&) {
      return true;
    }
  }
  return false;
}

TEST(Runner, RunsCommandsSideBySideAndTellsHowTheyEnded) {
  const Outcome outcome = run(std::vector{shell("slow", "sleep 0.6"), shell("fast", "true"),
                                          shell("bad", "sleep 0.3; exit 7")},
                              {});
  EXPECT_THAT(names(outcome), ElementsAre("fast", "bad", "slow"));
  EXPECT_FALSE(outcome.ok());
  ASSERT_NE(outcome.first_failure(), nullptr);
  EXPECT_EQ(outcome.first_failure()->name, "bad");
  EXPECT_EQ(outcome.first_failure()->exit_code, 7);
  EXPECT_GE(outcome.processes[2].seconds, 0.6);
}

TEST(Runner, IsContentWhenAllIsWell) {
  const Outcome outcome = run(std::vector{shell("a", "true"), shell("b", "true")}, {});
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.first_failure(), nullptr);
}

TEST(Runner, TellsASignalAsAShellDoes) {
  const Outcome outcome = run(std::vector{shell("a", "kill -SEGV $$")}, {});
  EXPECT_EQ(outcome.processes[0].exit_code, 128 + SIGSEGV);
}

TEST(Runner, KeepsWhatIsSaidInOrder) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run(std::vector{shell("a", "echo 1; echo 2 >&2; echo 3; printf 4"), shell("b", "echo other")},
          {.log_dir = directory.path() / "logs" / "point"});
  EXPECT_EQ(read_file(directory.path() / "logs/point/a.log"), "1\n2\n3\n4");
  EXPECT_EQ(read_file(directory.path() / "logs/point/b.log"), "other\n");
}

TEST(Runner, KeepsAllOfALotOfOutput) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run(std::vector{shell("a", "seq 200000")}, {.log_dir = directory.path() / "logs"});
  EXPECT_EQ(std::filesystem::file_size(directory.path() / "logs/a.log"), 1288895);
  EXPECT_THAT(outcome.processes[0].tail, testing::EndsWith("\n199999\n200000"));
  EXPECT_LE(outcome.processes[0].tail.size(), 4096);
}

TEST(Runner, ShowsWholeLinesWithTheirNamesOnDemand) {
  testing::internal::CaptureStderr();
  run(std::vector{shell("node1", "printf 'a\\nb'; sleep 0.1; echo c; printf d")}, {.live = true});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "[node1] a\n[node1] bc\n[node1] d\n");
  testing::internal::CaptureStderr();
  run(std::vector{shell("node1", "echo a")}, {});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Runner, AddsToTheEnvironment) {
  Command command = shell("a", "echo $HOME $LOCKSTEP_RANK");
  command.environment = {{"LOCKSTEP_RANK", "3"}, {"HOME", "elsewhere"}};
  EXPECT_EQ(run(std::vector{command}, {}).processes[0].tail, "elsewhere 3");
}

TEST(Runner, EndsWhatTakesTooLong) {
  const double start = now();
  const Outcome outcome =
      run(std::vector{shell("a", "sleep 30"), shell("b", "true")}, {.time_limit = 0.2});
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.processes[1].exit_code, 128 + SIGTERM);
  EXPECT_LT(now() - start, 2);
}

TEST(Runner, KillsWhatDoesNotEndPolitely) {
  const double start = now();
  const Outcome outcome = run(std::vector{shell("a", "trap '' TERM; while :; do sleep 1; done")},
                              {.time_limit = 0.5, .patience = 0.2});
  EXPECT_EQ(outcome.processes[0].exit_code, 128 + SIGKILL);
  EXPECT_LT(now() - start, 2);
}

TEST(Runner, EndsWhatIsStopped) {
  const Outcome outcome = run(std::vector{shell("a", "kill -STOP $$")}, {.time_limit = 0.2});
  EXPECT_EQ(outcome.processes[0].exit_code, 128 + SIGTERM);
}

TEST(Runner, StopsWhenItIsTold) {
  const TemporaryDirectory directory;
  std::atomic<bool> stop = false;
  std::thread other([&] {
    id_in(directory.path() / "id");
    stop = true;
  });
  const Outcome outcome =
      run(std::vector{shell(
              "a", fmt::format("trap 'echo bye; exit 0' TERM; echo $$ >{}; sleep 30 & wait",
                               (directory.path() / "id").string()))},
          {.stop = &stop});
  other.join();
  EXPECT_TRUE(outcome.stopped);
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.processes[0].tail, "bye");
}

TEST(Runner, GivesTheOthersAWhileWhenOneHasFailed) {
  const Outcome outcome =
      run(std::vector{shell("bad", "exit 1"), shell("notices", "sleep 0.1; echo lost; exit 5"),
                      shell("hangs", "sleep 30")},
          {.grace = 1});
  EXPECT_THAT(names(outcome), ElementsAre("bad", "notices", "hangs"));
  EXPECT_EQ(outcome.processes[1].exit_code, 5);
  EXPECT_EQ(outcome.processes[2].exit_code, 128 + SIGTERM);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_FALSE(outcome.stopped);
}

TEST(Runner, TakesAProcessAtItsWordThatItHasFailed) {
  Command command =
      shell("a", "printf 'no error: here\nerr'; sleep 0.1; echo 'or: lost'; sleep 30");
  command.failure = "error: ";
  const Outcome outcome = run(std::vector{command}, {.grace = 0.1});
  EXPECT_EQ(outcome.processes[0].exit_code, 128 + SIGTERM);
  EXPECT_TRUE(outcome.processes[0].asked);
  EXPECT_EQ(outcome.processes[0].tail, "no error: here\nerror: lost");
}

TEST(FirstFailure, IsNoConsequenceOfAnother) {
  const Ended lost = {.name = "lost", .host = {}, .exit_code = 5, .tail = {}};
  const Ended killed = {.name = "killed", .host = {}, .exit_code = 137, .tail = {}};
  const Ended asked = {.name = "asked", .host = {}, .exit_code = 137, .asked = true, .tail = {}};
  const Ended well = {.name = "well", .host = {}, .tail = {}};
  const auto blamed = [](std::vector<Ended> processes) {
    return Outcome{.processes = std::move(processes)}.first_failure()->name;
  };
  EXPECT_EQ(blamed({well, lost, killed}), "killed");
  EXPECT_EQ(blamed({well, lost, asked}), "lost");
  EXPECT_EQ(blamed({well, asked}), "asked");
  EXPECT_EQ(Outcome{.processes = {well}}.first_failure(), nullptr);
}

TEST(Runner, EndsTheInputOfWhatWatchesIt) {
  Command command = shell("a", "trap 'exit 9' TERM; cat; echo end of input");
  command.ends_with_input = true;
  const Outcome outcome = run(std::vector{command}, {.time_limit = 0.2});
  EXPECT_EQ(outcome.processes[0].exit_code, 0);
  EXPECT_EQ(outcome.processes[0].tail, "end of input");
}

TEST(Runner, LeavesNothingOfAProcessGroup) {
  const TemporaryDirectory directory;
  run(std::vector{shell("a",
                        fmt::format("sleep 30 & echo $! >{}", (directory.path() / "id").string()))},
      {});
  EXPECT_TRUE(ends(id_in(directory.path() / "id")));
}

TEST(Runner, DoesNotWaitForWhoeverElseHasTheOutput) {
  const TemporaryDirectory directory;
  const double start = now();
  const Outcome outcome =
      run(std::vector{shell("a", fmt::format("setsid sh -c 'echo $$ >{0}; exec sleep 30' & "
                                             "while [ ! -s {0} ]; do sleep 0.01; done; echo done",
                                             (directory.path() / "id").string()))},
          {});
  EXPECT_EQ(outcome.processes[0].tail, "done");
  EXPECT_LT(now() - start, 2);
  kill(id_in(directory.path() / "id"), SIGKILL);
}

TEST(Runner, LeavesNothingWhenItIsKilledItself) {
  const TemporaryDirectory directory;
  const pid_t runner = fork();
  if (runner == 0) {
    run(std::vector{shell(
            "a", fmt::format("echo $$ >{}; exec sleep 30", (directory.path() / "id").string()))},
        {});
    _exit(0);
  }
  const pid_t process = id_in(directory.path() / "id");
  kill(runner, SIGKILL);
  waitpid(runner, nullptr, 0);
  EXPECT_TRUE(ends(process));
}

TEST(Runner, LeavesNoZombie) {
  run(std::vector{shell("a", "true"), shell("b", "false")}, {});
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Runner, StartsNothingWhenAProgramIsMissing) {
  const TemporaryDirectory directory;
  const std::vector<Command> commands = {
      shell("a", "touch " + (directory.path() / "started").string()),
      {.name = "b", .argv = {"no-such-program"}},
  };
  try {
    run(commands, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::launch);
    EXPECT_STREQ(error.what(), "cannot execute no-such-program: it is in no directory of PATH");
  }
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "started"));
}

TEST(Runner, NamesALogThatCannotBeWritten) {
  try {
    run(std::vector{shell("a", "true")}, {.log_dir = "/proc/none"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), StartsWith("cannot make the directory /proc/none: "));
  }
}

// A full disk loses the log, and nothing else.
TEST(Runner, GoesOnWithoutALogThatFillsTheDisk) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "logs");
  std::filesystem::create_symlink("/dev/full", directory.path() / "logs" / "a.log");
  const Outcome outcome = run(std::vector{shell("a", "echo 1; sleep 0.1; echo 2")},
                              {.log_dir = directory.path() / "logs"});
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.processes[0].tail, "1\n2");
}

TEST(Runner, IsNotDisturbedBySignalsThatAreHandled) {
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, &before);
  const pid_t runner = getpid();
  const Outcome outcome = run(
      std::vector{shell("a", fmt::format("for i in 1 2 3 4 5 6 7 8 9; do kill -USR1 {}; echo $i; "
                                         "sleep 0.01; done",
                                         runner))},
      {});
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.processes[0].tail, "1\n2\n3\n4\n5\n6\n7\n8\n9");
}

TEST(Runner, TellsEveryLineAsItComes) {
  std::vector<std::string> heard;
  const Outcome outcome = run(std::vector{shell("a", "echo one; echo two >&2; printf three")},
                              {.on_line = [&](const std::string& name, std::string_view line) {
                                heard.push_back(fmt::format("{}: {}", name, line));
                              }});
  EXPECT_THAT(heard, ElementsAre("a: one", "a: two", "a: three"));
  EXPECT_EQ(outcome.processes[0].tail, "one\ntwo\nthree");
}

}  // namespace
}  // namespace lockstep::launch
