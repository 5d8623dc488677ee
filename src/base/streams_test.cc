#include "base/streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace lockstep {
namespace {

// In a process of its own: the streams are everybody's.
template <typename Body>
void expect_survives(const Body& body) {
  EXPECT_EXIT(
      {
        body();
        std::_Exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

void replace(int fd, const char* path) {
  dup2(open(path, O_WRONLY), fd);
}

TEST(Streams, LoseMessagesThatCannotBeWritten) {
  expect_survives([] {
    replace(STDERR_FILENO, "/dev/full");
    print_message("{}\n", 1);
    write_message("2\n");
  });
}

TEST(Streams, RememberWhyOutputIsMissing) {
  expect_survives([] {
    replace(STDOUT_FILENO, "/dev/full");
    print_output("{}\n", 1);
    flush_output();
    if (output_error() != ENOSPC) std::_Exit(1);
    if (take_output_error() != ENOSPC || output_error() != 0) std::_Exit(2);
  });
}

TEST(Streams, DoNotEndWithAPipeThatNobodyReads) {
  expect_survives([] {
    guard_standard_streams();
    int ends[2];
    if (pipe(ends) != 0) std::_Exit(1);
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    write_message("lost\n");
    write_output("lost, too\n");
    flush_output();
    if (output_error() != EPIPE) std::_Exit(2);
  });
}

TEST(Streams, KeepTheNumbersOfClosedOnesFromFiles) {
  expect_survives([] {
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    guard_standard_streams();
    if (open("/dev/null", O_WRONLY) <= STDERR_FILENO) std::_Exit(1);
    print_output("x");
    flush_output();
    if (output_error() != EBADF) std::_Exit(2);
  });
}

}  // namespace
}  // namespace lockstep
