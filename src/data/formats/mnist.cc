// MNIST, and whatever else comes in its files: images and labels in two IDX files for each split.

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "data/formats.h"
#include "data/idx.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

struct Pair {
  Split split;
  std::string_view images, labels;
};

constexpr Pair kPairs[] = {
    {Split::train, "train-images", "train-labels"},
    {Split::validation, "t10k-images", "t10k-labels"},
};

// Under one of the names that are in use.
std::optional<std::string> find_file(const fs::path& directory, std::string_view stem,
                                     int dimensions) {
  for (const char joint : {'-', '.'}) {
    for (const std::string_view suffix : {"", ".gz"}) {
      std::string name = fmt::format("{}{}idx{}-ubyte{}", stem, joint, dimensions, suffix);
      if (fs::exists(directory / name)) return name;
    }
  }
  return std::nullopt;
}

// An IDX file that was read, with as many whole records as it has.
struct IdxFile {
  std::string content = {};
  IdxHeader header = {};
  std::uint64_t records = 0;

  std::uint8_t byte(std::uint64_t at) const { return static_cast<std::uint8_t>(content[at]); }
};

std::optional<IdxFile> read_array(const fs::path& directory, Index& index, std::uint32_t file,
                                  std::size_t dimensions) {
  const auto fail = [&](Fault fault) {
    index.faults.push_back({file, std::move(fault)});
    return std::nullopt;
  };
  auto content = read_content(directory / index.files[file].path);
  if (auto* fault = std::get_if<Fault>(&content)) return fail(*fault);
  IdxFile array{.content = std::move(std::get<std::string>(content))};
  auto header = parse_idx(bytes_of(array.content));
  if (auto* fault = std::get_if<Fault>(&header)) return fail(*fault);
  array.header = std::get<IdxHeader>(header);
  if (array.header.sizes.size() != dimensions) {
    return fail({3, fmt::format("{} instead of {}",
                                counted(std::ssize(array.header.sizes), "dimension"), dimensions)});
  }
  const std::uint64_t size = array.content.size(), due = array.header.file_bytes();
  if (size != due) {
    index.faults.push_back({file,
                            {std::min(size, due),
                             fmt::format("{}, where the header promises {}",
                                         counted(static_cast<std::int64_t>(size), "byte"), due)}});
  }
  array.records = std::min<std::uint64_t>(
      array.header.sizes[0], (size - array.header.header_bytes) / array.header.record_bytes);
  return array;
}

}  // namespace

std::vector<FoundFile> find_mnist(const fs::path& directory) {
  std::vector<FoundFile> found;
  for (const Pair& pair : kPairs) {
    const auto images = find_file(directory, pair.images, 3);
    const auto labels = find_file(directory, pair.labels, 1);
    if (images.has_value() != labels.has_value()) {
      throw Error(ExitCode::usage,
                  fmt::format("{} has {} but no {}", directory.string(), images ? *images : *labels,
                              images ? pair.labels : pair.images),
                  "images and labels come in two files");
    }
    if (!images) continue;
    found.push_back({*images, pair.split});
    found.push_back({*labels, pair.split});
  }
  return found;
}

void scan_mnist(const fs::path& directory, Index& index) {
  for (std::uint32_t file = 0; file < index.files.size(); file += 2) {
    const auto images = read_array(directory, index, file, 3);
    const auto labels = read_array(directory, index, file + 1, 1);
    if (!images || !labels) continue;
    const auto& sizes = images->header.sizes;
    if (sizes[0] != labels->header.sizes[0]) {
      index.faults.push_back(
          {file + 1,
           {4, fmt::format("{} for {}", counted(labels->header.sizes[0], "label"),
                           counted(sizes[0], "image"))}});
    }
    const auto height = static_cast<int>(sizes[1]), width = static_cast<int>(sizes[2]);
    if (file > 0 && !index.of(Split::train).empty() &&
        (height != index.height.most || width != index.width.most)) {
      index.faults.push_back(
          {file,
           {8, fmt::format("images of {} x {}, where those before are {} x {}", height, width,
                           index.height.most, index.width.most)}});
      continue;
    }
    index.see_shape(1, height, width);
    for (std::uint64_t i = 0; i < std::min(images->records, labels->records); ++i) {
      index.of(index.files[file].split)
          .push_back({.file = file,
                      .label = labels->byte(labels->header.header_bytes + i),
                      .offset = images->header.header_bytes + i * images->header.record_bytes,
                      .length = images->header.record_bytes});
    }
  }
}

}  // namespace lockstep::data
