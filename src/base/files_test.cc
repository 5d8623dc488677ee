#include "base/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory_for_test.h"
#include "base/error_for_test.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class Files : public DirectoryTest {
 protected:
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(directory_), fs::directory_iterator());
  }
};

TEST_F(Files, ReadBackWhatWasWritten) {
  const fs::path path = directory_ / "file";
  const std::string bytes = std::string("a\0b\r\n", 5) + std::string(200'000, 'x');
  for (const std::string& content : {std::string(), std::string("text\n"), bytes}) {
    write_file(path, content);
    EXPECT_EQ(content, read_file(path));
  }
}

TEST_F(Files, AreReplacedAsAWhole) {
  const fs::path path = directory_ / "file";
  write_file(path, "old");
  fs::create_hard_link(path, directory_ / "what a reader has open");
  write_file(path, "new");
  EXPECT_EQ("new", read_file(path));
  EXPECT_EQ("old", read_file(directory_ / "what a reader has open"));
  EXPECT_EQ(2, entries()) << "a temporary file was left behind";
}

TEST_F(Files, ThatAreMissingAreNamedWithTheReason) {
  const Error error = error_of([&] { read_file(directory_ / "missing.yaml"); });
  EXPECT_EQ(ExitCode::usage, error.code());
  EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot read " + directory_.string() + "/missing.yaml"),
                                  HasSubstr("No such file or directory")));
}

TEST_F(Files, AreReadUpToTheirLimit) {
  const fs::path path = directory_ / "file";
  write_file(path, "12345");
  EXPECT_EQ("12345", read_file(path, 5));
  EXPECT_EQ(
      "cannot read " + path.string() + ": it has 5 B or more, and such files have at most 4 B",
      std::string(error_of([&] { read_file(path, 4); }).what()));
  // Gigabytes of nothing: by its size alone, before anything is read.
  fs::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_EQ(ExitCode::usage, error_of([&] { read_file(path); }).code());
}

TEST_F(Files, AreReadInPart) {
  const fs::path path = directory_ / "file";
  write_file(path, "0123456789");
  EXPECT_EQ("345", read_part(path, 3, 3));
  EXPECT_EQ("89", read_part(path, 8, 100));
  EXPECT_EQ("", read_part(path, 20, 3));
}

// Nobody writes to the pipe, and the device never ends.
TEST_F(Files, ThatAreNotRegularAreRefused) {
  const fs::path pipe = directory_ / "pipe";
  ASSERT_EQ(0, mkfifo(pipe.c_str(), 0600));
  fs::create_symlink("/dev/zero", directory_ / "zero");
  for (const char* name : {"pipe", "zero"}) {
    const Error error = error_of([&] { read_file(directory_ / name); });
    EXPECT_EQ(ExitCode::usage, error.code());
    EXPECT_THAT(error.what(), HasSubstr("not a regular file"));
    EXPECT_THROW(read_part(directory_ / name, 0, 10), Error);
  }
}

TEST_F(Files, CannotBeReadFromADirectory) {
  EXPECT_THAT(error_of([&] { read_file(directory_); }).what(), HasSubstr("Is a directory"));
}

TEST_F(Files, ThatCannotBeWrittenAreNamedWithTheReason) {
  const Error error = error_of([&] { write_file(directory_ / "no" / "such", "x"); });
  EXPECT_EQ(ExitCode::environment, error.code());
  EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot write " + directory_.string() + "/no/such:"),
                                  HasSubstr("No such file or directory")));
}

TEST_F(Files, LeaveNothingBehindWhenTheyCannotBeReplaced) {
  fs::create_directory(directory_ / "occupied");
  EXPECT_THAT(error_of([&] { write_file(directory_ / "occupied", "x"); }).what(),
              HasSubstr("Is a directory"));
  EXPECT_EQ(1, entries());
}

}  // namespace
}  // namespace lockstep
