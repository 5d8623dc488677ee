#include "doctor/examination.h"

#include <gmock/gmock.h>

namespace lockstep::doctor {
namespace {

using machine::Finding;
using machine::Level;

std::vector<Examination> two_hosts() {
  return {{.host = "a",
           .here = true,
           .environment = {{"cpu_model", "Imaginary 9000"}},
           .findings = {{.subject = "load",
                         .level = Level::warning,
                         .value = 3.5,
                         .unit = "runnable",
                         .sentence = "busy",
                         .remedy = "wait"},
                        {.subject = "bandwidth", .sentence = "fast", .peer = "b"}}},
          {.host = "b",
           .environment = {},
           .findings = {{.subject = "ssh", .level = Level::problem, .sentence = "no"}}}};
}

TEST(Examinations, ReadBackAsTheyWereWritten) {
  const auto before = two_hosts();
  const auto after = examinations_of(to_json(before));
  ASSERT_TRUE(after);
  ASSERT_EQ(after->size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ((*after)[i].host, before[i].host);
    EXPECT_EQ((*after)[i].here, before[i].here);
    EXPECT_EQ((*after)[i].environment, before[i].environment);
    EXPECT_EQ((*after)[i].findings, before[i].findings);
  }
}

TEST(Examinations, AreAsBadAsTheWorstFinding) {
  EXPECT_EQ(worst(two_hosts()), Level::problem);
  EXPECT_EQ(worst(std::vector{two_hosts()[0]}), Level::warning);
  EXPECT_EQ(worst(std::vector<Examination>{}), Level::ok);
  EXPECT_EQ(to_json(two_hosts()).at("level"), "problem");
}

TEST(Examinations, AreNotReadFromAnythingElse) {
  EXPECT_FALSE(examinations_of(nullptr));
  EXPECT_FALSE(examinations_of({{"schema", {{"name", "lockstep-comm"}}}}));
  auto broken = to_json(two_hosts());
  broken["hosts"][0].erase("findings");
  EXPECT_FALSE(examinations_of(broken));
}

TEST(ObjectIn, IsFoundBetweenOtherLines) {
  const std::string document = to_json(two_hosts()).dump(2);
  EXPECT_EQ(object_in(document), to_json(two_hosts()));
  EXPECT_EQ(object_in("Warning: {known host}\n" + document + "\nbye"), to_json(two_hosts()));
  EXPECT_TRUE(object_in("").is_null());
  EXPECT_TRUE(object_in("error: no\n").is_null());
  EXPECT_TRUE(object_in(document.substr(0, document.size() / 2)).is_null());
}

}  // namespace
}  // namespace lockstep::doctor
