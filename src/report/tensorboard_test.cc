#include "report/tensorboard.h"

#include <gmock/gmock.h>

#include "report/report_for_test.h"

namespace lockstep::report {
namespace {

using testing::Each;
using testing::Field;
using testing::MatchesRegex;
using testing::StartsWith;

Evidence one_series() {
  Evidence evidence;
  evidence.steps = {{.run = "../x y",
                     .point = "lenet-b4-d1",
                     .title = "lenet",
                     .subtitle = "",
                     .configuration = "replicated",
                     .date = "1970-01-01T00:00:01Z",
                     .warmup = 0,
                     .cut = 0,
                     .ms = {1000}}};
  return evidence;
}

// Byte by byte what the formats' own writers write.
TEST(EventFiles, HaveARecordWithTheVersionAndOneForEachNumber) {
  const std::vector<EventFile> files = event_files(one_series());
  ASSERT_EQ(files.size(), 1);
  EXPECT_EQ(files[0].name, "events.out.tfevents.1.lockstep");
  const std::string& bytes = files[0].content;
  const std::string version(
      "\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0d"
      "brain.Event:2",
      24);
  const std::string scalar(
      "\x09\0\0\0\0\0\0\0\x40\x10\x00\x2a\x10\x0a\x0e\x0a\x07step_ms\x15\0\0\x7a\x44", 29);
  ASSERT_EQ(bytes.size(), 16 + version.size() + 16 + scalar.size());
  EXPECT_THAT(bytes, StartsWith(std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12) + version));
  EXPECT_EQ(bytes.substr(16 + version.size() + 12, scalar.size()), scalar);
}

TEST(EventFiles, AreInDirectoriesThatHarmNothing) {
  Evidence evidence = one_series();
  evidence.sweeps = {example_report()};
  evidence.sweeps[0].id = "..";
  const std::vector<EventFile> files = event_files(evidence);
  EXPECT_EQ(files.size(), 6 + 1);  // of three configurations of two networks, and of the steps
  EXPECT_THAT(files, Each(Field(&EventFile::run, MatchesRegex("[a-zA-Z0-9._-]{6,}"))));
}

}  // namespace
}  // namespace lockstep::report
