#include "cli/sweep_directory.h"

#include <gmock/gmock.h>

#include "base/directory_for_test.h"
#include "base/error.h"
#include "base/files.h"
#include "result/run_for_test.h"

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

class ASweepDirectory : public DirectoryTest {
 protected:
  ASweepDirectory() {
    sweep_.models = {{"lenet", 4}};
    sweep_.devices = {1, 2};
    plan_ = spec::expand(sweep_);
  }

  void measure(SweepDirectory& directory, std::size_t point, int round) {
    write_file(directory.begin(plan_.points[point], round) / "run.json",
               result::run_json_for(plan_.points[point]));
    directory.finish(plan_.points[point], round);
  }

  std::string refusal(bool resume) {
    try {
      const SweepDirectory directory(path_, sweep_, resume);
    } catch (const Error& error) {
      return fmt::format("{} {} | {}", static_cast<int>(error.code()), error.what(), error.hint());
    }
    return "none";
  }

  const fs::path path_ = directory_ / "out";
  spec::Sweep sweep_;
  spec::Plan plan_;
  std::vector<std::string> warnings_;
};

TEST_F(ASweepDirectory, RemembersFinishedLaunchesByRound) {
  {
    SweepDirectory directory(path_, sweep_, false);
    measure(directory, 0, 0);
    measure(directory, 1, 2);
  }
  const auto records = SweepDirectory(path_, sweep_, true).load(plan_, warnings_);
  ASSERT_EQ(records[0].launches.size(), 1);
  EXPECT_DOUBLE_EQ(records[0].launches[0]->images_per_second, 64);
  ASSERT_EQ(records[1].launches.size(), 3);
  EXPECT_FALSE(records[1].launches[0].has_value());
  EXPECT_TRUE(records[1].launches[2].has_value());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ASweepDirectory, ForgetsLaunchesThatDidNotEnd) {
  {
    SweepDirectory directory(path_, sweep_, false);
    write_file(directory.begin(plan_.points[0], 0) / "run.json", "{}");
  }
  SweepDirectory directory(path_, sweep_, true);
  EXPECT_THAT(directory.load(plan_, warnings_)[0].launches, IsEmpty());
  EXPECT_TRUE(fs::is_empty(directory.begin(plan_.points[0], 0)));
}

TEST_F(ASweepDirectory, SetsAsideWhatIsNoWholeResult) {
  SweepDirectory directory(path_, sweep_, false);
  measure(directory, 0, 0);
  const fs::path launch = path_ / "points" / plan_.points[0].id / "1";
  write_file(launch / "run.json", read_file(launch / "run.json").substr(0, 500));
  EXPECT_THAT(directory.load(plan_, warnings_)[0].launches, IsEmpty());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("launch 1 of lenet-b4-d1-replicated is measured "
                                               "again: its run.json: cut off at byte 500")));
  EXPECT_FALSE(fs::exists(launch));
  EXPECT_TRUE(fs::exists(launch.string() + ".rejected"));
}

TEST_F(ASweepDirectory, SetsAsideWhatBelongsToAnotherPoint) {
  SweepDirectory directory(path_, sweep_, false);
  measure(directory, 0, 0);
  measure(directory, 1, 0);
  const auto file = [&](std::size_t point) {
    return path_ / "points" / plan_.points[point].id / "1/run.json";
  };
  fs::rename(file(0), path_ / "aside");
  fs::rename(file(1), file(0));
  fs::rename(path_ / "aside", file(1));
  const auto records = directory.load(plan_, warnings_);
  EXPECT_THAT(records[0].launches, IsEmpty());
  EXPECT_THAT(records[1].launches, IsEmpty());
  EXPECT_THAT(warnings_[0], HasSubstr("launch 1 of lenet-b4-d1-replicated is measured again: its "
                                      "run.json: it belongs to another point"));
}

TEST_F(ASweepDirectory, KeepsTheEvidenceOfAFailureUntilTheLaunchGoesWell) {
  SweepDirectory directory(path_, sweep_, false);
  write_file(directory.begin(plan_.points[0], 0) / "rank0.log", "out of luck\n");
  const fs::path evidence = directory.fail(plan_.points[0], 0);
  EXPECT_EQ(read_file(evidence / "rank0.log"), "out of luck\n");
  measure(directory, 0, 0);
  EXPECT_FALSE(fs::exists(evidence));
}

TEST_F(ASweepDirectory, RefusesThisSweepUnlessItIsToBeResumed) {
  { const SweepDirectory directory(path_, sweep_, false); }
  EXPECT_EQ(refusal(false),
            fmt::format("2 {} holds this sweep already | --resume goes on with it; another "
                        "--result_dir starts a new one",
                        path_.string()));
  EXPECT_EQ(refusal(true), "none");
}

TEST_F(ASweepDirectory, RefusesAnotherSweep) {
  { const SweepDirectory directory(path_, sweep_, false); }
  sweep_.devices = {1};
  EXPECT_THAT(refusal(true), HasSubstr("holds another sweep: its devices is [1,2], not [1]"));
}

TEST_F(ASweepDirectory, MayBeBegunByAProcessThatDoesNotKnowTheThreads) {
  sweep_.threads_per_device = 0;
  { const SweepDirectory submitted(path_, sweep_, false); }
  sweep_.threads_per_device = 4;
  { const SweepDirectory job(path_, sweep_, true); }
  EXPECT_THAT(read_file(path_ / "sweep.json"), HasSubstr("\"threads_per_device\": 4"));
  sweep_.threads_per_device = 2;
  EXPECT_THAT(refusal(true), HasSubstr("its threads_per_device is 4, not 2"));
}

TEST_F(ASweepDirectory, MayGoOnForLonger) {
  { const SweepDirectory directory(path_, sweep_, false); }
  sweep_.repeats = 9;
  sweep_.max_time = 60;
  EXPECT_EQ(refusal(true), "none");
}

TEST_F(ASweepDirectory, RefusesASecondProcess) {
  const SweepDirectory directory(path_, sweep_, false);
  EXPECT_THAT(refusal(true), HasSubstr("2 another sweep is running in "));
}

TEST_F(ASweepDirectory, RefusesAFileInItsPlace) {
  write_file(path_, "not a directory");
  EXPECT_THAT(refusal(false), HasSubstr("3 cannot make the directory"));
}

TEST_F(ASweepDirectory, RefusesADamagedSweepJson) {
  { const SweepDirectory directory(path_, sweep_, false); }
  write_file(path_ / "sweep.json", "{\"models\": [");
  EXPECT_THAT(refusal(true), HasSubstr("is not a whole sweep.json"));
}

}  // namespace
}  // namespace lockstep::cli
