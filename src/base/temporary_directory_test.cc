#include "base/temporary_directory.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryDirectory, IsNewAndGoneWithAllThatIsInIt) {
  fs::path path;
  {
    const TemporaryDirectory directory("two words"), other("two words");
    path = directory.path();
    EXPECT_NE(path, other.path());
    EXPECT_TRUE(path.filename().string().starts_with("two words"));
    fs::create_directory(path / "inner");
    write_file(path / "inner/file", "text");
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace lockstep
