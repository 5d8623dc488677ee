#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/sample.h"

namespace lockstep::record {

// The file `samples.<rank>`: the raw samples of one rank as text (docs/formats.md has the grammar).
inline constexpr int kSamplesVersion = 2;

struct SamplesHeader {
  int rank = 0;
  std::string host;                 // without spaces
  std::string clock = "monotonic";  // what `begin` and `end` count on
};

std::filesystem::path samples_path(const std::filesystem::path& directory, int rank);

// Writes the header at construction and every sample as it comes, unbuffered: whatever ends the
// process, the samples so far are in the file. Throws Error(environment) when it cannot be written.
class SamplesWriter {
 public:
  SamplesWriter(const std::filesystem::path& path, const SamplesHeader& header);

  void append(const Sample& sample);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void write(std::string_view text);
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

struct SamplesFile {
  SamplesHeader header;
  std::vector<Sample> samples;
  bool truncated = false;  // the last line was cut off, and is not among the samples
};

// Throws Error(usage) that names file and line where the content is not what a writer wrote.
SamplesFile read_samples(const std::filesystem::path& path);

// The same columns as bytes, for another process of the same program. Throws std::length_error
// where they end within a sample.
std::string samples_to_bytes(std::span<const Sample> samples);
std::vector<Sample> samples_from_bytes(std::string_view bytes);

// The last samples of a file that may still grow, at most `most`: cheap, however long the file is.
// Throws Error(usage) for what is no samples file.
std::vector<Sample> read_last_samples(const std::filesystem::path& path, std::size_t most);

}  // namespace lockstep::record
