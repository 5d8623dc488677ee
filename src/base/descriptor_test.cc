#include "base/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

int opened() {
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

TEST(Descriptor, ClosesWhatItOwns) {
  const int fd = opened();
  {
    const Descriptor owner(fd);
    EXPECT_TRUE(owner);
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(Descriptor, ClosesTheOldOneWhenItTakesANewOne) {
  const int first = opened(), second = opened();
  Descriptor owner(first);
  owner = Descriptor(second);
  EXPECT_FALSE(is_open(first));
  EXPECT_TRUE(is_open(second));
}

TEST(Descriptor, LeavesOpenWhatItReleases) {
  Descriptor owner(opened());
  const Descriptor next(owner.release());
  EXPECT_FALSE(owner);
  EXPECT_TRUE(is_open(next.get()));
}

}  // namespace
}  // namespace lockstep
