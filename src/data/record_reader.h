#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "data/source.h"

namespace lockstep::data {

// Reads the records of a split, for any number of threads. If it keeps them, each is read once and
// stays in memory; pixels are there anyway.
class RecordReader {
 public:
  RecordReader(const Source& source, Split split, bool keeps);
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // A thread's own.
  struct Memory {
    std::vector<std::uint8_t> bytes = {};
    Stored stored = {};
  };

  // Valid until the next call with this memory. Throws as Source::fetch does.
  const Stored& read(std::size_t i, Memory& memory);

 private:
  const Source& source_;
  Split split_;
  std::vector<std::atomic<const Memory*>> kept_;  // by record; empty if none is
};

}  // namespace lockstep::data
