#include "train/checkpoint.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

#include "base/directory_for_test.h"
#include "base/error.h"
#include "base/files.h"
#include "model/zoo.h"
#include "train/survive_for_test.h"

namespace lockstep::train {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CheckpointTest : public DirectoryTest {
 protected:
  fs::path write(const Checkpoint& checkpoint, int keep = 5) {
    write_checkpoint(directory_, checkpoint, keep);
    return directory_ / ("checkpoint-" + std::to_string(checkpoint.step));
  }
  // What becomes of a file with these bytes.
  std::string error_of(const std::string& content) {
    const fs::path path = directory_ / "checkpoint-1";
    std::ofstream(path, std::ios::binary) << content;
    try {
      read_checkpoint(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
      return error.what();
    }
    return "no error";
  }
};

Checkpoint small() {
  return {.model = "bowl",
          .dataset = "mnist",
          .optimizer = "momentum",
          .seed = 7,
          .step = 12,
          .images = (std::uint64_t{1} << 40) + 1,
          .squares = 0.1,
          .tensors = {{"dense/weights", {2, 3}, {1, -2, 3, 0.1F, 5, 6}},
                      {"dense/weights:momentum", {2, 3}, {6, 5, 4, 3, 2, 1}},
                      {std::string(kMovingStatistics), {0}, {}}}};
}

TEST_F(CheckpointTest, ReadsBackWhatWasWritten) {
  EXPECT_EQ(read_checkpoint(write(small())), small());
}

TEST_F(CheckpointTest, NoticesEveryBitThatIsWrong) {
  const std::string whole = read_file(write(small()));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ 1 << bit);
      EXPECT_NE(error_of(flipped), "no error") << "bit " << bit << " of byte " << i;
    }
  }
}

TEST_F(CheckpointTest, NoticesAFileOfAnyOtherLength) {
  const std::string whole = read_file(write(small()));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error_of(whole.substr(0, size)), "no error") << size;
  }
  EXPECT_THAT(error_of(whole.substr(0, whole.size() - 10)), HasSubstr("cut off"));
  EXPECT_THAT(error_of(whole + "x"), HasSubstr("1 byte too many"));
}

TEST_F(CheckpointTest, SaysWhatAForeignFileIs) {
  EXPECT_THAT(error_of("PK\3\4 something else altogether"), HasSubstr("no checkpoint"));
  std::string newer = read_file(write(small()));
  newer[8] = 9;
  EXPECT_THAT(error_of(newer), HasSubstr("version 9; this program reads version 1"));
}

// Shapes that no file could hold, under checksums that are right.
TEST_F(CheckpointTest, RefusesShapesThatAreLargerThanTheFile) {
  for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
           {std::int64_t{1} << 62, 4}, {-1}, {1 << 20, 1 << 20, 1 << 20, 1 << 20}, {100}}) {
    Checkpoint checkpoint = small();
    checkpoint.tensors.front().shape = shape;
    EXPECT_NE(error_of(read_file(write(checkpoint))), "no error");
  }
}

// tools/fuzz starts from these files, and what it finds is added to them.
TEST_F(CheckpointTest, SurvivesWhatFuzzingStartsFromAndFound) {
  const fs::path corpus = fs::path(LOCKSTEP_SOURCE_DIR) / "tests/fuzz/corpus/checkpoint";
  EXPECT_EQ(read_checkpoint(corpus / "small"), small());
  for (const auto& file : fs::directory_iterator(corpus)) {
    const std::string content = read_file(file.path());
    survive_checkpoint(data::bytes_of(content));
  }
}

TEST_F(CheckpointTest, KeepsTheLatestOnes) {
  EXPECT_EQ(latest_checkpoint(directory_), std::nullopt);
  EXPECT_EQ(latest_checkpoint(directory_ / "nowhere"), std::nullopt);
  Checkpoint checkpoint = small();
  for (const int step : {9, 10, 100, 101}) {
    checkpoint.step = step;
    write(checkpoint, 2);
  }
  std::ofstream(directory_ / "checkpoint-999.77.tmp") << "cut off";
  EXPECT_EQ(latest_checkpoint(directory_), directory_ / "checkpoint-101");
  EXPECT_TRUE(fs::exists(directory_ / "checkpoint-100"));
  EXPECT_FALSE(fs::exists(directory_ / "checkpoint-10"));
}

TEST_F(CheckpointTest, IsOfOneNetworkAndOneOptimizer) {
  const model::Model& model = model::find("mnist_softmax");
  const model::Graph graph = model::build(model, {});
  spec::Trial trial;
  trial.model = model.name;
  trial.dataset = model.dataset;
  Checkpoint checkpoint{
      .model = trial.model, .dataset = trial.dataset, .optimizer = "sgd", .tensors = {}};
  for (const model::Parameter& parameter : model::parameters(graph)) {
    checkpoint.tensors.push_back(
        {parameter.name, {parameter.shape.begin(), parameter.shape.end()}, {}});
  }
  checkpoint.tensors.push_back({std::string(kMovingStatistics), {0}, {}});
  const auto error = [&] {
    try {
      require_fit(checkpoint, "file", trial, graph);
    } catch (const Error& refused) {
      EXPECT_EQ(refused.code(), ExitCode::usage);
      return std::string(refused.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error(), "no error");
  trial.optimizer.kind = spec::OptimizerKind::momentum;
  EXPECT_THAT(error(), HasSubstr("trained with --optimizer=sgd, not momentum"));
  trial.mode = spec::Mode::evaluation;
  EXPECT_EQ(error(), "no error");
  checkpoint.tensors.front().shape.front() += 1;
  EXPECT_THAT(error(), HasSubstr("has the shape"));
  checkpoint.tensors.erase(checkpoint.tensors.begin());
  EXPECT_THAT(error(), HasSubstr("is missing"));
  checkpoint.model = "lenet";
  EXPECT_THAT(error(), HasSubstr("a checkpoint of lenet for mnist, not of mnist_softmax"));
}

TEST_F(CheckpointTest, RemovesWhatKilledWritersLeftAndNothingElse) {
  const fs::path abandoned = directory_ / "checkpoint-7.123.tmp";
  const fs::path at_work = directory_ / "checkpoint-8.124.tmp";
  for (const fs::path& path :
       {abandoned, at_work, directory_ / "notes.tmp", directory_ / "checkpoint-x.1.tmp"}) {
    std::ofstream(path) << "half";
  }
  const int file = open(at_work.c_str(), O_RDWR);
  ASSERT_EQ(flock(file, LOCK_EX), 0);
  write(small());
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(at_work));
  EXPECT_TRUE(fs::exists(directory_ / "notes.tmp"));
  EXPECT_TRUE(fs::exists(directory_ / "checkpoint-x.1.tmp"));
  close(file);
  write(small());
  EXPECT_FALSE(fs::exists(at_work));
}

}  // namespace
}  // namespace lockstep::train
