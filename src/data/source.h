#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/bytes.h"
#include "data/example.h"
#include "data/index.h"

namespace lockstep::data {

// A record as training takes it: pixels or a JPEG or PNG file, by the index's encoding.
struct Stored {
  Bytes image = {};
  std::uint64_t offset = 0;  // of the image in its file
  std::int32_t label = kNoLabel;
  std::vector<Box> boxes = {};
};

// The records of a dataset. Those of pixels, which are small, are held in memory; the others are
// read when they are asked for.
class Source {
 public:
  Source(std::filesystem::path directory, Index index);

  const std::filesystem::path& directory() const { return directory_; }
  const Index& index() const { return index_; }

  // Record i of a split; any number of threads may ask at once. The image is in `buffer` or in
  // memory of the source's own. Throws Error(usage) with file and offset where the bytes are no
  // longer those that were indexed.
  Stored fetch(Split split, std::size_t i, std::vector<std::uint8_t>& buffer) const;

 private:
  std::filesystem::path directory_;
  Index index_;
  std::vector<std::string> contents_;  // by file; of pixels
};

}  // namespace lockstep::data
