#include "cli/follow.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/files.h"
#include "base/temporary_directory.h"

namespace lockstep::cli {
namespace {

TEST(Follow, CopiesAFileThatIsMadeAndWrittenMeanwhile) {
  const TemporaryDirectory directory;
  const std::filesystem::path log = directory.path() / "log";
  const std::filesystem::path copy = directory.path() / "copy";
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
}

}  // namespace
}  // namespace lockstep::cli
