#include "data/idx.h"

#include <fmt/format.h>

namespace lockstep::data {
namespace {

constexpr std::uint8_t kUnsignedByte = 0x08;
constexpr std::size_t kMagicBytes = 4;
constexpr int kMostDimensions = 3;
// Far above any image; keeps every product below 2^64.
constexpr std::uint64_t kLargestRecord = std::uint64_t{1} << 28;

}  // namespace

Parsed<IdxHeader> parse_idx(Bytes bytes) {
  if (bytes.size() < kMagicBytes || bytes[0] != 0 || bytes[1] != 0) {
    return Fault{0, "not an IDX file"};
  }
  if (bytes[2] != kUnsignedByte) {
    return Fault{2,
                 fmt::format("IDX elements of type 0x{:02x}; unsigned bytes are 0x08", bytes[2])};
  }
  const int dimensions = bytes[3];
  if (dimensions < 1 || dimensions > kMostDimensions) {
    return Fault{3,
                 fmt::format("{} dimensions; from 1 to {} are known", dimensions, kMostDimensions)};
  }
  IdxHeader header{.header_bytes = kMagicBytes + 4U * static_cast<unsigned>(dimensions),
                   .record_bytes = 1};
  if (bytes.size() < header.header_bytes) return Fault{bytes.size(), "the header is cut off"};
  for (int d = 0; d < dimensions; ++d) {
    const std::size_t at = kMagicBytes + 4U * static_cast<unsigned>(d);
    header.sizes.push_back(load_be<std::uint32_t>(bytes.subspan(at)));
    if (d == 0) continue;
    if (header.sizes.back() == 0) return Fault{at, "a dimension of size 0"};
    header.record_bytes *= header.sizes.back();
    if (header.record_bytes > kLargestRecord) return Fault{at, "records are too large"};
  }
  return header;
}

std::string idx_header(std::span<const std::uint32_t> sizes) {
  std::string out = {0, 0, kUnsignedByte, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) append_be(out, size);
  return out;
}

}  // namespace lockstep::data
