#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "data/index.h"

namespace lockstep::data {

// "train-00003-of-00064"
std::string shard_name(Split split, std::uint64_t shard, std::uint64_t shards);

// Makes the directory unless it is there; throws Error(usage) where it has something in it.
void make_empty_directory(const std::filesystem::path& directory);

// A file that is written piece by piece, as it may be larger than memory, and that has its name
// only once it is whole. Throws Error(environment) where it cannot be written.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();  // an unfinished file goes
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(std::string_view bytes);
  void finish();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_, unfinished_;
  std::ofstream stream_;
};

}  // namespace lockstep::data
