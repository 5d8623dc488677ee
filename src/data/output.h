#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "data/index.h"

namespace lockstep::data {

// "train-00003-of-00064"
std::string shard_name(Split split, std::uint64_t shard, std::uint64_t shards);

// Makes the directory unless it is there. Throws Error(environment) where it cannot be made.
void make_directory(const std::filesystem::path& directory);

// The same; throws Error(usage) where it has something in it.
void make_empty_directory(const std::filesystem::path& directory);

}  // namespace lockstep::data
