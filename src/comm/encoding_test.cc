#include "comm/encoding.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace lockstep::comm {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::uint16_t half(float value, Encoding encoding) {
  alignas(4) std::array<std::byte, 2> out = {};
  encode({&value, 1}, encoding, out.data());
  return std::bit_cast<std::uint16_t>(out);
}

float value(std::uint16_t half, Encoding encoding) {
  float result = 0;
  decode(reinterpret_cast<const std::byte*>(&half), encoding, {&result, 1}, false);
  return result;
}

// A value with `significand` bits behind the point is exact; beside it, ties go to the even one.
void expect_ties_to_even(Encoding encoding, int significand) {
  const float step = std::ldexp(1.0F, -significand);
  const auto round_trip = [&](float x) { return value(half(x, encoding), encoding); };
  EXPECT_EQ(1 + step, round_trip(1 + step));
  EXPECT_EQ(1.0F, round_trip(1 + step / 2));
  EXPECT_EQ(1 + 2 * step, round_trip(1 + 3 * step / 2));
  EXPECT_EQ(1 + step, round_trip(std::nextafter(1 + step / 2, 2.0F)));
  EXPECT_EQ(-1.0F, round_trip(-1 - step / 2));
}

TEST(Encoding, RoundsToTheNearestAndTiesToEven) {
  expect_ties_to_even(Encoding::fp16, 10);
  expect_ties_to_even(Encoding::bf16, 7);
}

TEST(Encoding, GivesEveryHalfBack) {
  for (const Encoding encoding : {Encoding::fp16, Encoding::bf16}) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float wide = value(static_cast<std::uint16_t>(bits), encoding);
      if (std::isnan(wide)) {
        EXPECT_TRUE(std::isnan(value(half(wide, encoding), encoding))) << bits;
      } else {
        EXPECT_EQ(bits, half(wide, encoding));
      }
    }
  }
}

TEST(Encoding, KnowsTheEndsOfFp16) {
  EXPECT_EQ(65504.0F, value(0x7bff, Encoding::fp16));
  EXPECT_EQ(0x7bff, half(65519.0F, Encoding::fp16));
  EXPECT_EQ(0x7c00, half(65520.0F, Encoding::fp16));
  EXPECT_EQ(0xfc00, half(-kInfinity, Encoding::fp16));
  EXPECT_EQ(std::ldexp(1.0F, -24), value(0x0001, Encoding::fp16));
  EXPECT_EQ(0x0001, half(std::ldexp(1.0F, -24), Encoding::fp16));
  EXPECT_EQ(0x0000, half(std::ldexp(1.0F, -25), Encoding::fp16)) << "a tie goes to zero";
  EXPECT_EQ(0x0400, half(std::ldexp(1.0F, -14), Encoding::fp16));
}

TEST(Encoding, LosesNoNanAndNoInfinity) {
  for (const Encoding encoding : {Encoding::fp16, Encoding::bf16}) {
    EXPECT_TRUE(std::isnan(value(half(std::nanf(""), encoding), encoding)));
    EXPECT_EQ(kInfinity, value(half(kInfinity, encoding), encoding));
    EXPECT_EQ(-kInfinity, value(half(-kInfinity, encoding), encoding));
  }
  const auto barely_nan = std::bit_cast<float>(0x7f800001U);
  EXPECT_TRUE(std::isnan(value(half(barely_nan, Encoding::bf16), Encoding::bf16)));
}

TEST(Encoding, AddsIn32Bits) {
  for (const Encoding encoding : {Encoding::fp32, Encoding::fp16, Encoding::bf16}) {
    const std::vector<float> data(19, 3.0F);
    std::vector<float> wire(data.size());
    encode(data, encoding, reinterpret_cast<std::byte*>(wire.data()));
    std::vector<float> sums(data.size(), 1 << 20);
    decode(reinterpret_cast<const std::byte*>(wire.data()), encoding, sums, true);
    EXPECT_EQ(std::vector<float>(19, (1 << 20) + 3), sums);
  }
}

}  // namespace
}  // namespace lockstep::comm
