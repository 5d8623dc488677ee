#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/fault.h"

namespace lockstep::data {

enum class Split : std::uint8_t { train, validation };
constexpr std::array<const char*, 2> kSplitNames = {"train", "validation"};

// What the bytes of a record are.
enum class Encoding : std::uint8_t {
  pixels,      // channel by channel, row by row, a byte each; all records have one shape
  image_file,  // a JPEG or PNG file
  example,     // a tf.train.Example that holds such a file
};

struct IndexedFile {
  std::string path;  // below the dataset's directory
  Split split = Split::train;
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  // on the file system's clock

  bool operator==(const IndexedFile&) const = default;
};

constexpr std::int32_t kNoLabel = -1;
// Far above any dataset's. Names are kept by label: without a limit one absurd label takes all
// memory.
constexpr std::int32_t kLargestLabel = (1 << 20) - 1;

// Where a record is. Of a compressed file, offsets count decompressed bytes.
struct Record {
  std::uint32_t file = 0;
  std::int32_t label = kNoLabel;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  bool operator==(const Record&) const = default;
};

struct FaultyFile {
  std::uint32_t file = 0;
  Fault fault = {};

  bool operator==(const FaultyFile&) const = default;
};

// The least and the most of something.
struct Extent {
  std::int32_t least = 0, most = 0;

  bool operator==(const Extent&) const = default;
};

// All that one pass over the files of a dataset finds out; the same files always give the same.
struct Index {
  std::string format;
  Encoding encoding = Encoding::pixels;
  std::vector<IndexedFile> files = {};
  std::array<std::vector<Record>, 2> records = {};  // by split
  Extent channels = {}, height = {}, width = {};    // of the images
  std::vector<std::string> class_names = {};        // by label; empty where unknown
  std::vector<FaultyFile> faults = {};

  const std::vector<Record>& of(Split split) const {
    return records[static_cast<std::size_t>(split)];
  }
  std::vector<Record>& of(Split split) { return records[static_cast<std::size_t>(split)]; }

  void see_shape(int c, int h, int w);
  void see_class(std::int32_t label, std::string_view name);

  bool operator==(const Index&) const = default;
};

// The labels of all records; nothing where no record has one.
std::optional<Extent> labels_of(const Index& index);

// What to subtract from labels so that they fit a network with so many outputs. ImageNet comes in
// two conventions, 0..999 and, from its first converter, 1..1000 with 0 for the background;
// networks of 1001 outputs take both as they are, those of 1000 need the second one shifted.
// Throws Error(usage) when nothing fits.
std::int32_t label_shift(const Index& index, int outputs);

// "DIR/train-00000-of-00008: at byte 4711: a record of 100 bytes is damaged"
std::string describe(const Index& index, const FaultyFile& faulty,
                     const std::filesystem::path& directory);

// The first fault, and how many more there are; nothing: there is none.
std::optional<std::string> damage(const Index& index, const std::filesystem::path& directory);
// Throws Error(usage) with that.
void require_intact(const Index& index, const std::filesystem::path& directory);

}  // namespace lockstep::data
