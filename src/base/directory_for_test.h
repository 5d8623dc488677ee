#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>

#include "base/temporary_directory.h"

namespace lockstep {

// A test with a directory of its own, which is gone afterwards.
class DirectoryTest : public testing::Test {
 protected:
  explicit DirectoryTest(std::string_view name = "lockstep") : temporary_(name) {}

 private:
  const TemporaryDirectory temporary_;

 protected:
  const std::filesystem::path directory_ = temporary_.path();
};

}  // namespace lockstep
