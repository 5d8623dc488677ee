#include "data/formats.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "data/gzip.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestContent = kLargestArchive;

// From the names that are hard to mistake to those that could be anything.
constexpr Format kFormats[] = {
    {"mnist", "train-images-idx3-ubyte[.gz], train-labels-idx1-ubyte[.gz], t10k-...",
     Encoding::pixels, find_mnist, scan_mnist},
    {"cifar10_binary", "data_batch_1.bin ... data_batch_5.bin, test_batch.bin", Encoding::pixels,
     find_cifar10_binary, scan_cifar10_binary},
    {"cifar10_python", "data_batch_1 ... data_batch_5, test_batch", Encoding::pixels,
     find_cifar10_python, scan_cifar10_python},
    {"tfrecord", "train-00000-of-01024 ..., validation-00000-of-00128 ...", Encoding::example,
     find_tfrecord, scan_tfrecord},
    {"folder", "train/CLASS/*.jpg ..., val/CLASS/*.jpg ..., or CLASS/*.jpg ...; also .jpeg, .png",
     Encoding::image_file, find_folder, scan_folder},
};

IndexedFile look_at(const fs::path& directory, const FoundFile& found) {
  const fs::path path = directory / found.path;
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  const auto modified = error ? fs::file_time_type() : fs::last_write_time(path, error);
  if (error) {
    throw Error(ExitCode::usage, fmt::format("cannot read {}: {}", path.string(), error.message()));
  }
  return {.path = found.path,
          .split = found.split,
          .bytes = bytes,
          .modified = std::chrono::nanoseconds(modified.time_since_epoch()).count()};
}

std::vector<FoundFile> find_files(const Format& format, const fs::path& directory) {
  try {
    return format.find(directory);
  } catch (const fs::filesystem_error& error) {
    throw Error(ExitCode::usage,
                fmt::format("cannot read {}: {}", error.path1().string(), error.code().message()));
  }
}

}  // namespace

std::span<const Format> formats() {
  return kFormats;
}

Index find_dataset(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    const std::string reason = error ? ": " + error.message() : "";
    throw Error(ExitCode::usage,
                fmt::format("{} is not a directory{}", directory.string(), reason));
  }
  for (const Format& format : kFormats) {
    const std::vector<FoundFile> found = find_files(format, directory);
    if (found.empty()) continue;
    Index index{.format = std::string(format.name), .encoding = format.encoding};
    for (const FoundFile& file : found) index.files.push_back(look_at(directory, file));
    return index;
  }
  std::vector<std::string> known;
  for (const Format& format : kFormats) {
    known.push_back(fmt::format("{}: {}", format.name, format.files));
  }
  throw Error(ExitCode::usage, fmt::format("no dataset in {}", directory.string()),
              "known are\n  " + join(known, "\n  "));
}

void scan_dataset(const fs::path& directory, Index& index) {
  std::ranges::find(kFormats, index.format, &Format::name)->scan(directory, index);
}

Parsed<std::string> read_content(const fs::path& path) {
  std::string content = read_file(path, kLargestArchive);
  if (content.empty()) return Fault{0, "the file is empty"};
  if (!is_gzip(bytes_of(content))) return content;
  return gunzip(bytes_of(content), kLargestContent);
}

}  // namespace lockstep::data
