#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace lockstep::data {

// A test with a directory of its own, which is gone afterwards.
class DirectoryTest : public testing::Test {
 protected:
  DirectoryTest() {
    std::string name = (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
    EXPECT_NE(nullptr, mkdtemp(name.data()));
    directory_ = name;
  }
  ~DirectoryTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

}  // namespace lockstep::data
