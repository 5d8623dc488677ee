#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/getenv.h"
#include "data/bytes.h"
#include "data/index.h"

namespace lockstep::data {

// An index as bytes, and back: nothing where a single bit is wrong or the version is another.
std::string encode_index(const Index& index);
std::optional<Index> decode_index(Bytes bytes);

// Where the index of a dataset is kept: in cache_directory(). Nothing: nowhere.
std::optional<std::filesystem::path> index_path(const std::filesystem::path& directory,
                                                const Getenv& getenv);

// The index of the dataset in a directory: that of an earlier scan, if since then no file came,
// went, or changed its size or time; else that of a scan, which is kept where that is possible.
// Throws Error(usage) where there is no dataset; what is wrong inside its files is in the index.
Index load_index(const std::filesystem::path& directory, const Getenv& getenv = process_getenv);

}  // namespace lockstep::data
