#include "data/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/files.h"

namespace lockstep::data {

namespace fs = std::filesystem;

std::string shard_name(Split split, std::uint64_t shard, std::uint64_t shards) {
  return fmt::format("{}-{:05}-of-{:05}", kSplitNames[static_cast<std::size_t>(split)], shard,
                     shards);
}

void make_empty_directory(const fs::path& directory) {
  make_directory(directory);
  if (!fs::is_empty(directory)) {
    throw Error(ExitCode::usage, fmt::format("{} is not empty", directory.string()),
                "a dataset wants a directory of its own");
  }
}

OutputFile::OutputFile(fs::path path)
    : path_(std::move(path)),
      unfinished_(path_.string() + ".unfinished"),
      stream_(unfinished_, std::ios::binary) {
  if (!stream_) fail();
}

OutputFile::~OutputFile() {
  std::error_code ignored;  // a finished one has another name
  fs::remove(unfinished_, ignored);
}

void OutputFile::append(std::string_view bytes) {
  if (!stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) fail();
}

void OutputFile::finish() {
  stream_.close();
  if (!stream_ || std::rename(unfinished_.c_str(), path_.c_str()) != 0) fail();
}

void OutputFile::fail() const {
  throw Error(ExitCode::environment,
              fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

}  // namespace lockstep::data
