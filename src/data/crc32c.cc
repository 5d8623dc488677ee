#include "data/crc32c.h"

#include <array>
#include <bit>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace lockstep::data {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  constexpr std::uint32_t kPolynomial = 0x82f63b78;  // bits reversed
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1U) * kPolynomial;
    table[byte] = crc;
  }
  return table;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(Bytes bytes) {
  std::uint64_t crc = 0xffffffff;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    crc = _mm_crc32_u64(crc, load_le<std::uint64_t>(bytes));
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (const std::uint8_t byte : bytes) rest = _mm_crc32_u8(rest, byte);
  return ~rest;
}
#endif

}  // namespace

std::uint32_t crc32c_by_table(Bytes bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_table();
  std::uint32_t crc = 0xffffffff;
  for (const std::uint8_t byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ byte) & 0xff];
  return ~crc;
}

std::uint32_t crc32c(Bytes bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return crc32c_by_instruction(bytes);
#endif
  return crc32c_by_table(bytes);
}

std::uint32_t masked_crc32c(Bytes bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8U;
}

}  // namespace lockstep::data
