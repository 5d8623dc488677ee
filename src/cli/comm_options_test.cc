#include "cli/comm_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kKiB = 1024;

CommOptions comm_options(const std::vector<std::string>& arguments) {
  return parse_comm(arguments, [](const char*) -> const char* { return nullptr; });
}

Error usage_error(const std::vector<std::string>& arguments) {
  try {
    comm_options(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error;
  }
  ADD_FAILURE() << "accepted";
  return {ExitCode::ok, ""};
}

TEST(ParseSizes, DoublesFromTheFirstToTheLast) {
  EXPECT_THAT(parse_sizes("1KB:8KB"), ElementsAre(kKiB, 2 * kKiB, 4 * kKiB, 8 * kKiB));
  EXPECT_THAT(parse_sizes("4:20"), ElementsAre(4, 8, 16));
  EXPECT_THAT(parse_sizes("2MB:2MB"), ElementsAre(2 * kKiB * kKiB));
}

TEST(ParseSizes, TakesAListAsItIs) {
  EXPECT_THAT(parse_sizes("100MB,4KB,12"), ElementsAre(100 * kKiB * kKiB, 4 * kKiB, 12));
}

TEST(ParseSizes, KnowsUnitsInAllTheirSpellings) {
  EXPECT_THAT(parse_sizes("1gb, 2M,3k,4b"),
              ElementsAre(kKiB * kKiB * kKiB, 2 * kKiB * kKiB, 3 * kKiB, 4));
}

TEST(ParseSizes, RefusesWhatIsNoSize) {
  for (const char* text : {"", "1KB:", ":1KB", "KB", "-4", "4.5KB", "1TB", "1KB:2KB:4KB", "8,,8",
                           "9999999999GB", "6", "0"}) {
    EXPECT_THROW(parse_sizes(text), Error) << text;
  }
  EXPECT_THROW(parse_sizes("8KB:4KB"), Error);
}

TEST(ParseComm, HasItsDefaults) {
  const CommOptions options = comm_options({});
  EXPECT_EQ(options.sizes.front(), kKiB);
  EXPECT_EQ(options.sizes.back(), 64 * kKiB * kKiB);
  EXPECT_EQ(options.kind, CommKind::all_reduce);
  EXPECT_THAT(options.algorithms, IsEmpty());
  EXPECT_TRUE(options.check);
  EXPECT_EQ(options.format, CommFormat::table);
  EXPECT_FALSE(options.devices_given);
}

TEST(ParseComm, TakesItsOwnFlagsAndThoseOfRun) {
  const CommOptions options = comm_options(
      {"--sizes", "4KB", "--operation=all_gather", "--algorithms=ring, direct", "--iterations=7",
       "--nocheck", "--json", "--devices", "3", "--oversubscribe", "--deadline=5"});
  EXPECT_THAT(options.sizes, ElementsAre(4 * kKiB));
  EXPECT_EQ(options.kind, CommKind::all_gather);
  EXPECT_THAT(options.algorithms, ElementsAre("ring", "direct"));
  EXPECT_EQ(options.iterations, 7);
  EXPECT_FALSE(options.check);
  EXPECT_EQ(options.format, CommFormat::json);
  EXPECT_TRUE(options.devices_given);
  EXPECT_EQ(options.parsed.trial.devices, 3);
  EXPECT_TRUE(options.parsed.trial.oversubscribe);
  EXPECT_EQ(options.parsed.trial.cluster.deadline, 5);
}

TEST(ParseComm, LeavesTheSizesToAModel) {
  const CommOptions options = comm_options({"--model=vgg16"});
  EXPECT_THAT(options.sizes, IsEmpty());
  EXPECT_EQ(options.parsed.trial.model, "vgg16");
}

TEST(ParseComm, SuggestsTheClosestFlag) {
  EXPECT_THAT(usage_error({"--size=4KB"}).hint(), HasSubstr("did you mean --sizes?"));
  EXPECT_THAT(usage_error({"--device=2"}).hint(), HasSubstr("did you mean --devices?"));
  EXPECT_THAT(usage_error({"--nojsn"}).what(), HasSubstr("unknown flag --nojsn"));
  const Error both = usage_error({"--size=4KB", "--nojsn"});
  EXPECT_THAT(both.what(), HasSubstr("unknown flag --size\n      did you mean --sizes?\n"));
  EXPECT_THAT(both.what(), HasSubstr("unknown flag --nojsn"));
}

TEST(ParseComm, RefusesFlagsOfRunThatMeanNothingHere) {
  EXPECT_THAT(usage_error({"--optimizer=adam"}).what(), HasSubstr("unknown flag --optimizer"));
}

TEST(ParseComm, RefusesWhatExcludesEachOther) {
  usage_error({"--sizes=4KB", "--model=vgg16"});
  usage_error({"--json", "--csv"});
}

TEST(ParseComm, RefusesWhatIsNoValueAndWhatIsNoFlag) {
  EXPECT_THAT(usage_error({"--operation=broadcast"}).what(), HasSubstr("--operation=broadcast"));
  EXPECT_THAT(usage_error({"--iterations"}).what(), HasSubstr("needs a value"));
  usage_error({"--nosizes"});
  usage_error({"4KB"});
}

TEST(CommHelp, AgreesWithItselfAboutDevices) {
  const std::string help = comm_help(false);
  const std::size_t row = help.find("--num_gpus=N");
  ASSERT_NE(row, std::string::npos);
  const std::string text = help.substr(row, help.find("\n  --", row) - row);
  EXPECT_THAT(text, testing::HasSubstr("not set: as many as there are cores"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("[1]")));
}

}  // namespace
}  // namespace lockstep::cli
