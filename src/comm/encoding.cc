#include "comm/encoding.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/simd.h"

namespace lockstep::comm {
namespace {

// Without branches, so that the compiler makes vectors of these; and with no operation on a float
// below the normal range, which a thread may be set to flush to zero.

std::uint16_t bf16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  const std::uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
  return static_cast<std::uint16_t>((nan ? bits | 0x400000 : rounded) >> 16);
}

float float_of_bf16(std::uint16_t half) {
  return std::bit_cast<float>(std::uint32_t{half} << 16);
}

std::uint16_t fp16_of(float value) {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  constexpr std::uint32_t kTooLarge = (127 + 16) << 23;
  constexpr std::uint32_t kSmallestNormal = (127 - 14) << 23;
  // The last bit of this number has the weight of the smallest fp16: adding it rounds there.
  constexpr float kRounder = 0.5F;

  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  const std::uint32_t normal =
      (magnitude - ((127 - 15) << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const std::uint32_t tiny =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + kRounder) -
      std::bit_cast<std::uint32_t>(kRounder);
  const std::uint32_t huge = magnitude > kInfinity ? 0x7e00 : 0x7c00;
  const std::uint32_t finite = magnitude < kSmallestNormal ? tiny : normal;
  return static_cast<std::uint16_t>(sign | (magnitude >= kTooLarge ? huge : finite));
}

float float_of_fp16(std::uint16_t half) {
  constexpr std::uint32_t kSmallestNormal = (127 - 14) << 23;
  const std::uint32_t exponent = half & 0x7c00;
  const std::uint32_t shifted = (half & std::uint32_t{0x7fff}) << 13;
  const std::uint32_t normal = shifted + ((127 - 15) << 23);
  const std::uint32_t huge = shifted | 0x7f800000;
  // Given the exponent of the smallest normal number, less what that adds.
  const auto tiny = std::bit_cast<std::uint32_t>(std::bit_cast<float>(shifted + kSmallestNormal) -
                                                 std::bit_cast<float>(kSmallestNormal));
  const std::uint32_t finite = exponent == 0 ? tiny : normal;
  const std::uint32_t magnitude = exponent == 0x7c00 ? huge : finite;
  return std::bit_cast<float>(magnitude | (half & std::uint32_t{0x8000}) << 16);
}

LOCKSTEP_SIMD_CLONES
void encode_bf16(std::span<const float> data, std::uint16_t* __restrict out) {
  for (std::size_t i = 0; i < data.size(); ++i) out[i] = bf16_of(data[i]);
}

LOCKSTEP_SIMD_CLONES
void encode_fp16(std::span<const float> data, std::uint16_t* __restrict out) {
  for (std::size_t i = 0; i < data.size(); ++i) out[i] = fp16_of(data[i]);
}

LOCKSTEP_SIMD_CLONES
void decode_bf16(const std::uint16_t* __restrict data, std::span<float> into, bool add) {
  if (add) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] += float_of_bf16(data[i]);
  } else {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = float_of_bf16(data[i]);
  }
}

LOCKSTEP_SIMD_CLONES
void decode_fp16(const std::uint16_t* __restrict data, std::span<float> into, bool add) {
  if (add) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] += float_of_fp16(data[i]);
  } else {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = float_of_fp16(data[i]);
  }
}

LOCKSTEP_SIMD_CLONES
void add_floats(const float* __restrict data, std::span<float> into) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += data[i];
}

}  // namespace

std::size_t encoded_bytes(std::size_t floats, Encoding encoding) {
  return floats * (encoding == Encoding::fp32 ? 4 : 2);
}

void encode(std::span<const float> data, Encoding encoding, std::byte* out) {
  switch (encoding) {
    case Encoding::fp32:
      std::ranges::copy(data, reinterpret_cast<float*>(out));
      break;
    case Encoding::fp16:
      encode_fp16(data, reinterpret_cast<std::uint16_t*>(out));
      break;
    case Encoding::bf16:
      encode_bf16(data, reinterpret_cast<std::uint16_t*>(out));
      break;
  }
}

void decode(const std::byte* data, Encoding encoding, std::span<float> into, bool add) {
  switch (encoding) {
    case Encoding::fp32:
      if (add) {
        add_floats(reinterpret_cast<const float*>(data), into);
      } else {
        std::copy_n(reinterpret_cast<const float*>(data), into.size(), into.begin());
      }
      break;
    case Encoding::fp16:
      decode_fp16(reinterpret_cast<const std::uint16_t*>(data), into, add);
      break;
    case Encoding::bf16:
      decode_bf16(reinterpret_cast<const std::uint16_t*>(data), into, add);
      break;
  }
}

}  // namespace lockstep::comm
