#pragma once

#include <cstdint>

#include "data/bytes.h"

namespace lockstep::data {

// CRC-32C (Castagnoli), by the processor's own instruction where it has one.
std::uint32_t crc32c(Bytes bytes);

// As TFRecord files store it: rotated and shifted, so that the checksum of data that holds
// checksums is no weaker.
std::uint32_t masked_crc32c(Bytes bytes);

// The same without the instruction; for comparison.
std::uint32_t crc32c_by_table(Bytes bytes);

}  // namespace lockstep::data
