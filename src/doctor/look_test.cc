#include "doctor/look.h"

#include <gmock/gmock.h>

#include <map>

#include "base/clock.h"
#include "comm/tcp.h"

namespace lockstep::doctor {
namespace {

using machine::Finding;
using machine::Level;
using testing::IsSupersetOf;

std::map<std::string, Finding> by_subject(const std::vector<Finding>& findings) {
  std::map<std::string, Finding> found;
  for (const Finding& finding : findings) found[finding.subject] = finding;
  return found;
}

std::vector<std::string> subjects(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& finding : findings) names.push_back(finding.subject);
  return names;
}

TEST(Glance, SeesWhatNeedsNoMeasurementAtOnce) {
  const machine::Environment environment = machine::environment();
  const double begin = now();
  const auto found = glance(environment, {.result_dir = testing::TempDir()});
  EXPECT_LT(now() - begin, 0.2);
  EXPECT_THAT(subjects(found), IsSupersetOf({"cores", "affinity", "load", "governor", "quota",
                                             "memory", "reserved pages", "clock", "disk"}));
  EXPECT_EQ(by_subject(found).count("port"), 0U);
}

TEST(Glance, NoticesWhoeverListensWhereRanksAreToMeet) {
  comm::Listener listener(":0");
  const auto look = [&] {
    return by_subject(glance({}, {.result_dir = testing::TempDir(), .port = listener.port()}))
        .at("port")
        .level;
  };
  EXPECT_EQ(look(), Level::warning);
}

TEST(MeasuredFindings, HaveFigures) {
  const auto found = by_subject(measured_findings(machine::environment()));
  for (const char* subject : {"memory bandwidth", "peak", "noise"}) {
    ASSERT_TRUE(found.contains(subject));
    EXPECT_GE(found.at(subject).value.value(), 0) << subject;
  }
  EXPECT_TRUE(found.contains("mpi"));
}

}  // namespace
}  // namespace lockstep::doctor
