#include "data/protobuf.h"

namespace lockstep::data {

std::optional<std::uint64_t> FieldReader::next_varint() {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 10 && i < rest_.size(); ++i) {
    value |= std::uint64_t{rest_[i] & 0x7fU} << 7 * i;
    if ((rest_[i] & 0x80U) == 0) {
      rest_ = rest_.subspan(i + 1);
      return value;
    }
  }
  damaged_ = true;
  return std::nullopt;
}

std::optional<Bytes> FieldReader::take(std::uint64_t length) {
  if (length > rest_.size()) {
    damaged_ = true;
    return std::nullopt;
  }
  const Bytes taken = rest_.first(length);
  rest_ = rest_.subspan(length);
  return taken;
}

std::optional<Field> FieldReader::next() {
  if (done() || damaged_) return std::nullopt;
  const auto key = next_varint();
  if (!key) return std::nullopt;
  Field field{.number = static_cast<std::uint32_t>(*key >> 3),
              .type = static_cast<Field::Type>(*key & 7)};
  std::optional<std::uint64_t> length;
  switch (field.type) {
    case Field::Type::varint:
      if (const auto value = next_varint()) {
        field.varint = *value;
        return field;
      }
      return std::nullopt;
    case Field::Type::fixed64:
      length = 8;
      break;
    case Field::Type::fixed32:
      length = 4;
      break;
    case Field::Type::bytes:
      length = next_varint();
      break;
  }
  if (!length) {  // also: a type that nobody uses any more
    damaged_ = true;
    return std::nullopt;
  }
  const auto bytes = take(*length);
  if (!bytes) return std::nullopt;
  field.bytes = *bytes;
  return field;
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void append_bytes_field(std::string& out, std::uint32_t number, std::string_view content) {
  append_varint(out, std::uint64_t{number} << 3 | static_cast<unsigned>(Field::Type::bytes));
  append_varint(out, content.size());
  out += content;
}

}  // namespace lockstep::data
