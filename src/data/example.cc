#include "data/example.h"

#include <algorithm>
#include <array>
#include <bit>

#include "data/protobuf.h"

namespace lockstep::data {
namespace {

using Type = Field::Type;

// Numbers of fields: Example.features, Features.feature (a map: entries of key and value), and the
// three kinds of lists that a Feature may be.
constexpr std::uint32_t kFeatures = 1, kEntry = 1, kKey = 1, kValue = 2;
constexpr std::uint32_t kBytesList = 1, kFloatList = 2, kInt64List = 3, kListValue = 1;

constexpr std::array<std::string_view, 4> kBoxKeys = {
    "image/object/bbox/ymin", "image/object/bbox/xmin", "image/object/bbox/ymax",
    "image/object/bbox/xmax"};

// The lists that are looked at; the last value wins, as in every protobuf message.
struct Feature {
  Bytes bytes;                 // the first of a list of bytes
  std::int64_t integer = 0;    // the first of a list of integers
  std::vector<float> numbers;  // a list of floats
  bool has_bytes = false, has_integer = false;
};

// Every reader returns whether the message is undamaged.
bool read_bytes_list(Bytes list, Feature& feature) {
  FieldReader reader(list);
  while (const auto field = reader.next()) {
    if (field->number != kListValue || field->type != Type::bytes || feature.has_bytes) continue;
    feature.bytes = field->bytes;
    feature.has_bytes = true;
  }
  return !reader.damaged();
}

bool read_float_list(Bytes list, Feature& feature) {
  FieldReader reader(list);
  while (const auto field = reader.next()) {
    if (field->number != kListValue || field->type == Type::varint) continue;
    if (field->bytes.size() % 4 != 0) return false;
    for (std::size_t i = 0; i < field->bytes.size(); i += 4) {
      feature.numbers.push_back(
          std::bit_cast<float>(load_le<std::uint32_t>(field->bytes.subspan(i))));
    }
  }
  return !reader.damaged();
}

bool read_int64_list(Bytes list, Feature& feature) {
  const auto take = [&](std::uint64_t value) {
    if (!feature.has_integer) feature.integer = static_cast<std::int64_t>(value);
    feature.has_integer = true;
  };
  FieldReader reader(list);
  while (const auto field = reader.next()) {
    if (field->number != kListValue) continue;
    if (field->type == Type::varint) {
      take(field->varint);
    } else if (field->type == Type::bytes && !field->bytes.empty()) {
      const auto first = FieldReader(field->bytes).next_varint();
      if (!first) return false;
      take(*first);
    }
  }
  return !reader.damaged();
}

bool read_feature(Bytes message, Feature& feature) {
  FieldReader reader(message);
  while (const auto field = reader.next()) {
    if (field->type != Type::bytes) continue;
    const bool intact = field->number == kBytesList   ? read_bytes_list(field->bytes, feature)
                        : field->number == kFloatList ? read_float_list(field->bytes, feature)
                        : field->number == kInt64List ? read_int64_list(field->bytes, feature)
                                                      : true;
    if (!intact) return false;
  }
  return !reader.damaged();
}

// Puts an example together from its features.
struct ExampleBuilder {
  ImageExample example;
  bool has_image = false;
  bool has_text = false;
  std::array<std::vector<float>, kBoxKeys.size()> sides;

  bool entry(Bytes message) {
    std::string_view key;
    Bytes value;
    FieldReader reader(message);
    while (const auto field = reader.next()) {
      if (field->type != Type::bytes) continue;
      if (field->number == kKey) key = text_of(field->bytes);
      if (field->number == kValue) value = field->bytes;
    }
    return !reader.damaged() && take(key, value);
  }

  bool take(std::string_view key, Bytes value) {
    const auto side = std::ranges::find(kBoxKeys, key) - kBoxKeys.begin();
    const bool wanted = key == "image/encoded" || key == "image/class/label" ||
                        key == "image/class/text" || key == "image/class/synset" ||
                        side < std::ssize(kBoxKeys);
    if (!wanted) return true;
    Feature feature;
    if (!read_feature(value, feature)) return false;
    if (side < std::ssize(kBoxKeys)) {
      sides[static_cast<std::size_t>(side)] = std::move(feature.numbers);
    } else if (key == "image/encoded") {
      example.image = feature.bytes;
      has_image = feature.has_bytes;
    } else if (key == "image/class/label") {
      if (feature.has_integer) example.label = feature.integer;
    } else if (!feature.bytes.empty() && (key == "image/class/text" || !has_text)) {
      example.class_name = text_of(feature.bytes);
      has_text = key == "image/class/text";
    }
    return true;
  }

  bool features(Bytes message) {
    FieldReader reader(message);
    while (const auto field = reader.next()) {
      if (field->number == kEntry && field->type == Type::bytes && !entry(field->bytes)) {
        return false;
      }
    }
    return !reader.damaged();
  }
};

void append_feature(std::string& features, std::string_view key, std::uint32_t kind,
                    std::string_view list) {
  std::string feature, entry;
  append_bytes_field(feature, kind, list);
  append_bytes_field(entry, kKey, key);
  append_bytes_field(entry, kValue, feature);
  append_bytes_field(features, kEntry, entry);
}

void append_text(std::string& features, std::string_view key, std::string_view value) {
  std::string list;
  append_bytes_field(list, kListValue, value);
  append_feature(features, key, kBytesList, list);
}

void append_integer(std::string& features, std::string_view key, std::int64_t value) {
  std::string packed, list;
  append_varint(packed, static_cast<std::uint64_t>(value));
  append_bytes_field(list, kListValue, packed);
  append_feature(features, key, kInt64List, list);
}

}  // namespace

Parsed<ImageExample> parse_example(Bytes bytes) {
  ExampleBuilder builder;
  FieldReader reader(bytes);
  while (const auto field = reader.next()) {
    if (field->number == kFeatures && field->type == Type::bytes &&
        !builder.features(field->bytes)) {
      return Fault{static_cast<std::uint64_t>(field->bytes.data() - bytes.data()),
                   "damaged features of a tf.train.Example"};
    }
  }
  if (reader.damaged()) return Fault{0, "not a tf.train.Example"};
  if (!builder.has_image) return Fault{0, "a tf.train.Example without image/encoded"};
  const auto& [ymin, xmin, ymax, xmax] = builder.sides;
  if (ymin.size() != xmin.size() || ymin.size() != ymax.size() || ymin.size() != xmax.size()) {
    return Fault{0, "a tf.train.Example whose bounding boxes lack sides"};
  }
  for (std::size_t i = 0; i < ymin.size(); ++i) {
    builder.example.boxes.push_back({ymin[i], xmin[i], ymax[i], xmax[i]});
  }
  return std::move(builder.example);
}

std::string encode_example(const ExampleToWrite& example) {
  std::string features;
  append_integer(features, "image/height", example.height);
  append_integer(features, "image/width", example.width);
  append_text(features, "image/colorspace", example.channels == 1 ? "Grayscale" : "RGB");
  append_integer(features, "image/channels", example.channels);
  append_integer(features, "image/class/label", example.label);
  append_text(features, "image/class/synset", example.class_name);
  append_text(features, "image/class/text", example.class_name);
  append_text(features, "image/format", example.format);
  append_text(features, "image/filename", example.file_name);
  append_text(features, "image/encoded", text_of(example.image));
  std::string out;
  append_bytes_field(out, kFeatures, features);
  return out;
}

}  // namespace lockstep::data
