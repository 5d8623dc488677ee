#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/descriptor.h"
#include "data/bytes.h"

namespace lockstep::data {

// A file to read from anywhere. Not mapped: a page of a mapping that cannot be read ends the
// program, a read that fails is an Error(usage) with the file's name.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);

  std::uint64_t size() const { return size_; }
  // Fills `to`; a file that ends before that is an error, too.
  void read(std::uint64_t offset, std::span<std::uint8_t> to) const;

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

// A file from front to back, in pieces that stay in the processor's cache.
class ForwardReader {
 public:
  explicit ForwardReader(const InputFile& file) : file_(file) {}

  // Bytes that the file has, from where the last ones began or from behind that; valid until the
  // next call.
  Bytes read(std::uint64_t offset, std::uint64_t length);

 private:
  const InputFile& file_;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t begin_ = 0, end_ = 0;  // what of the file is in the buffer
};

}  // namespace lockstep::data
