#include "machine/openmp_environment.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/affinity.h"
#include "base/error.h"
#include "machine/cores.h"

namespace lockstep::machine {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

std::optional<std::vector<std::string>> corrected(std::vector<std::string> environment) {
  return corrected_environment(environment);
}

TEST(CorrectedEnvironment, LosesWhatWouldBindTeamsToTheSamePlacesOrShrinkThem) {
  EXPECT_THAT(corrected({"HOME=/root", "OMP_PROC_BIND=close", "OMP_PLACES=cores",
                         "GOMP_CPU_AFFINITY=0-3", "OMP_DYNAMIC=true", "OMP_THREAD_LIMIT=2",
                         "OMP_MAX_ACTIVE_LEVELS=0", "OMP_NUM_THREADS=4", "GOMP_SPINCOUNT=5"}),
              Optional(ElementsAre("HOME=/root", "OMP_NUM_THREADS=4", "GOMP_SPINCOUNT=5")));
}

TEST(CorrectedEnvironment, GainsASpinCountUnlessThereIsOne) {
  EXPECT_THAT(corrected({"OMP_PLACES_OF_MINE=1"}),
              Optional(ElementsAre("OMP_PLACES_OF_MINE=1", "GOMP_SPINCOUNT=10000")));
  EXPECT_EQ(std::nullopt, corrected({"GOMP_SPINCOUNT=0", "OMP_WAIT_POLICY=active"}));
}

TEST(CorrectedEnvironment, NeedsNoSecondCorrection) {
  const auto once = corrected({"OMP_PLACES=threads"});
  ASSERT_TRUE(once);
  EXPECT_EQ(std::nullopt, corrected(*once));
}

constexpr const char* kChild = "LOCKSTEP_TEST_CHILD";

// What the tests below start: this program, which before its main corrects its environment, that
// is, starts once more; then prints its second argument, its processors and its environment and
// ends.
[[gnu::constructor]] void child(int, char** argv, char**) {
  if (std::getenv(kChild) == nullptr) return;
  correct_openmp_environment(argv);
  fmt::print("{}\nprocessors {}\n", argv[1], ranges(bound_processors()));
  for (char** variable = environ; *variable != nullptr; ++variable) std::puts(*variable);
  std::fflush(stdout);
  _exit(0);
}

// What the child prints with these variables ("A=1 B=2") in its environment.
std::string child_output(const std::string& variables) {
  const std::string command =
      fmt::format("env {}=1 {} /proc/{}/exe 'an argument'", kChild, variables, getpid());
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "no child";
  std::string output;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  EXPECT_EQ(0, pclose(pipe));
  return output;
}

TEST(CorrectOpenMpEnvironment, RunsTheProgramOnceMoreWithTheRightOne) {
  EXPECT_THAT(child_output("OMP_PROC_BIND=spread OMP_PLACES=cores GOMP_SPINCOUNT=77"),
              AllOf(HasSubstr("an argument\n"), HasSubstr("GOMP_SPINCOUNT=77\n"),
                    Not(HasSubstr("OMP_PROC_BIND")), Not(HasSubstr("OMP_PLACES")),
                    Not(HasSubstr("LOCKSTEP_OPENMP_CORRECTED"))));
}

class Binding : public testing::TestWithParam<const char*> {};

TEST_P(Binding, LeavesTheProgramAllItsProcessors) {
  EXPECT_THAT(child_output(GetParam()),
              HasSubstr(fmt::format("processors {}\n", ranges(bound_processors()))));
}

TEST_P(Binding, LeavesTheProgramNoMoreThanItWasGiven) {
  const int last = bound_processors().back();
  std::thread([&] {
    bind_thread({&last, 1});
    EXPECT_THAT(child_output(GetParam()), HasSubstr(fmt::format("processors {}\n", last)));
  }).join();
}

INSTANTIATE_TEST_SUITE_P(CorrectOpenMpEnvironment, Binding,
                         testing::Values("OMP_PROC_BIND=true", "OMP_PROC_BIND=close",
                                         "OMP_PLACES=cores", "OMP_PROC_BIND=true OMP_PLACES={0}",
                                         "GOMP_CPU_AFFINITY=0-1", "GOMP_CPU_AFFINITY=0",
                                         "GOMP_SPINCOUNT=1"));

}  // namespace
}  // namespace lockstep::machine
