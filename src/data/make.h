#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace lockstep::data {

struct MakeOptions {
  std::string format = "mnist";
  std::uint64_t train = 6000, validation = 1000;  // images
  int classes = 10;
  int image_size = 64;  // of JPEG files: the shorter side; MNIST's and CIFAR-10's are what they are
  int shards = 4;     // of TFRecord files, for training; one for every eight of them for validation
  bool gzip = false;  // MNIST's files
  std::uint64_t seed = 1;
};

// Writes a dataset of patterns (pattern.h) that no reader can tell from a real one of that format.
// The directory must be empty or not there. Throws Error(usage).
void make_dataset(const std::filesystem::path& directory, const MakeOptions& options);

}  // namespace lockstep::data
