#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/bytes.h"
#include "data/fault.h"

namespace lockstep::data {

bool is_gzip(Bytes bytes);

// The content of a gzip file of one or more members; what would exceed `most` bytes is a fault.
// Offsets of faults count compressed bytes.
Parsed<std::string> gunzip(Bytes bytes, std::uint64_t most);

std::string gzip(std::string_view content);

}  // namespace lockstep::data
