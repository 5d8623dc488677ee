#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/bytes.h"
#include "data/index.h"

namespace lockstep::data {

struct FoundFile {
  std::string path;  // below the directory
  Split split = Split::train;
};

// A way in which datasets are stored.
struct Format {
  std::string_view name;
  std::string_view files;  // for people: what such a dataset consists of
  Encoding encoding;
  // The files of such a dataset, always in the same order; none: there is no such dataset.
  std::vector<FoundFile> (*find)(const std::filesystem::path& directory);
  // Adds what the files of the index hold. What is wrong with their content becomes a fault.
  void (*scan)(const std::filesystem::path& directory, Index& index);
};

// The table of formats: formats.cc.
std::span<const Format> formats();

// The dataset in a directory, told by the names of its files, which are looked up but not read:
// an index without records. Throws Error(usage) where there is none.
Index find_dataset(const std::filesystem::path& directory);

// What such an index becomes by one pass over all of its files.
void scan_dataset(const std::filesystem::path& directory, Index& index);

// One in formats/ each.
std::vector<FoundFile> find_mnist(const std::filesystem::path& directory);
void scan_mnist(const std::filesystem::path& directory, Index& index);
std::vector<FoundFile> find_cifar10_binary(const std::filesystem::path& directory);
void scan_cifar10_binary(const std::filesystem::path& directory, Index& index);
std::vector<FoundFile> find_cifar10_python(const std::filesystem::path& directory);
void scan_cifar10_python(const std::filesystem::path& directory, Index& index);
std::vector<FoundFile> find_tfrecord(const std::filesystem::path& directory);
void scan_tfrecord(const std::filesystem::path& directory, Index& index);
std::vector<FoundFile> find_folder(const std::filesystem::path& directory);
void scan_folder(const std::filesystem::path& directory, Index& index);

// The content of a file, decompressed where it is a gzip file.
Parsed<std::string> read_content(const std::filesystem::path& path);

}  // namespace lockstep::data
