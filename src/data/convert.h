#pragma once

#include <cstdint>
#include <filesystem>

namespace lockstep::data {

struct ConvertOptions {
  int shards = 64, validation_shards = 8;
  int first_label = 1;  // as ImageNet's first converter; 0: as many others
  bool skip_corrupt = false;
  std::uint64_t seed = 1;  // of the order in which images go into shards
};

struct Converted {
  std::uint64_t train = 0, validation = 0;  // images that were written
  std::uint64_t left_out = 0;               // damaged ones
};

// Writes the images of a dataset of image files as TFRecord files. Throws Error(usage).
Converted convert_to_tfrecord(const std::filesystem::path& from, const std::filesystem::path& to,
                              const ConvertOptions& options);

}  // namespace lockstep::data
