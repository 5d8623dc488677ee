#pragma once

#include "data/bytes.h"
#include "data/fault.h"

namespace lockstep::data {

// What the headers of a JPEG or PNG file say.
struct ImageHeader {
  enum class Kind { jpeg, png } kind = Kind::jpeg;
  int channels = 0, height = 0, width = 0;

  bool operator==(const ImageHeader&) const = default;
};

// Told by content, not by name: ImageNet has a PNG file that is called JPEG. Sees files that are
// cut off, and damaged chunks of PNG files, but does not decode.
Parsed<ImageHeader> parse_image_header(Bytes bytes);

}  // namespace lockstep::data
