#include "data/pipeline.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/directory_for_test.h"
#include "base/error_for_test.h"
#include "base/files.h"
#include "data/formats.h"
#include "data/make.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::HasSubstr;

struct Batch {
  std::vector<float> images;
  std::vector<int> labels;

  bool operator==(const Batch&) const = default;
};

Batch next(Pipeline& pipeline, int batch, int side) {
  Batch made{std::vector<float>(static_cast<std::size_t>(batch * 3 * side * side)),
             std::vector<int>(static_cast<std::size_t>(batch))};
  pipeline.next(planar_images(made.images.data(), batch, 3, side, side), made.labels);
  return made;
}

constexpr int kImageSide = 20;
constexpr int kImages = 30;

class Pipelines : public DirectoryTest {
 protected:
  Source source(const std::string& format) {
    const fs::path directory = directory_ / format;
    make_dataset(
        directory,
        {.format = format, .train = kImages, .validation = 1, .image_size = 32, .shards = 3});
    Index index = find_dataset(directory);
    scan_dataset(directory, index);
    return {directory, std::move(index)};
  }

  static PipelineOptions training(int threads, int prefetch = 2) {
    return {.preprocessing = {.height = kImageSide,
                              .width = kImageSide,
                              .distortions = true,
                              .seed = 5},
            .threads = threads,
            .prefetch = prefetch};
  }
  static PipelineOptions evaluation(int side = kImageSide) {
    return {.preprocessing = {.training = false, .height = side, .width = side}, .threads = 2};
  }

  // The second half of the file, and with it the picture, is missing.
  static void damage(const Source& source, std::size_t record) {
    const Index& index = source.index();
    const fs::path path =
        source.directory() / index.files[index.of(Split::train)[record].file].path;
    std::string content = read_file(path);
    for (std::size_t i = content.size() / 2 / 2 * 2; i + 1 < content.size(); i += 2) {
      content.replace(i, 2, "\xff\xd9");
    }
    write_file(path, content);
  }
};

TEST_F(Pipelines, MakeTheSameBatchesWhateverTheThreads) {
  const Source records = source("tfrecord");
  const Itinerary itinerary{.first = 3, .stride = 16, .batch = 8, .shuffle_seed = 9};
  std::vector<Batch> expected;
  constexpr std::pair<int, int> kThreadsAndPrefetch[] = {{1, 1}, {4, 1}, {3, 4}};
  for (const auto& [threads, prefetch] : kThreadsAndPrefetch) {
    Pipeline pipeline(records, itinerary, training(threads, prefetch));
    std::vector<Batch> batches;
    for (int b = 0; b < 10; ++b) batches.push_back(next(pipeline, 8, kImageSide));
    if (expected.empty()) expected = batches;
    EXPECT_TRUE(batches == expected) << threads << " " << prefetch;
    EXPECT_NE(batches[0].images, batches[1].images);
  }
}

TEST_F(Pipelines, OfAllRanksHaveEachRecordOnceInAnEpoch) {
  const Source pixels = source("cifar10_binary");
  constexpr int kRanks = 3, kBatch = 5, kSteps = 4;  // two epochs
  std::map<std::vector<float>, int> times;
  for (int rank = 0; rank < kRanks; ++rank) {
    Pipeline pipeline(pixels,
                      {.first = std::uint64_t{kBatch} * static_cast<unsigned>(rank),
                       .stride = kRanks * kBatch,
                       .batch = kBatch,
                       .shuffle_seed = 1},
                      evaluation(32));
    for (int step = 0; step < kSteps; ++step) {
      const Batch batch = next(pipeline, kBatch, 32);
      for (int i = 0; i < kBatch; ++i) {
        const auto begin = batch.images.begin() + std::ptrdiff_t{i} * 3 * 32 * 32;
        ++times[std::vector<float>(begin, begin + 3 * 32 * 32)];
      }
    }
  }
  EXPECT_EQ(times.size(), kImages);
  for (const auto& [image, count] : times) EXPECT_EQ(count, 2);
}

TEST_F(Pipelines, GoOnFromAnyPosition) {
  const Source records = source("tfrecord");
  Itinerary itinerary{.first = 4, .stride = 12, .batch = 4, .shuffle_seed = 9};
  Pipeline whole(records, itinerary, training(2));
  std::vector<Batch> batches;
  for (int b = 0; b < 6; ++b) batches.push_back(next(whole, 4, kImageSide));
  itinerary.first += 3 * itinerary.stride;
  Pipeline later(records, itinerary, training(2));
  for (std::size_t b = 3; b < 6; ++b) EXPECT_TRUE(next(later, 4, kImageSide) == batches[b]);
}

TEST_F(Pipelines, ShiftLabels) {
  const Source records = source("tfrecord");  // labels from 1
  PipelineOptions options = evaluation();
  Pipeline as_stored(records, {.stride = kImages, .batch = kImages}, options);
  options.label_shift = 1;
  Pipeline shifted(records, {.stride = kImages, .batch = kImages}, options);
  std::vector<int> labels = next(as_stored, kImages, kImageSide).labels;
  EXPECT_EQ(labels[7], records.index().of(Split::train)[7].label);
  for (int& label : labels) --label;
  EXPECT_EQ(next(shifted, kImages, kImageSide).labels, labels);
}

TEST_F(Pipelines, SayWhichRecordIsDamaged) {
  const Source pictures = source("folder");
  damage(pictures, 6);
  Pipeline pipeline(pictures, {.stride = 4, .batch = 4}, evaluation());
  next(pipeline, 4, kImageSide);
  const Error error = error_of([&] { next(pipeline, 4, kImageSide); });
  EXPECT_EQ(error.code(), ExitCode::usage);
  const Index& index = pictures.index();
  EXPECT_THAT(error.what(), HasSubstr(index.files[index.of(Split::train)[6].file].path));
  EXPECT_THAT(error.what(), HasSubstr("at byte"));
  EXPECT_THAT(error.hint(), HasSubstr("--skip_corrupt"));
}

TEST_F(Pipelines, PutTheNextRecordInPlaceOfADamagedOne) {
  const Source pictures = source("folder");
  Pipeline intact(pictures, {.stride = 10, .batch = 10}, evaluation());
  Batch expected = next(intact, 10, kImageSide);
  damage(pictures, 6);
  damage(pictures, 7);
  PipelineOptions options = evaluation();
  options.skip_corrupt = true;
  Pipeline pipeline(pictures, {.stride = 10, .batch = 10}, options);
  constexpr std::ptrdiff_t kImage = 3 * kImageSide * kImageSide;
  for (const int i : {6, 7}) {
    std::copy_n(expected.images.begin() + 8 * kImage, kImage, expected.images.begin() + i * kImage);
    expected.labels[static_cast<std::size_t>(i)] = expected.labels[8];
  }
  EXPECT_TRUE(next(pipeline, 10, kImageSide) == expected);
  EXPECT_EQ(pipeline.take_times().skipped, 3U);  // 6 and 7 for 6, 7 for 7
}

TEST_F(Pipelines, KeepRecordsInMemory) {
  const Source pictures = source("folder");
  PipelineOptions options = evaluation();
  options.cache = true;
  options.prefetch = 1;
  Pipeline pipeline(pictures, {.stride = kImages, .batch = kImages}, options);
  const Batch first = next(pipeline, kImages, kImageSide);
  fs::remove_all(pictures.directory());
  EXPECT_TRUE(next(pipeline, kImages, kImageSide) == first);
  EXPECT_TRUE(next(pipeline, kImages, kImageSide) == first);
}

TEST_F(Pipelines, RepeatOneRecordWithoutReading) {
  const Source records = source("tfrecord");
  PipelineOptions options = training(2);
  options.repeat_cached_sample = true;
  Pipeline pipeline(records, {.stride = 6, .batch = 6, .shuffle_seed = 2}, options);
  const Batch first = next(pipeline, 6, kImageSide);
  EXPECT_THAT(first.labels, Each(records.index().of(Split::train)[0].label));
  fs::remove_all(records.directory());
  for (int b = 0; b < 4; ++b) {
    const Batch batch = next(pipeline, 6, kImageSide);
    EXPECT_EQ(batch.labels, first.labels);
    EXPECT_NE(batch.images, first.images);  // other crops
  }
}

TEST_F(Pipelines, EndWhileTheirThreadsWork) {
  const Source records = source("tfrecord");
  for (int i = 0; i < 20; ++i) {
    Pipeline pipeline(records, {.stride = 3, .batch = 3}, training(3, 1 + i % 4));
    if (i > 0) next(pipeline, 3, kImageSide);
  }
}

TEST_F(Pipelines, MeasureTheirStages) {
  const Source records = source("tfrecord");
  Pipeline pipeline(records, {.stride = 16, .batch = 16}, training(2, 1));
  next(pipeline, 16, kImageSide);
  const InputTimes times = pipeline.take_times();
  EXPECT_GT(times.read, 0);
  EXPECT_GT(times.decode, 0);
  EXPECT_GT(times.assemble, 0);
  EXPECT_GT(times.hand_over, 0);
  EXPECT_GT(times.waited, 0);
  EXPECT_GE(times.images, 16U);
  EXPECT_EQ(times.skipped, 0U);
  EXPECT_EQ(pipeline.take_times().waited, 0);
}

TEST_F(Pipelines, LeaveWhatIsBetweenRowsAlone) {
  const Source pixels = source("cifar10_binary");
  Pipeline pipeline(pixels, {.stride = 2, .batch = 2}, evaluation(32));
  constexpr int kRow = 32 + 2, kPlane = 32 * kRow;
  std::vector<float> memory(2 * 3 * kPlane, 99);
  std::vector<int> labels(2);
  pipeline.next({memory.data(), 2, 3, 32, 32, 3 * kPlane, kPlane, kRow, 1}, labels);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    ASSERT_EQ(memory[i] == 99, i % kRow >= 32) << i;
  }
}

TEST_F(Pipelines, RefuseWhatCannotBe) {
  const Source records = source("tfrecord");
  PipelineOptions options = training(1);
  options.cores = {1 << 16};
  Pipeline elsewhere(records, {.stride = 2, .batch = 2}, options);
  EXPECT_EQ(error_of([&] { next(elsewhere, 2, kImageSide); }).code(), ExitCode::environment);
  const Source empty(directory_, Index{.format = "folder", .encoding = Encoding::image_file});
  EXPECT_THAT(error_of([&] { Pipeline(empty, {.stride = 2, .batch = 2}, training(1)); }).what(),
              HasSubstr("no images for training"));
}

}  // namespace
}  // namespace lockstep::data
