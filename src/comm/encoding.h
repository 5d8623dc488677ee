#pragma once

#include <cstddef>
#include <span>

#include "comm/wire.h"

namespace lockstep::comm {

std::size_t encoded_bytes(std::size_t floats, Encoding encoding);

// To the nearest value that the encoding has, ties to even; beyond the largest: infinity.
// `out` has room for encoded_bytes() and is aligned to floats.
void encode(std::span<const float> data, Encoding encoding, std::byte* out);

// What was encoded replaces `into`, or is added to it in 32 bits.
void decode(const std::byte* data, Encoding encoding, std::span<float> into, bool add);

}  // namespace lockstep::comm
