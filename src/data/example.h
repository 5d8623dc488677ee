#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/bytes.h"
#include "data/fault.h"

namespace lockstep::data {

// Where an object is, in shares of the image's height and width.
struct Box {
  float ymin = 0, xmin = 0, ymax = 1, xmax = 1;

  bool operator==(const Box&) const = default;
};

// What training takes from a tf.train.Example with the keys of ImageNet's converters. Views point
// into the parsed bytes.
struct ImageExample {
  Bytes image;                        // image/encoded: a JPEG or PNG file
  std::optional<std::int64_t> label;  // image/class/label
  std::string_view class_name;        // image/class/text, else image/class/synset
  std::vector<Box> boxes;             // image/object/bbox/*
};

Parsed<ImageExample> parse_example(Bytes bytes);

// What goes into such a record, under the same keys.
struct ExampleToWrite {
  Bytes image = {};
  std::string_view format = {};  // "JPEG", "PNG"
  std::string_view file_name = {};
  std::int64_t label = 0;
  std::string_view class_name = {};
  int channels = 3, height = 0, width = 0;
};

std::string encode_example(const ExampleToWrite& example);

}  // namespace lockstep::data
