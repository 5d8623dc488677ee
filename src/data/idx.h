#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/bytes.h"
#include "data/fault.h"

namespace lockstep::data {

// An IDX file of unsigned bytes, as MNIST comes in: this header, then the elements, row by row.
struct IdxHeader {
  std::vector<std::uint32_t> sizes = {};  // of its dimensions; the first one counts records
  std::uint64_t header_bytes = 0;
  std::uint64_t record_bytes = 0;  // product of all sizes but the first

  std::uint64_t file_bytes() const { return header_bytes + sizes[0] * record_bytes; }
};

Parsed<IdxHeader> parse_idx(Bytes bytes);

std::string idx_header(std::span<const std::uint32_t> sizes);

}  // namespace lockstep::data
