#include "cli/doctor_options.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const char* nothing(const char*) {
  return nullptr;
}

DoctorOptions doctor_options(const std::vector<std::string>& arguments,
                             const Getenv& getenv = nothing) {
  return parse_doctor(arguments, getenv);
}

TEST(ParseDoctor, WithoutFlagsMeansThisMachine) {
  const DoctorOptions options = doctor_options({});
  EXPECT_THAT(options.sweep.site, IsEmpty());
  EXPECT_EQ(options.result_dir, "results");
  EXPECT_FALSE(options.json);
}

TEST(ParseDoctor, TakesWhatSaysWhereASweepRuns) {
  const DoctorOptions options =
      doctor_options({"--nodes-file=nodes", "--ssh_user", "me", "--json", "--result_dir=out"});
  EXPECT_THAT(options.sweep.site, ElementsAre(Pair("hosts_file", "nodes"), Pair("ssh_user", "me")));
  EXPECT_EQ(options.result_dir, "out");
  EXPECT_TRUE(options.json);
}

TEST(ParseDoctor, TakesVariablesBelowTheCommandLine) {
  const Getenv getenv = [](const char* name) {
    return std::string(name) == "LOCKSTEP_HOSTS" ? "node1" : nullptr;
  };
  EXPECT_THAT(doctor_options({}, getenv).sweep.site, ElementsAre(Pair("hosts", "node1")));
  EXPECT_THAT(doctor_options({"--hosts=node2"}, getenv).sweep.site,
              ElementsAre(Pair("hosts", "node2")));
}

TEST(ParseDoctor, RefusesWhatOnlyASweepTakes) {
  EXPECT_THROW(doctor_options({"--models=alexnet"}), Error);
  EXPECT_THROW(doctor_options({"--port=none"}), Error);
}

}  // namespace
}  // namespace lockstep::cli
