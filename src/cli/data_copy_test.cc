#include "cli/data_copy.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"

namespace lockstep::cli {
namespace {

using data::Split;
using testing::ElementsAre;
using testing::StartsWith;

data::Index index(const std::string& format) {
  return {.format = format,
          .files = {{.path = "t0"},
                    {.path = "t1"},
                    {.path = "t2"},
                    {.path = "v0", .split = Split::validation}}};
}

TEST(FilesForHosts, AreAllOfThemUnlessHostsGetShares) {
  EXPECT_THAT(
      files_for_hosts(index("folder"), 2, false),
      ElementsAre(ElementsAre("t0", "t1", "t2", "v0"), ElementsAre("t0", "t1", "t2", "v0")));
}

TEST(FilesForHosts, AreDealtOutInTurnButForThoseForValidation) {
  EXPECT_THAT(files_for_hosts(index("tfrecord"), 2, true),
              ElementsAre(ElementsAre("t0", "t2", "v0"), ElementsAre("t1", "v0")));
}

TEST(FilesForHosts, AreNotDealtOutWhereTheyBelongTogetherOrAreTooFew) {
  const auto refusal = [](const char* format, std::size_t hosts) {
    return std::string(error_of([&] { files_for_hosts(index(format), hosts, true); }).what());
  };
  EXPECT_EQ(refusal("mnist", 2), "--shards: the files of a mnist dataset belong together");
  EXPECT_EQ(refusal("tfrecord", 4), "--shards: 3 files for training are too few for 4 hosts");
}

TEST(CopyDataset, NeedsHostsAndAnAbsolutePath) {
  const auto refusal = [](const DataOptions& options) {
    return std::string(error_of([&] { copy_dataset(options); }).what());
  };
  DataOptions options{.action = DataAction::copy, .directories = {"dir"}};
  options.where.site["hosts"] = "localhost";
  EXPECT_EQ(refusal(options), "data copy needs hosts other than this machine");
  options.where.site["hosts"] = "node1.example";
  options.to = "there";
  EXPECT_THAT(refusal(options), StartsWith("--to=there is no absolute path"));
}

}  // namespace
}  // namespace lockstep::cli
