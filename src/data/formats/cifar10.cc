// CIFAR-10, in its binary and in its Python version.

#include <fmt/format.h>

#include <optional>

#include "base/files.h"
#include "base/text.h"
#include "data/cifar.h"
#include "data/formats.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

constexpr int kTrainBatches = 5;

// In the directory itself, or in the one that the archive unpacks to.
std::vector<FoundFile> find(const fs::path& directory, const fs::path& unpacked,
                            std::string_view suffix) {
  for (const fs::path& below : {fs::path(), unpacked}) {
    std::vector<FoundFile> found;
    const auto look = [&](std::string_view stem, Split split) {
      const fs::path path = below / fmt::format("{}{}", stem, suffix);
      if (fs::is_regular_file(directory / path)) found.push_back({path.string(), split});
    };
    for (int i = 1; i <= kTrainBatches; ++i) look(fmt::format("data_batch_{}", i), Split::train);
    look("test_batch", Split::validation);
    if (!found.empty()) return found;
  }
  return {};
}

void scan(const fs::path& directory, Index& index, CifarBatch (*parse)(Bytes)) {
  for (std::uint32_t file = 0; file < index.files.size(); ++file) {
    const auto content = read_content(directory / index.files[file].path);
    if (const auto* fault = std::get_if<Fault>(&content)) {
      index.faults.push_back({file, *fault});
      continue;
    }
    CifarBatch batch = parse(bytes_of(std::get<std::string>(content)));
    for (Fault& fault : batch.faults) index.faults.push_back({file, std::move(fault)});
    for (const CifarImage& image : batch.images) {
      index.of(index.files[file].split)
          .push_back({.file = file,
                      .label = image.label,
                      .offset = image.offset,
                      .length = kCifarImageBytes});
    }
    if (!batch.images.empty()) index.see_shape(kCifarChannels, kCifarSide, kCifarSide);
  }
}

}  // namespace

std::vector<FoundFile> find_cifar10_binary(const fs::path& directory) {
  return find(directory, "cifar-10-batches-bin", ".bin");
}

void scan_cifar10_binary(const fs::path& directory, Index& index) {
  scan(directory, index, parse_cifar_binary);
  const fs::path names = (directory / index.files.front().path).parent_path() / "batches.meta.txt";
  if (!fs::exists(names)) return;
  std::int32_t label = 0;
  for (const std::string& line : split(read_file(names), '\n')) {
    if (label < kCifarClasses) index.see_class(label++, trim(line));
  }
}

std::vector<FoundFile> find_cifar10_python(const fs::path& directory) {
  return find(directory, "cifar-10-batches-py", "");
}

void scan_cifar10_python(const fs::path& directory, Index& index) {
  scan(directory, index, parse_cifar_pickle);
}

}  // namespace lockstep::data
