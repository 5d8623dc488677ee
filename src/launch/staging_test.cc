#include "launch/staging.h"

#include <gmock/gmock.h>

#include "base/directory_for_test.h"
#include "base/error.h"
#include "base/files.h"
#include "tests/golden.h"

namespace lockstep::launch {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::Not;
using testing::StartsWith;

// A bundle of small files, and a directory that plays the host's.
class Staging : public DirectoryTest {
 protected:
  Staging() : DirectoryTest("lockstep staging") {
    std::filesystem::create_directories(directory_ / "bin");
    std::filesystem::create_directories(directory_ / "lib");
    write_file(directory_ / "bin/lockstep", "program");
    write_file(directory_ / "lib/liba.so.1.2", "library");
    std::filesystem::create_symlink("liba.so.1.2", directory_ / "lib/liba.so.1");
    bundle_.files = {directory_ / "bin/lockstep", directory_ / "lib/liba.so.1"};
    bundle_.sum = checksum(bundle_.files);
    site_.hosts = {{.name = "node1", .address = "node1", .here = true}};
    site_.remote_dir = directory_ / "remote";
  }

  int probed() const { return code(probe(site_.hosts[0], site_, bundle_)); }
  int copied() const { return code(copy(site_.hosts[0], site_, bundle_)); }
  std::filesystem::path place() const {
    return directory_ / "remote" / ("lockstep-" + bundle_.build());
  }
  std::vector<std::string> names_in_remote() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "remote")) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  Bundle bundle_;
  Site site_;

 private:
  static int code(const Command& command) {
    return run(std::vector{command}, {}).processes[0].exit_code;
  }
};

TEST_F(Staging, CopiesWhatTheHostDoesNotHave) {
  EXPECT_EQ(probed(), 1);
  EXPECT_EQ(copied(), 0);
  EXPECT_EQ(probed(), 0);
  EXPECT_EQ(read_file(place() / "lockstep"), "program");
  EXPECT_EQ(read_file(place() / "liba.so.1"), "library");
  EXPECT_THAT(names_in_remote(), testing::ElementsAre(place().filename()));
}

TEST_F(Staging, ReplacesWhatIsNotTheSameByteForByte) {
  ASSERT_EQ(copied(), 0);
  write_file(place() / "liba.so.1", "librarz");
  EXPECT_EQ(probed(), 1);
  EXPECT_EQ(copied(), 0);
  EXPECT_EQ(probed(), 0);
}

TEST_F(Staging, NeverGivesItsNameToHalfACopy) {
  std::filesystem::remove(directory_ / "lib/liba.so.1");
  EXPECT_NE(copied(), 0);
  write_file(directory_ / "lib/liba.so.1", "another one");  // since the sum was made
  EXPECT_NE(copied(), 0);
  EXPECT_EQ(probed(), 1);
  EXPECT_THAT(names_in_remote(), testing::IsEmpty());
}

TEST_F(Staging, HasAChecksumThatHostsCanMake) {
  const Outcome outcome = run(
      std::vector<Command>{
          {.name = "cksum",
           .argv = {"sh", "-c", "cat \"$0\" \"$@\" | cksum", bundle_.files[0], bundle_.files[1]}}},
      {});
  EXPECT_EQ(outcome.processes[0].tail, fmt::format("{} {}", bundle_.sum.crc, bundle_.sum.bytes));
  EXPECT_THROW(checksum({directory_ / "none"}), Error);
}

TEST_F(Staging, NamesAHostThatCannotBeReached) {
  site_.hosts[0].here = false;
  site_.hosts[0].ssh = "127.0.0.1";
  site_.hosts[0].port = 1;
  try {
    stage(site_, bundle_, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::launch);
    EXPECT_THAT(error.what(), StartsWith("host node1: cannot be reached by ssh: "));
  }
}

TEST_F(Staging, DoesNothingForHostsThatHaveOurFiles) {
  stage(site_, bundle_, {});
  site_.hosts[0].here = false;
  site_.remote_dir = "";
  stage(site_, bundle_, {});
  EXPECT_FALSE(std::filesystem::exists(directory_ / "remote"));
}

TEST(StagingCommands, GoOverSsh) {
  const Bundle bundle = {.files = {"/opt/lockstep", "/usr/lib/libdnnl.so.2"},
                         .sum = {.crc = 0xc0ffee, .bytes = 12345}};
  const Site site = {.hosts = {{.name = "node1", .address = "10.0.0.1", .ssh = "node1"}},
                     .remote_dir = "/tmp/my dir"};
  std::string lines;
  for (const Command& command :
       {probe(site.hosts[0], site, bundle), copy(site.hosts[0], site, bundle)}) {
    lines += fmt::format("# {} on {}\n{}\n\n", command.name, command.host, shell_line(command));
  }
  expect_golden("src/launch/golden/staging.txt", lines);
}

TEST(BundleOfThisProgram, HasWhatItIsLinkedWithButTheCLibrary) {
  const Bundle bundle = bundle_of_this_program(false);
  std::vector<std::string> names;
  for (const auto& file : bundle.files) names.push_back(file.filename());
  EXPECT_EQ(names.front(), "launch_test");
  EXPECT_THAT(names, Contains(StartsWith("libfmt.so.")));
  EXPECT_THAT(names, Contains(StartsWith("libstdc++.so.")));
  for (const char* name : {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}) {
    EXPECT_THAT(names, Not(Contains(name)));
  }
  EXPECT_GT(bundle.sum.bytes, 1'000'000);
  EXPECT_THAT(bundle.build(), EndsWith(fmt::format("-{}", bundle.sum.bytes)));
}

}  // namespace
}  // namespace lockstep::launch
