#pragma once

#include <filesystem>
#include <string>

#include "data/index.h"

namespace lockstep::cli {

// What is in a dataset, for people and for programs (docs/formats.md).
std::string dataset_text(const data::Index& index, const std::filesystem::path& directory);
std::string dataset_json(const data::Index& index, const std::filesystem::path& directory);

}  // namespace lockstep::cli
