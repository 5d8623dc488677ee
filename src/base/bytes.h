#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace lockstep {

// Values as bytes for another process of the same program, and back: exact, and cheap however many
// there are.
template <typename Value>
requires std::is_trivially_copyable_v<Value>
void append_bytes(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename... Values>
std::string bytes_of(const Values&... values) {
  std::string bytes;
  (append_bytes(bytes, values), ...);
  return bytes;
}

// Takes values from the front of bytes; throws std::length_error where there are too few.
class BytesReader {
 public:
  explicit BytesReader(std::string_view bytes) : rest_(bytes) {}

  template <typename... Values>
  void take(Values&... values) {
    (take_one(values), ...);
  }
  template <typename Value>
  Value take() {
    Value value{};
    take_one(value);
    return value;
  }
  std::string_view rest() const { return rest_; }

 private:
  template <typename Value>
  requires std::is_trivially_copyable_v<Value>
  void take_one(Value& value) {
    if (rest_.size() < sizeof value) throw std::length_error("bytes end within a value");
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }

  std::string_view rest_;
};

}  // namespace lockstep
