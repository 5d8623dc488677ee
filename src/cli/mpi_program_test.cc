#include "cli/mpi_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/directory_for_test.h"
#include "base/error.h"
#include "base/files.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

class MpiProgram : public DirectoryTest {
 protected:
  [[noreturn]] void become() {
    char name[] = "lockstep", verb[] = "run", flag[] = "--model=two words";
    char* argv[] = {name, verb, flag, nullptr};
    become_mpi_program(directory_ / "lockstep", argv);
  }
};

TEST_F(MpiProgram, TakesOverWithTheSameArguments) {
  const fs::path program = directory_ / "lockstep-mpi";
  write_file(program,
             "#!/bin/sh\n[ $# = 2 ] && [ \"$1 $2\" = 'run --model=two words' ] && exit 7\n");
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_EXIT(become(), ::testing::ExitedWithCode(7), "");
}

TEST_F(MpiProgram, IsMissedClearly) {
  try {
    become();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), ::testing::HasSubstr((directory_ / "lockstep-mpi").string()));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("No such file"));
    EXPECT_THAT(error.hint(), ::testing::Not(::testing::IsEmpty()));
  }
}

TEST(ThisProgram, IsTheOneThatRuns) {
  EXPECT_EQ(this_program().filename(), "cli_test");
}

}  // namespace
}  // namespace lockstep::cli
