#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/bytes.h"

namespace lockstep::data {

// A field of a protobuf message on the wire.
struct Field {
  std::uint32_t number = 0;
  enum class Type { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 } type = Type::varint;
  std::uint64_t varint = 0;
  Bytes bytes = {};  // of every other type
};

// Reads the fields of a message one after the other.
class FieldReader {
 public:
  explicit FieldReader(Bytes message) : rest_(message) {}

  // The next field; nothing at the end of the message, or where it is damaged.
  std::optional<Field> next();
  // Numbers without fields around them, as packed lists have them.
  std::optional<std::uint64_t> next_varint();

  bool damaged() const { return damaged_; }
  bool done() const { return rest_.empty(); }

 private:
  std::optional<Bytes> take(std::uint64_t length);

  Bytes rest_;
  bool damaged_ = false;
};

void append_varint(std::string& out, std::uint64_t value);
void append_bytes_field(std::string& out, std::uint32_t number, std::string_view content);

}  // namespace lockstep::data
