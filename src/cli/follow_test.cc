#include "cli/follow.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/files.h"

namespace lockstep::cli {
namespace {

TEST(Follow, CopiesAFileThatIsMadeAndWrittenMeanwhile) {
  std::string directory = (std::filesystem::temp_directory_path() / "followXXXXXX").string();
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const std::filesystem::path log = std::filesystem::path(directory) / "log";
  const std::filesystem::path copy = std::filesystem::path(directory) / "copy";
  std::FILE* stream = std::fopen(copy.c_str(), "w");
  const std::string start(100'000, 'x');
  {
    const Follow follow(log, stream);
    std::ofstream(log) << start;
    while (std::filesystem::file_size(copy) < start.size()) usleep(1000);
    std::ofstream(log, std::ios::app) << "the end";
  }
  std::fclose(stream);
  EXPECT_EQ(read_file(copy), start + "the end");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace lockstep::cli
