#include "machine/disk.h"

#include <gmock/gmock.h>

#include "machine/fake_root.h"

namespace lockstep::machine {
namespace {

TEST(Disk, OfADirectoryThatIsStillToBeMadeIsTheOneAboveIt) {
  const FakeRoot root;
  const Disk found = disk(root.path() / "results/sweep 1/");
  EXPECT_EQ(found.directory, root.path());
  EXPECT_GT(found.free_bytes, 0);
  EXPECT_EQ(found.refusal, "");
  EXPECT_TRUE(std::filesystem::is_empty(root.path()));
}

TEST(Disk, SaysWhyNothingCanBeWritten) {
  EXPECT_NE(disk("/proc/results").refusal, "");
  FakeRoot root;
  root.put("file", "");
  EXPECT_EQ(disk(root.path() / "file").refusal, "Not a directory");
}

}  // namespace
}  // namespace lockstep::machine
