#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/bytes.h"
#include "data/fault.h"

namespace lockstep::data {

// A TFRecord file is a row of frames: length (8 bytes), checksum of the length (4), payload,
// checksum of the payload (4).
constexpr std::uint64_t kFrameHead = 12, kFrameTail = 4;

// Bytes offset..offset + length of a file, which has them; valid until the next call.
using ReadAt = std::function<Bytes(std::uint64_t offset, std::uint64_t length)>;

// Calls `record` with every intact payload of a file of that size, and where it starts. A damaged
// payload is a fault and skipped. A damaged length is the last fault: nobody knows where the next
// frame starts.
std::vector<Fault> scan_frames(
    std::uint64_t size, const ReadAt& read,
    const std::function<void(std::uint64_t offset, Bytes payload)>& record);

// Whether the tail of a frame fits its payload.
bool tail_matches(Bytes payload, Bytes tail);

void append_frame(std::string& out, Bytes payload);

}  // namespace lockstep::data
