#include "data/parsers_for_test.h"

#include <zlib.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/check.h"
#include "data/cifar.h"
#include "data/crc32c.h"
#include "data/decode_jpeg.h"
#include "data/decode_png.h"
#include "data/example.h"
#include "data/gzip.h"
#include "data/idx.h"
#include "data/image_file.h"
#include "data/index_file.h"
#include "data/tfrecord.h"

namespace lockstep::data {
namespace {

constexpr std::uint64_t kMostContent = 1 << 20;

bool is_within(Bytes part, Bytes whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void overwrite(std::string& bytes, std::size_t at, std::string_view with) {
  bytes.replace(at, with.size(), with);
}

// --- pixels --------------------------------------------------------------------------------------

void survive_idx(Bytes bytes) {
  const auto idx = parse_idx(bytes);
  if (const auto* header = std::get_if<IdxHeader>(&idx)) {
    LOCKSTEP_CHECK(header->record_bytes > 0 && header->header_bytes <= bytes.size());
    LOCKSTEP_CHECK(header->file_bytes() >= header->header_bytes);
  }
}

void check_images(const CifarBatch& batch, Bytes bytes) {
  for (const CifarImage& image : batch.images) {
    LOCKSTEP_CHECK(image.offset + kCifarImageBytes <= bytes.size());
    LOCKSTEP_CHECK(image.label >= 0 && image.label < kCifarClasses);
  }
}

void survive_cifar_binary(Bytes bytes) {
  check_images(parse_cifar_binary(bytes), bytes);
}

void survive_cifar_pickle(Bytes bytes) {
  check_images(parse_cifar_pickle(bytes), bytes);
}

void survive_gzip(Bytes bytes) {
  const auto content = gunzip(bytes, kMostContent);
  if (const auto* text = std::get_if<std::string>(&content)) {
    LOCKSTEP_CHECK(text->size() <= kMostContent);
  }
}

// --- files of images -----------------------------------------------------------------------------

void check_image(Bytes bytes) {
  const auto image = parse_image_header(bytes);
  if (const auto* header = std::get_if<ImageHeader>(&image)) {
    LOCKSTEP_CHECK(header->channels > 0 && header->height > 0 && header->width > 0);
  }
}

// Decoding is the libraries' work; how they are called, and what they say to that, is ours.
constexpr int kMostSide = 512;

// Part of an image that is not too large.
std::optional<Crop> crop_of(Bytes bytes, ImageHeader::Kind kind) {
  const auto image = parse_image_header(bytes);
  const auto* header = std::get_if<ImageHeader>(&image);
  if (header == nullptr || header->kind != kind || header->height > kMostSide ||
      header->width > kMostSide) {
    return std::nullopt;
  }
  return Crop{.top = header->height / 3,
              .left = header->width / 3,
              .height = header->height - header->height / 3,
              .width = header->width - header->width / 3};
}

void check_pixels(const Parsed<PixelView>& decoded) {
  const auto* view = std::get_if<PixelView>(&decoded);
  LOCKSTEP_CHECK(view == nullptr || (view->height > 0 && view->width > 0));
}

void survive_jpeg(Bytes bytes) {
  const auto crop = crop_of(bytes, ImageHeader::Kind::jpeg);
  if (!crop) return;
  JpegDecoder decoder;
  for (const int least : {kMostSide, 4}) {
    check_pixels(decoder.decode(bytes, *crop, {.least_height = least, .least_width = least}));
  }
}

// A chunk is a length, a type of four bytes, as many bytes as the length says, a checksum.
std::string with_png_checksums(std::string bytes) {
  std::size_t at = 8;
  while (bytes.size() >= at + 12) {
    const std::size_t length = load_be<std::uint32_t>(bytes_of(bytes).subspan(at));
    if (length > bytes.size() - at - 12) break;
    const Bytes checked = bytes_of(bytes).subspan(at + 4, 4 + length);
    std::string sum;
    append_be(sum, static_cast<std::uint32_t>(
                       ::crc32(0, checked.data(), static_cast<uInt>(checked.size()))));
    overwrite(bytes, at + 8 + length, sum);
    at += 12 + length;
  }
  return bytes;
}

void survive_png(Bytes bytes) {
  const std::string mended = with_png_checksums(std::string(text_of(bytes)));
  const auto crop = crop_of(bytes_of(mended), ImageHeader::Kind::png);
  if (crop) check_pixels(PngDecoder().decode(bytes_of(mended), *crop));
}

void survive_image_file(Bytes bytes) {
  check_image(bytes);
  check_image(bytes_of(with_png_checksums(std::string(text_of(bytes)))));
}

void survive_example(Bytes bytes) {
  const auto parsed = parse_example(bytes);
  if (const auto* example = std::get_if<ImageExample>(&parsed)) {
    LOCKSTEP_CHECK(is_within(example->image, bytes));
    LOCKSTEP_CHECK(is_within(bytes_of(example->class_name), bytes));
    check_image(example->image);
  }
}

std::string with_frame_checksums(std::string bytes) {
  std::size_t at = 0;
  while (bytes.size() >= at + kFrameHead) {
    std::string sum;
    append_le(sum, masked_crc32c(bytes_of(bytes).subspan(at, 8)));
    overwrite(bytes, at + 8, sum);
    const auto length = load_le<std::uint64_t>(bytes_of(bytes).subspan(at));
    at += kFrameHead;
    if (bytes.size() - at < kFrameTail || length > bytes.size() - at - kFrameTail) break;
    sum.clear();
    append_le(sum, masked_crc32c(bytes_of(bytes).subspan(at, length)));
    overwrite(bytes, at + length, sum);
    at += length + kFrameTail;
  }
  return bytes;
}

void check_frames(Bytes bytes) {
  scan_frames(
      bytes.size(),
      [&](std::uint64_t offset, std::uint64_t length) { return bytes.subspan(offset, length); },
      [&](std::uint64_t offset, Bytes payload) {
        LOCKSTEP_CHECK(payload.data() == bytes.data() + offset && is_within(payload, bytes));
        survive_example(payload);
      });
}

void survive_tfrecord(Bytes bytes) {
  check_frames(bytes);
  check_frames(bytes_of(with_frame_checksums(std::string(text_of(bytes)))));
}

// --- our own -------------------------------------------------------------------------------------

void check_index(Bytes bytes) {
  const auto index = decode_index(bytes);
  if (!index) return;
  for (const auto& records : index->records) {
    for (const Record& record : records) LOCKSTEP_CHECK(record.file < index->files.size());
  }
  LOCKSTEP_CHECK(decode_index(bytes_of(encode_index(*index))) == index);
}

void survive_index(Bytes bytes) {
  check_index(bytes);
  std::string mended(text_of(bytes.first(bytes.size() - std::min<std::size_t>(bytes.size(), 4))));
  append_le(mended, crc32c(bytes_of(mended)));
  check_index(bytes_of(mended));
}

constexpr FileParser kParsers[] = {
    {"idx", survive_idx},
    {"cifar_binary", survive_cifar_binary},
    {"cifar_pickle", survive_cifar_pickle},
    {"gzip", survive_gzip},
    {"image_file", survive_image_file},
    {"jpeg", survive_jpeg},
    {"png", survive_png},
    {"example", survive_example},
    {"tfrecord", survive_tfrecord},
    {"index", survive_index},
};

}  // namespace

std::span<const FileParser> file_parsers() {
  return kParsers;
}

}  // namespace lockstep::data
