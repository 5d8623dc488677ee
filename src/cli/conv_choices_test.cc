#include "cli/conv_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/directory_for_test.h"
#include "base/error.h"
#include "base/files.h"

namespace lockstep::cli {
namespace {

using engine::ConvAlgorithm;
using testing::HasSubstr;
using testing::IsEmpty;

class ConvCacheTest : public DirectoryTest {
 protected:
  const engine::ConvChoices choices_ = {{"one shape", ConvAlgorithm::winograd},
                                        {"another", ConvAlgorithm::direct}};
  // A directory that is yet to be made.
  const ConvCache cache_{directory_ / "a" / "b", "a CPU (R) avx2", "1.0"};
};

TEST_F(ConvCacheTest, GivesBackWhatWasWritten) {
  EXPECT_THAT(cache_.read().choices, IsEmpty());
  cache_.write(choices_);
  EXPECT_EQ(cache_.read().choices, choices_);
  EXPECT_THAT(cache_.read().warning, IsEmpty());
}

TEST_F(ConvCacheTest, StartsAnewWithAnotherVersionOfTheProgram) {
  cache_.write(choices_);
  const ConvCache newer(cache_.file().parent_path(), "a CPU (R) avx2", "1.1");
  EXPECT_EQ(newer.file(), cache_.file());
  EXPECT_THAT(newer.read().choices, IsEmpty());
  EXPECT_THAT(newer.read().warning, IsEmpty());
}

TEST_F(ConvCacheTest, WarnsOfAFileThatIsNotItsOwn) {
  cache_.write(choices_);
  const std::string whole = read_file(cache_.file());
  const auto expect_ignored = [&](const std::string& content, const char* why) {
    write_file(cache_.file(), content);
    EXPECT_THAT(cache_.read().choices, IsEmpty());
    EXPECT_THAT(cache_.read().warning, HasSubstr(why));
    EXPECT_THAT(cache_.read().warning, HasSubstr(cache_.file().string()));
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string content = whole;
    return content.replace(content.find(from), from.size(), to);
  };
  expect_ignored("", "cut off at byte 0");
  expect_ignored(whole.substr(0, whole.size() / 2), "cut off at byte ");
  expect_ignored("[1, 2]", "damaged");
  expect_ignored(with("\"winograd\"", "3"), "damaged");
  expect_ignored(with("\"winograd\"", "\"fft\""), "fft");
  expect_ignored(with("\"version\": 1", "\"version\": 2"), "version 1");
  expect_ignored(with("a CPU", "no CPU"), "another machine");
}

TEST_F(ConvCacheTest, SaysWhyItCannotWrite) {
  write_file(directory_ / "a", "a file where a directory should be");
  EXPECT_THROW(cache_.write(choices_), Error);
  EXPECT_THAT(cache_.read().choices, IsEmpty());
  const ConvCache nowhere({}, "a CPU", "1.0");
  EXPECT_THROW(nowhere.write(choices_), Error);
  EXPECT_THAT(nowhere.read().choices, IsEmpty());
}

}  // namespace
}  // namespace lockstep::cli
