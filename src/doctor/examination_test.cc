#include "doctor/examination.h"

#include <gmock/gmock.h>

#include "doctor/judge.h"

namespace lockstep::doctor {
namespace {

using machine::Finding;
using machine::Level;
using testing::ElementsAre;

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

TEST(CauseIn, IsTheFirstErrorElseTheFirstLine) {
  EXPECT_EQ(cause_in("warning: slow\nerror: no memory\nhint: less\n"), "no memory");
  EXPECT_EQ(cause_in("sh: not found\nbye\n"), "sh: not found");
  EXPECT_EQ(cause_in(" \n"), "no answer");
}

TEST(Warnings, NameTheHostsUnlessTheyHoldForAll) {
  const Finding turbo{
      .subject = "turbo", .level = Level::warning, .sentence = "turbo is on", .remedy = "stop it"};
  const Finding full{.subject = "disk", .level = Level::problem, .sentence = "no room"};
  const Finding calm{.subject = "load", .sentence = "calm"};
  const auto host = [](const std::string& name, std::vector<Finding> findings) {
    return Examination{.host = name, .environment = {}, .findings = std::move(findings)};
  };
  EXPECT_THAT(warnings(std::vector{host("a", {turbo, full}), host("b", {calm, turbo})}),
              ElementsAre("turbo is on; stop it", "a: no room"));
  EXPECT_THAT(warnings(std::vector{host("a", {turbo}), host("b", {turbo}), host("c", {calm})}),
              ElementsAre("a, b: turbo is on; stop it"));
}

TEST(RequireMpi, MakesItsAbsenceAProblem) {
  std::vector<Examination> hosts = {
      {.host = "a", .environment = {}, .findings = {judge_mpi("mpirun 4.1")}},
      {.host = "b", .environment = {}, .findings = {judge_mpi("")}}};
  EXPECT_EQ(worst(hosts), Level::ok);
  require_mpi(hosts);
  EXPECT_EQ(machine::worst(hosts[0].findings), Level::ok);
  EXPECT_EQ(machine::worst(hosts[1].findings), Level::problem);
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
