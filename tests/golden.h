#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/files.h"

namespace lockstep {

// Compares text with a file of the source tree, or rewrites the file when the environment variable
// LOCKSTEP_UPDATE_GOLDEN is set: look at the difference before you commit it.
inline void expect_golden(const std::string& path, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / path;
  if (std::getenv("LOCKSTEP_UPDATE_GOLDEN") != nullptr) write_file(file, text);
  EXPECT_EQ(text, read_file(file)) << "LOCKSTEP_UPDATE_GOLDEN=1 rewrites " << path;
}

}  // namespace lockstep
