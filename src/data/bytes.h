#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::data {

// Content of a file, as parsers see it.
using Bytes = std::span<const std::uint8_t>;

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The number at the front of at least sizeof(T) bytes, least or most significant byte first.
template <std::unsigned_integral T>
T load_le(Bytes bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(bytes[i]) << 8 * i);
  }
  return value;
}

template <std::unsigned_integral T>
T load_be(Bytes bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(bytes[i]) << 8 * (sizeof(T) - 1 - i));
  }
  return value;
}

template <std::unsigned_integral T>
void append_le(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> 8 * i & 0xff);
}

template <std::unsigned_integral T>
void append_be(std::string& out, T value) {
  for (std::size_t i = sizeof(T); i-- > 0;) out += static_cast<char>(value >> 8 * i & 0xff);
}

}  // namespace lockstep::data
