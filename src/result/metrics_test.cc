#include "result/metrics.h"

#include <gtest/gtest.h>

#include <set>

#include "base/files.h"

namespace lockstep::result {
namespace {

TEST(Metrics, HaveKeysOfTheirOwn) {
  std::set<std::string_view> keys;
  for (const Metric& one : metrics()) EXPECT_TRUE(keys.insert(one.key).second) << one.key;
}

TEST(Metrics, AreDefinedInTheDocumentation) {
  const std::string text = read_file(LOCKSTEP_SOURCE_DIR "/docs/measurement.md");
  for (const Metric& one : metrics()) {
    const bool found = text.find("# " + std::string(one.section) + "\n") != std::string::npos;
    EXPECT_TRUE(found) << one.key << ": no section " << one.section;
    EXPECT_FALSE(one.meaning.empty() || one.label.empty()) << one.key;
  }
}

TEST(Metrics, ComeFromSomewhere) {
  for (const Metric& one : metrics()) {
    EXPECT_TRUE(one.of_run != nullptr || one.derived != nullptr || one.of_row != nullptr)
        << one.key;
    // What is read was written.
    const bool read = !std::holds_alternative<std::monostate>(one.of_launch);
    EXPECT_TRUE(!read || one.of_run != nullptr) << one.key;
    EXPECT_TRUE(!one.in_csv || read || one.derived != nullptr || one.of_row != nullptr) << one.key;
  }
}

stats::Launch launch_of(std::int64_t steps, double step_ms, bool stable) {
  stats::Launch launch;
  launch.steps_measured = steps;
  launch.step_ms_mean = step_ms;
  launch.rss_peak_bytes = 100 * steps;
  launch.stable = stable;
  return launch;
}

TEST(Metrics, OfAPointFollowFromItsLaunches) {
  stats::PointRecord record{
      .launches = {launch_of(3, 10, true), std::nullopt, launch_of(5, 20, false)}};
  EXPECT_EQ(value(metric("steps_measured"), record), 8);
  EXPECT_EQ(value(metric("step_ms_mean"), record), 15);
  EXPECT_EQ(value(metric("rss_peak_bytes"), record), 500);
  EXPECT_EQ(value(metric("stable"), record), 0);
  EXPECT_EQ(value(metric("mfu_pct"), record), std::nullopt);
  record.launches[0]->mfu_pct = 50;
  EXPECT_EQ(value(metric("mfu_pct"), record), std::nullopt) << "one launch does not have it";
  record.launches[2]->mfu_pct = 40;
  EXPECT_EQ(value(metric("mfu_pct"), record), 45);
  record.launches[2]->imported = true;
  EXPECT_EQ(value(metric("mfu_pct"), record), std::nullopt) << "others' launches have their speed";
  record.launches[2]->imported = false;
  record.failure = "lost";
  EXPECT_EQ(value(metric("step_ms_mean"), record), std::nullopt);
  EXPECT_EQ(value(metric("step_ms_mean"), {}), std::nullopt);
}

TEST(StepParts, AreAllParts) {
  std::set<stats::Part> parts;
  for (const StepPart& part : step_parts()) {
    parts.insert(part.part);
    EXPECT_TRUE(metric("share_" + std::string(part.name)).of_row != nullptr);
  }
  EXPECT_EQ(parts.size(), stats::kParts);
}

}  // namespace
}  // namespace lockstep::result
