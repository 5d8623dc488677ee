#include "cli/doctor_report.h"

#include <gmock/gmock.h>

namespace lockstep::cli {
namespace {

using doctor::Examination;
using machine::Level;
using testing::HasSubstr;
using testing::Not;

const std::vector<Examination> kHosts = {
    {.host = "a",
     .here = true,
     .environment = {{"cpu_model", "Imaginary 9000"}},
     .findings =
         {{.subject = "cores", .value = 4, .unit = "cores", .sentence = "with 8 processors"},
          {.subject = "load",
           .level = Level::warning,
           .value = 3.456,
           .sentence = "busy",
           .remedy = "wait"},
          {.subject = "mpi", .sentence = "Open MPI"},
          {.subject = "bandwidth", .value = 118.25, .unit = "MB/s", .sentence = "to b"}}},
    {.host = "b",
     .environment = {},
     .findings = {{.subject = "ssh",
                   .level = Level::problem,
                   .sentence = "first line\na second line that does not fit into what is left "
                               "of the columns",
                   .remedy = "look"}}}};

TEST(DoctorTable, HasALineForEachFindingAndHintsBelow) {
  EXPECT_EQ(doctor_table(kHosts, false),
            "a (this machine), Imaginary 9000\n"
            "  ok      cores                   4 cores  with 8 processors\n"
            "  warning load                       3.46  busy\n"
            "                                           hint: wait\n"
            "  ok      mpi                              Open MPI\n"
            "  ok      bandwidth              118 MB/s  to b\n"
            "\n"
            "b\n"
            "  problem ssh                              first line\n"
            "                                           a second line that does not fit into what "
            "is left of the\n"
            "                                           columns\n"
            "                                           hint: look\n"
            "\n"
            "1 problem, 1 warning\n");
}

TEST(DoctorTable, IsColouredWhereItIsWanted) {
  EXPECT_THAT(doctor_table(kHosts, true), HasSubstr("\x1b[1;33mwarning \x1b[0mload"));
  EXPECT_THAT(doctor_table(kHosts, true), HasSubstr("\x1b[1;31mproblem \x1b[0mssh"));
  EXPECT_THAT(doctor_table(kHosts, false), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace lockstep::cli
