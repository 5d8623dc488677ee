#include "doctor/differences.h"

#include <gmock/gmock.h>

namespace lockstep::doctor {
namespace {

using machine::Finding;
using machine::Level;
using testing::HasSubstr;
using testing::IsEmpty;

Examination host(const std::string& name) {
  return {.host = name,
          .here = false,
          .environment = {{"cpu_model", "Imaginary 9000"},
                          {"physical_cores", 4},
                          {"kernel", "Linux 6.1"},
                          {"libraries", {"oneDNN 2.6.3"}}},
          .findings = {{.subject = "mpi", .sentence = "mpirun (Open MPI) 4.1.4"}}};
}

TEST(Differences, AreNoneBetweenHostsOfOneKind) {
  const auto found = differences(host("node2"), host("node1"));
  ASSERT_EQ(found.size(), 2U);
  for (const Finding& finding : found) {
    EXPECT_EQ(finding.level, Level::ok);
    EXPECT_EQ(finding.sentence, "as on node1");
    EXPECT_EQ(finding.peer, "node1");
  }
}

TEST(Differences, OfProcessorsAreNamedOnBothSides) {
  Examination other = host("node2");
  other.environment["physical_cores"] = 8;
  const auto found = differences(other, host("node1"));
  EXPECT_EQ(found[0].subject, "same processor");
  EXPECT_EQ(found[0].level, Level::warning);
  EXPECT_THAT(found[0].sentence, HasSubstr("8 cores of Imaginary 9000, but 4 cores of"));
  EXPECT_EQ(found[1].level, Level::ok);
}

TEST(Differences, OfVersionsLeaveOutWhatIsEqual) {
  Examination other = host("node2");
  other.environment["libraries"] = {"oneDNN 3.1"};
  other.findings[0].sentence = "mpirun (Open MPI) 5.0";
  const auto found = differences(other, host("node1"));
  EXPECT_EQ(found[0].level, Level::ok);
  EXPECT_EQ(found[1].subject, "same versions");
  EXPECT_EQ(found[1].level, Level::warning);
  EXPECT_EQ(found[1].sentence,
            "oneDNN 3.1, mpirun (Open MPI) 5.0, but oneDNN 2.6.3, mpirun (Open MPI) 4.1.4 on "
            "node1");
}

TEST(Differences, AreNotSoughtOnAHostThatCouldNotBeAsked) {
  EXPECT_THAT(differences({.host = "node2", .environment = {}, .findings = {}}, host("node1")),
              IsEmpty());
}

}  // namespace
}  // namespace lockstep::doctor
