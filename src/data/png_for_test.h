#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

#include "data/bytes.h"

namespace lockstep::data {

// How pixels are stored.
struct PngKind {
  char colour_type = 2;  // 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha
  char bits = 8;
};

// A PNG file of rows as they are stored, of `height` times the same length.
inline std::string png_of(const PngKind& kind, int height, int width, std::string_view rows,
                          std::string_view palette = {}) {
  std::string file = "\x89PNG\r\n\x1a\n";
  const auto chunk = [&](std::string_view type, std::string_view content) {
    append_be(file, static_cast<std::uint32_t>(content.size()));
    const std::size_t checked = file.size();
    file.append(type).append(content);
    append_be(file, static_cast<std::uint32_t>(::crc32(0, bytes_of(file).data() + checked,
                                                       static_cast<uInt>(4 + content.size()))));
  };
  std::string header;
  append_be(header, static_cast<std::uint32_t>(width));
  append_be(header, static_cast<std::uint32_t>(height));
  header += {kind.bits, kind.colour_type, 0, 0, 0};
  chunk("IHDR", header);
  if (!palette.empty()) chunk("PLTE", palette);
  std::string filtered;  // by none, which is what 0 before each row says
  const std::size_t length = rows.size() / static_cast<std::size_t>(height);
  for (std::size_t at = 0; at < rows.size(); at += length) {
    filtered += '\0';
    filtered += rows.substr(at, length);
  }
  uLongf size = ::compressBound(filtered.size());
  std::string compressed(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(compressed.data()), &size, bytes_of(filtered).data(),
             filtered.size());
  chunk("IDAT", std::string_view(compressed).substr(0, size));
  chunk("IEND", {});
  return file;
}

}  // namespace lockstep::data
