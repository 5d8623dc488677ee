#include "machine/openmp_environment.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

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

TEST(CorrectedEnvironment, LosesWhatWouldBindTeamsToTheSamePlaces) {
  EXPECT_THAT(corrected({"HOME=/root", "OMP_PROC_BIND=close", "OMP_PLACES=cores",
                         "GOMP_CPU_AFFINITY=0-3", "OMP_DYNAMIC=true", "OMP_THREAD_LIMIT=2",
                         "OMP_NUM_THREADS=4", "GOMP_SPINCOUNT=5"}),
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

// What the test below starts: this program, which before its main corrects its environment, that
// is, starts once more; then prints its second argument and its environment and ends.
[[gnu::constructor]] void child(int, char** argv, char**) {
  if (std::getenv(kChild) == nullptr) return;
  correct_openmp_environment(argv);
  std::puts(argv[1]);
  for (char** variable = environ; *variable != nullptr; ++variable) std::puts(*variable);
  std::fflush(stdout);
  _exit(0);
}

TEST(CorrectOpenMpEnvironment, RunsTheProgramOnceMoreWithTheRightOne) {
  const std::string command = fmt::format(
      "env {}=1 OMP_PROC_BIND=spread OMP_PLACES=cores GOMP_SPINCOUNT=77 /proc/{}/exe 'an argument'",
      kChild, getpid());
  FILE* child_output = popen(command.c_str(), "r");
  ASSERT_NE(nullptr, child_output);
  std::string output;
  for (int c = 0; (c = std::fgetc(child_output)) != EOF;) output += static_cast<char>(c);
  EXPECT_EQ(0, pclose(child_output));
  EXPECT_THAT(output, AllOf(HasSubstr("an argument\n"), HasSubstr("GOMP_SPINCOUNT=77\n"),
                            Not(HasSubstr("OMP_PROC_BIND")), Not(HasSubstr("OMP_PLACES")),
                            Not(HasSubstr("LOCKSTEP_OPENMP_CORRECTED"))));
}

}  // namespace
}  // namespace lockstep::machine
