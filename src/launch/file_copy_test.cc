#include "launch/file_copy.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <map>

#include "base/directory_for_test.h"
#include "base/error_for_test.h"
#include "base/files.h"

namespace lockstep::launch {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t kMebibyte = 1 << 20;

// Files, and a directory that plays the host's.
class AFileCopy : public DirectoryTest {
 protected:
  AFileCopy() : DirectoryTest("lockstep copy") {
    copy_.from = directory_ / "from";
    copy_.to = directory_ / "host's/data";
    fs::create_directories(copy_.from / "class a");
    write_file(ours("-x's $HOME"), "odd");
    write_file(ours("class a/1.jpg"), std::string(1000, '1'));
    write_file(ours("large"), std::string(kMebibyte, 'l') + std::string(2 * kMebibyte, 'r'));
    copy_.consignments = {{.host = {.name = "node1", .address = "node1", .here = true},
                           .files = {"-x's $HOME", "class a/1.jpg", "large"}}};
  }

  fs::path ours(const std::string& file) const { return copy_.from / file; }
  fs::path theirs(const std::string& file) const { return fs::path(copy_.to) / file; }

  Delivered copied() {
    const CopyOutcome outcome = copy_files(
        copy_, {.on_progress = [this](std::string_view what, std::uint64_t done, std::uint64_t) {
          progress_[std::string(what)] = done;
        }});
    EXPECT_FALSE(outcome.stopped);
    return outcome.hosts.at(0);
  }
  // And everything is there.
  Delivered copied_well() {
    Delivered delivered = copied();
    EXPECT_EQ(delivered.failure, "");
    for (const std::string& file : copy_.consignments[0].files) {
      EXPECT_EQ(read_file(theirs(file)), read_file(ours(file))) << file;
    }
    return delivered;
  }
  ino_t inode(const std::string& file) const {
    struct stat status {};
    EXPECT_EQ(stat(theirs(file).c_str(), &status), 0);
    return status.st_ino;
  }
  // As a copy leaves it that was cut off.
  void cut_off(const std::string& file, std::size_t bytes) {
    write_file(theirs(file), read_file(ours(file)).substr(0, bytes));
  }

  FileCopy copy_;
  std::map<std::string, std::uint64_t> progress_;
};

TEST_F(AFileCopy, BringsEverythingToAHostThatHasNothing) {
  const Delivered delivered = copied_well();
  EXPECT_EQ(delivered.host, "node1");
  EXPECT_EQ(delivered.files, 3);
  EXPECT_EQ(delivered.bytes, 3 * kMebibyte + 1003);
  EXPECT_EQ(delivered.sent_files, 3);
  EXPECT_EQ(delivered.sent_bytes, delivered.bytes);
  EXPECT_EQ(progress_["compared"], delivered.bytes);
  EXPECT_EQ(progress_["checked"], delivered.bytes);
}

TEST_F(AFileCopy, SendsNothingThatIsThere) {
  copied_well();
  EXPECT_EQ(copied_well().sent_files, 0);
}

TEST_F(AFileCopy, FindsAChangedByteAndReplacesItsFile) {
  copied_well();
  const ino_t before = inode("large");
  std::string changed = read_file(ours("class a/1.jpg"));
  changed[500] = '2';
  write_file(theirs("class a/1.jpg"), changed);
  const Delivered delivered = copied_well();
  EXPECT_EQ(delivered.sent_files, 1);
  EXPECT_EQ(delivered.sent_bytes, 1000);
  EXPECT_EQ(inode("large"), before);
}

TEST_F(AFileCopy, SendsOnlyTheRestOfAFileThatWasCutOff) {
  copied_well();
  cut_off("large", 2 * kMebibyte + 7);
  const ino_t before = inode("large");
  EXPECT_EQ(copied_well().sent_bytes, kMebibyte - 7);
  EXPECT_EQ(inode("large"), before);
}

TEST_F(AFileCopy, SendsAllOfAFileWhoseBeginIsNotOurs) {
  copied_well();
  write_file(theirs("large"), std::string(2 * kMebibyte, 'x'));
  EXPECT_EQ(copied_well().sent_bytes, kMebibyte + 3 * kMebibyte);
}

TEST_F(AFileCopy, SaysWhatKeepsEachHostFromGettingItsFiles) {
  write_file(directory_ / "host's", "no directory");
  copy_.consignments.push_back(copy_.consignments[0]);
  copy_.consignments[1].host.name = "node2";
  const CopyOutcome outcome = copy_files(copy_, {});
  EXPECT_THAT(outcome.hosts[0].failure,
              HasSubstr(fmt::format("cannot write to {}: mkdir: ", copy_.to)));
  EXPECT_THAT(outcome.hosts[1].failure, HasSubstr("mkdir: "));
}

TEST_F(AFileCopy, SaysWhichFileIsNotHereOrCannotBeNamed) {
  copy_.consignments[0].files = {"gone"};
  const Error gone = error_of([&] { copied(); });
  EXPECT_EQ(gone.code(), ExitCode::environment);
  EXPECT_THAT(gone.what(), HasSubstr("cannot read " + ours("gone").string()));
  copy_.consignments[0].files = {"two\nlines"};
  EXPECT_EQ(error_of([&] { copied(); }).code(), ExitCode::usage);
}

TEST_F(AFileCopy, EndsWhenItIsToldTo) {
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(copy_files(copy_, {.stop = &stop}).stopped);
  EXPECT_FALSE(fs::exists(copy_.to));
}

}  // namespace
}  // namespace lockstep::launch
