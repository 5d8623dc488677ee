#include "data/formats.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/directory_for_test.h"
#include "base/error_for_test.h"
#include "base/files.h"
#include "data/convert.h"
#include "data/example.h"
#include "data/image_file.h"
#include "data/index_file.h"
#include "data/jpeg.h"
#include "data/make.h"
#include "data/pattern.h"
#include "data/source.h"
#include "data/tfrecord.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Index scanned(const fs::path& directory) {
  Index index = find_dataset(directory);
  scan_dataset(directory, index);
  return index;
}

void flip(const fs::path& path, std::size_t at) {
  std::string content = read_file(path);
  content.at(at) ^= 1;
  write_file(path, content);
}

void cut(const fs::path& path, std::size_t size) {
  write_file(path, read_file(path).substr(0, size));
}

class Datasets : public DirectoryTest {
 protected:
  // A small dataset of the format.
  fs::path made(const std::string& format, bool gzip = false) {
    const fs::path directory = directory_ / format;
    make_dataset(directory, {.format = format,
                             .train = 30,
                             .validation = 9,
                             .image_size = 16,
                             .shards = 3,
                             .gzip = gzip});
    return directory;
  }
};

TEST_F(Datasets, OfEveryFormatHoldWhatWasMade) {
  for (const Format& format : formats()) {
    const fs::path directory = made(std::string(format.name));
    const Source source(directory, scanned(directory));
    const Index& index = source.index();
    EXPECT_EQ(index.format, format.name);
    EXPECT_THAT(index.faults, IsEmpty());
    EXPECT_THAT(index.of(Split::train), SizeIs(30));
    EXPECT_THAT(index.of(Split::validation), SizeIs(9));
    std::vector<std::uint8_t> buffer;
    for (std::size_t i = 0; i < 30; ++i) {
      const Stored stored = source.fetch(Split::train, i, buffer);
      EXPECT_GE(stored.label, 0);
      if (index.encoding == Encoding::pixels) continue;
      EXPECT_TRUE(std::holds_alternative<ImageHeader>(parse_image_header(stored.image)));
    }
  }
}

TEST_F(Datasets, OfPixelsGiveBackEveryPixelAndLabel) {
  for (const char* format : {"mnist", "cifar10_binary", "cifar10_python"}) {
    const fs::path directory = made(format);
    const Source source(directory, scanned(directory));
    Pattern pattern{.seed = 1};
    if (std::string(format) != "mnist") {
      pattern = {.channels = 3, .height = 32, .width = 32, .seed = 1};
    }
    std::vector<std::uint8_t> unused;
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(pattern.channels) * pattern.height *
                                     pattern.width);
    for (std::uint64_t i = 0; i < 39; ++i) {
      const Stored stored = i < 30 ? source.fetch(Split::train, i, unused)
                                   : source.fetch(Split::validation, i - 30, unused);
      draw_pattern(pattern, i, pixels);
      EXPECT_TRUE(std::ranges::equal(stored.image, pixels)) << format << " " << i;
      EXPECT_EQ(stored.label, pattern_label(pattern, i));
    }
  }
}

TEST_F(Datasets, OfMnistMayBeCompressed) {
  const Index plain = scanned(made("mnist"));
  fs::rename(directory_ / "mnist", directory_ / "plain");
  const Index compressed = scanned(made("mnist", true));
  EXPECT_EQ(compressed.files[0].path, "train-images-idx3-ubyte.gz");
  EXPECT_EQ(compressed.records, plain.records);
}

TEST_F(Datasets, KnowShapesAndClasses) {
  const Index index = scanned(made("tfrecord"));
  EXPECT_EQ(index.channels, (Extent{3, 3}));
  EXPECT_EQ(index.height.least, 16);
  EXPECT_GT(index.height.most, 16);
  EXPECT_LE(index.width.most, 24);
  EXPECT_EQ(labels_of(index)->least, 1);
  EXPECT_EQ(index.class_names[1], "class000");
}

TEST_F(Datasets, LeaveOutDamagedRecordsAndSayWhere) {
  struct Damage {
    const char* format;
    const char* file;
    void (*damage)(const fs::path&);
    std::size_t left;  // of 30 + 9
    const char* what;
  };
  const Damage damages[] = {
      {"mnist", "train-images-idx3-ubyte", [](const fs::path& p) { cut(p, 16 + 784 * 20 + 5); }, 29,
       "train-images-idx3-ubyte: at byte 15701: 15701 bytes, where the header promises 23536"},
      {"mnist", "train-labels-idx1-ubyte", [](const fs::path& p) { cut(p, 0); }, 9,
       "train-labels-idx1-ubyte: at byte 0: the file is empty"},
      {"mnist", "train-images-idx3-ubyte", [](const fs::path& p) { flip(p, 3); }, 9,
       "at byte 3: 2 dimensions instead of 3"},
      {"mnist", "t10k-images-idx3-ubyte", [](const fs::path& p) { flip(p, 11); }, 30,
       "t10k-images-idx3-ubyte: at byte 8: images of 29 x 28, where those before are 28 x 28"},
      {"cifar10_binary", "data_batch_2.bin", [](const fs::path& p) { cut(p, 3073 * 2 + 1); }, 35,
       "data_batch_2.bin: at byte 6146: the last image is cut off"},
      {"cifar10_python", "data_batch_2", [](const fs::path& p) { cut(p, 5000); }, 33,
       "data_batch_2: at byte"},
      {"tfrecord", "train-00001-of-00003", [](const fs::path& p) { flip(p, 100); }, 38,
       "train-00001-of-00003: at byte 12: a record of"},
      {"tfrecord", "train-00001-of-00003", [](const fs::path& p) { flip(p, 2); }, 29,
       "train-00001-of-00003: at byte 0: the length of a record is damaged"},
      {"tfrecord", "train-00001-of-00003", [](const fs::path& p) { cut(p, 0); }, 29,
       "train-00001-of-00003: at byte 0: the file is empty"},
  };
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.what);
    const fs::path directory = made(damage.format);
    damage.damage(directory / damage.file);
    const Index index = scanned(directory);
    EXPECT_EQ(index.of(Split::train).size() + index.of(Split::validation).size(), damage.left);
    std::string all;
    for (const FaultyFile& faulty : index.faults) all += describe(index, faulty, directory) + '\n';
    EXPECT_THAT(all, HasSubstr(damage.what));
    const Error error = error_of([&] { require_intact(index, directory); });
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr(damage.file));
    fs::remove_all(directory);
  }
}

TEST_F(Datasets, NumberTheClassesOfFoldersByName) {
  const std::string pixels(3 * 8 * 8, 'x');
  const std::string image = encode_jpeg(bytes_of(pixels), 3, 8, 8);
  for (const char* path : {"zebra/1.jpg", "ant/b.JPEG", "ant/a.jpeg", "mole/x.jpg"}) {
    fs::create_directories((directory_ / path).parent_path());
    write_file(directory_ / path, image);
  }
  write_file(directory_ / "ant/notes.txt", "not an image");
  write_file(directory_ / "mole/broken.jpg", "not an image either");
  const Index index = scanned(directory_);
  EXPECT_THAT(index.class_names, ElementsAre("ant", "mole", "zebra"));
  std::vector<std::pair<std::string, int>> found;
  for (const Record& record : index.of(Split::train)) {
    found.emplace_back(index.files[record.file].path, record.label);
  }
  using testing::Pair;
  EXPECT_THAT(found, ElementsAre(Pair("ant/a.jpeg", 0), Pair("ant/b.JPEG", 0),
                                 Pair("mole/x.jpg", 1), Pair("zebra/1.jpg", 2)));
  ASSERT_THAT(index.faults, SizeIs(1));
  EXPECT_EQ(describe(index, index.faults[0], "dir"),
            "dir/mole/broken.jpg: at byte 0: neither a JPEG nor a PNG file");
}

TEST_F(Datasets, AreNotSeenWhereThereAreNone) {
  const Error error = error_of([&] { find_dataset(directory_); });
  EXPECT_EQ(error.code(), ExitCode::usage);
  EXPECT_THAT(error.hint(), HasSubstr("data_batch_1.bin"));
  EXPECT_THAT(error_of([&] { find_dataset(directory_ / "no"); }).what(),
              HasSubstr("is not a directory"));
}

TEST_F(Datasets, OfMnistNeedBothFiles) {
  const fs::path directory = made("mnist");
  fs::remove(directory / "train-labels-idx1-ubyte");
  EXPECT_THAT(error_of([&] { find_dataset(directory); }).what(), HasSubstr("but no train-labels"));
}

TEST_F(Datasets, AreMadeInDirectoriesOfTheirOwn) {
  write_file(directory_ / "precious", "");
  EXPECT_THAT(error_of([&] { make_dataset(directory_, {}); }).what(), HasSubstr("is not empty"));
  EXPECT_THAT(error_of([&] { make_dataset(directory_ / "new", {.format = "zip"}); }).hint(),
              HasSubstr("mnist"));
}

TEST_F(Datasets, ConvertFromFoldersToTfRecords) {
  const fs::path from = made("folder"), to = directory_ / "converted";
  convert_to_tfrecord(from, to, {.shards = 4, .validation_shards = 2, .first_label = 0});
  const Source folder(from, scanned(from)), records(to, scanned(to));
  EXPECT_THAT(records.index().files, SizeIs(6));
  EXPECT_EQ(records.index().class_names, folder.index().class_names);
  const auto all = [](const Source& source) {
    std::vector<std::pair<std::string, int>> images;
    std::vector<std::uint8_t> buffer;
    for (std::size_t i = 0; i < source.index().of(Split::train).size(); ++i) {
      const Stored stored = source.fetch(Split::train, i, buffer);
      images.emplace_back(text_of(stored.image), stored.label);
    }
    return images;
  };
  EXPECT_THAT(all(records), testing::UnorderedElementsAreArray(all(folder)));
}

// Written by tools/tfrecords.py.
TEST_F(Datasets, OfTfRecordsMayComeFromTensorFlow) {
  fs::copy_file(fs::path(LOCKSTEP_SOURCE_DIR) / "tests/golden/tensorflow.tfrecord",
                directory_ / "train-00000-of-00001");
  const Source source(directory_, scanned(directory_));
  EXPECT_THAT(source.index().faults, IsEmpty());
  EXPECT_EQ(source.index().channels, (Extent{1, 3}));
  EXPECT_EQ(source.index().class_names[1], "tench, Tinca tinca");
  EXPECT_EQ(source.index().class_names[3], "tibur\xc3\xb3n");
  std::vector<std::uint8_t> buffer;
  std::vector<ImageHeader> headers;
  std::vector<int> labels;
  for (std::size_t i = 0; i < source.index().of(Split::train).size(); ++i) {
    const Stored stored = source.fetch(Split::train, i, buffer);
    labels.push_back(stored.label);
    headers.push_back(std::get<ImageHeader>(parse_image_header(stored.image)));
    if (i > 0) continue;
    EXPECT_THAT(stored.boxes, ElementsAre(Box{0, .25F, .5F, .75F}, Box{.125F, 0, 1, 1}));
  }
  using Kind = ImageHeader::Kind;
  EXPECT_THAT(labels, ElementsAre(1, 1000, 3));
  EXPECT_THAT(headers,
              ElementsAre(ImageHeader{Kind::jpeg, 3, 6, 8}, ImageHeader{Kind::png, 3, 6, 8},
                          ImageHeader{Kind::jpeg, 1, 6, 8}));
}

TEST_F(Datasets, ThatChangeUnderUsAreNoticed) {
  const fs::path directory = made("tfrecord");
  const Source source(directory, scanned(directory));
  flip(directory / "train-00000-of-00003", 100);
  std::vector<std::uint8_t> buffer;
  EXPECT_THAT(error_of([&] { source.fetch(Split::train, 0, buffer); }).what(),
              HasSubstr("train-00000-of-00003: at byte 12: a record is damaged"));
}

TEST_F(Datasets, OfTfRecordsHaveLabelsThatCanBe) {
  const std::string jpeg = encode_jpeg(bytes_of(std::string(64, 'x')), 1, 8, 8);
  std::string records;
  for (const std::int64_t label : {-2, -1, 0, 1 << 20}) {
    append_frame(
        records,
        bytes_of(encode_example({.image = bytes_of(jpeg), .label = label, .class_name = "ant"})));
  }
  write_file(directory_ / "train-0-of-1", records);
  const Index index = scanned(directory_);
  EXPECT_THAT(index.class_names, ElementsAre("ant"));
  ASSERT_THAT(index.of(Split::train), SizeIs(2));
  EXPECT_EQ(index.of(Split::train)[0].label, kNoLabel);
  ASSERT_THAT(index.faults, SizeIs(2));
  EXPECT_THAT(index.faults[0].fault.what, HasSubstr("label -2"));
  EXPECT_THAT(index.faults[1].fault.what, HasSubstr("label 1048576"));
}

TEST(Labels, FitNetworksInBothConventions) {
  Index index;
  index.of(Split::train) = {{.label = 1}, {.label = 1000}};
  EXPECT_EQ(label_shift(index, 1001), 0);
  EXPECT_EQ(label_shift(index, 1000), 1);
  EXPECT_THROW(label_shift(index, 999), Error);
  index.of(Split::train) = {{.label = 0}, {.label = 999}};
  EXPECT_EQ(label_shift(index, 1001), 0);
  EXPECT_EQ(label_shift(index, 1000), 0);
  EXPECT_THROW(label_shift(index, 999), Error);
}

}  // namespace
}  // namespace lockstep::data
