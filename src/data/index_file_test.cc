#include "data/index_file.h"

#include <gmock/gmock.h>

#include "base/directory_for_test.h"
#include "base/files.h"
#include "data/make.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

Index example() {
  Index index{.format = "tfrecord", .encoding = Encoding::example};
  index.files = {{"a", Split::train, 10, -5}, {"b", Split::validation, 1ULL << 40, 6}};
  index.of(Split::train) = {{.file = 0, .label = 3, .offset = 12, .length = 7}};
  index.of(Split::validation) = {{.file = 1, .label = kNoLabel, .offset = 1ULL << 39}};
  index.see_shape(3, 20, 30);
  index.see_class(1, "dog");
  index.faults = {{1, {77, "damaged"}}};
  return index;
}

TEST(IndexBytes, ReadBackWhatWasWritten) {
  EXPECT_EQ(decode_index(bytes_of(encode_index(example()))), example());
  EXPECT_EQ(decode_index(bytes_of(encode_index({}))), Index{});
}

TEST(IndexBytes, AreWorthNothingWhenAnyIsWrong) {
  const std::string whole = encode_index(example());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 1;
    EXPECT_FALSE(decode_index(bytes_of(damaged))) << i;
    EXPECT_FALSE(decode_index(bytes_of(whole.substr(0, i)))) << i;
  }
}

TEST(IndexBytes, AreWorthNothingWhereRecordsDoNotFitTheirShape) {
  Index pixels{.format = "mnist"};
  pixels.files = {{"a", Split::train, 3000, 0}};
  pixels.of(Split::train) = {{.file = 0, .label = 3, .offset = 12, .length = 600}};
  pixels.see_shape(1, 20, 30);
  EXPECT_EQ(decode_index(bytes_of(encode_index(pixels))), pixels);
  Index longer = pixels;
  longer.of(Split::train)[0].length = 601;
  EXPECT_FALSE(decode_index(bytes_of(encode_index(longer))));
  Index flat = pixels;
  flat.height = {};
  EXPECT_FALSE(decode_index(bytes_of(encode_index(flat))));
  Index unknown = pixels;
  unknown.encoding = static_cast<Encoding>(3);
  EXPECT_FALSE(decode_index(bytes_of(encode_index(unknown))));
}

class Kept : public DirectoryTest {
 protected:
  Kept() {
    make_dataset(data_, {.train = 20, .validation = 5});
    getenv_ = [this](const char* name) {
      return std::string(name) == "XDG_CACHE_HOME" ? cache_.c_str() : nullptr;
    };
  }

  fs::path data_ = directory_ / "data", cache_ = directory_ / "cache";
  Getenv getenv_;
};

TEST_F(Kept, IsAnIndexUntilAFileChanges) {
  const Index first = load_index(data_, getenv_);
  const fs::path kept = *index_path(data_, getenv_);
  // An index that no scan would give, to see that it is taken.
  Index marked = first;
  marked.class_names = {"marked"};
  write_file(kept, encode_index(marked));
  EXPECT_EQ(load_index(data_, getenv_), marked);

  const fs::path labels = data_ / "train-labels-idx1-ubyte";
  write_file(labels, read_file(labels));
  fs::last_write_time(labels, fs::last_write_time(labels) + std::chrono::seconds(1));
  const Index again = load_index(data_, getenv_);
  EXPECT_EQ(again.records, first.records);
  EXPECT_NE(again, marked);
  EXPECT_EQ(load_index(data_, getenv_), again);
}

TEST_F(Kept, IsNothingWhereItIsDamagedOrCannotBe) {
  const Index index = load_index(data_, getenv_);
  write_file(*index_path(data_, getenv_), "damaged");
  EXPECT_EQ(load_index(data_, getenv_), index);
  cache_ = "/dev/null";
  EXPECT_EQ(load_index(data_, getenv_), index);
  const Getenv nothing = [](const char*) -> const char* { return nullptr; };
  EXPECT_EQ(load_index(data_, nothing), index);
}

}  // namespace
}  // namespace lockstep::data
