#include "cli/data_options.h"

#include <gmock/gmock.h>

#include <tuple>

#include "base/error_for_test.h"

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

DataOptions data_options(const std::vector<std::string>& arguments) {
  return parse_data(arguments);
}

Error error_of(const std::vector<std::string>& arguments) {
  return lockstep::error_of([&] { data_options(arguments); });
}

TEST(ParseData, TakesDirectoriesBeforeBetweenAndBehindFlags) {
  EXPECT_THAT(data_options({"inspect", "--json", "dir"}).directories, ElementsAre("dir"));
  const DataOptions options =
      data_options({"convert", "--shards", "7", "from", "--skip_corrupt", "to"});
  EXPECT_THAT(options.directories, ElementsAre("from", "to"));
  EXPECT_EQ(options.action, DataAction::convert);
  EXPECT_EQ(options.convert.shards, 7);
  EXPECT_TRUE(options.convert.skip_corrupt);
}

TEST(ParseData, TakesTheFlagsOfItsAction) {
  const DataOptions options = data_options(
      {"make", "dir", "--format=tfrecord", "--train=5", "--seed=9", "--image-size=100"});
  EXPECT_EQ(options.make.format, "tfrecord");
  EXPECT_EQ(options.make.train, 5U);
  EXPECT_EQ(options.make.seed, 9U);
  EXPECT_EQ(options.make.image_size, 100);
  EXPECT_THAT(error_of({"inspect", "dir", "--train=5"}).what(), HasSubstr("unknown flag --train"));
  const Error both = error_of({"make", "dir", "--trian", "5", "--seeds=1"});
  EXPECT_THAT(both.what(), HasSubstr("unknown flag --trian\n      did you mean --train?\n"));
  EXPECT_THAT(both.what(), HasSubstr("unknown flag --seeds\n      did you mean --seed?"));
}

TEST(ParseData, TakesFlagsOfASweepThatNameHostsForACopyAlone) {
  const DataOptions options =
      data_options({"copy", "dir", "--hosts", "a,b", "--ssh_port=22", "--to=/there", "--shards"});
  EXPECT_EQ(options.action, DataAction::copy);
  EXPECT_THAT(options.directories, ElementsAre("dir"));
  EXPECT_THAT(options.where.site, ElementsAre(Pair("hosts", "a,b"), Pair("ssh_port", "22")));
  EXPECT_EQ(options.to, "/there");
  EXPECT_TRUE(options.shares);
  EXPECT_THAT(error_of({"copy", "dir", "--ssh_port=x"}).what(), HasSubstr("expected an integer"));
  EXPECT_THAT(error_of({"make", "dir", "--hosts=a"}).what(), HasSubstr("unknown flag --hosts"));
}

TEST(ParseData, HasTheDefaultsThatItsHelpPromises) {
  const DataOptions unset = data_options({"make", "dir"});
  const DataOptions set =
      data_options({"make", "dir", "--format=mnist", "--train=6000", "--shards=4",
                    "--validation=1000", "--classes=10", "--image_size=64", "--seed=1"});
  EXPECT_EQ(std::tie(unset.make.format, unset.make.train, unset.make.validation, unset.make.classes,
                     unset.make.image_size, unset.make.shards, unset.make.seed),
            std::tie(set.make.format, set.make.train, set.make.validation, set.make.classes,
                     set.make.image_size, set.make.shards, set.make.seed));
}

TEST(ParseData, WantsAsManyDirectoriesAsItsActionTakes) {
  EXPECT_THAT(error_of({"inspect"}).hint(), HasSubstr("lockstep data inspect DIR"));
  EXPECT_THAT(error_of({"convert", "a"}).hint(), HasSubstr("lockstep data convert FROM TO"));
  EXPECT_THAT(error_of({"make", "a", "b"}).what(), HasSubstr("2 directories"));
  EXPECT_THAT(error_of({"convert", "a"}).what(), HasSubstr("1 directory for data convert"));
  EXPECT_THAT(error_of({}).hint(), HasSubstr("inspect, make, convert"));
  EXPECT_THAT(error_of({"convrt"}).hint(), HasSubstr("did you mean convert?"));
}

TEST(DataHelp, OfOneActionShowsItsOwnFlags) {
  const std::string help = data_part_help("make");
  EXPECT_THAT(help, testing::StartsWith("usage: lockstep data make DIR [--flag=value ...]\n"));
  EXPECT_THAT(help, testing::HasSubstr("--classes=N"));
  EXPECT_THAT(help, testing::Not(testing::HasSubstr("--hosts")));
  EXPECT_EQ(data_part_help("--help"), "");
}

}  // namespace
}  // namespace lockstep::cli
