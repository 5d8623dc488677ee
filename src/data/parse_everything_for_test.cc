#include "data/parse_everything_for_test.h"

#include "base/check.h"
#include "data/cifar.h"
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

void check_images(const CifarBatch& batch, Bytes bytes) {
  for (const CifarImage& image : batch.images) {
    LOCKSTEP_CHECK(image.offset + kCifarImageBytes <= bytes.size());
    LOCKSTEP_CHECK(image.label >= 0 && image.label < kCifarClasses);
  }
}

}  // namespace

void parse_everything(Bytes bytes) {
  if (const auto idx = parse_idx(bytes); const auto* header = std::get_if<IdxHeader>(&idx)) {
    LOCKSTEP_CHECK(header->record_bytes > 0 && header->header_bytes <= bytes.size());
  }
  if (const auto image = parse_image_header(bytes);
      const auto* header = std::get_if<ImageHeader>(&image)) {
    LOCKSTEP_CHECK(header->channels > 0 && header->height > 0 && header->width > 0);
  }
  if (const auto parsed = parse_example(bytes);
      const auto* example = std::get_if<ImageExample>(&parsed)) {
    LOCKSTEP_CHECK(is_within(example->image, bytes));
    LOCKSTEP_CHECK(is_within(bytes_of(example->class_name), bytes));
  }
  check_images(parse_cifar_binary(bytes), bytes);
  check_images(parse_cifar_pickle(bytes), bytes);
  scan_frames(
      bytes.size(),
      [&](std::uint64_t offset, std::uint64_t length) { return bytes.subspan(offset, length); },
      [&](std::uint64_t, Bytes payload) { LOCKSTEP_CHECK(is_within(payload, bytes)); });
  if (const auto content = gunzip(bytes, kMostContent);
      const auto* text = std::get_if<std::string>(&content)) {
    LOCKSTEP_CHECK(text->size() <= kMostContent);
  }
  if (const auto index = decode_index(bytes)) {
    for (const auto& records : index->records) {
      for (const Record& record : records) LOCKSTEP_CHECK(record.file < index->files.size());
    }
  }
}

}  // namespace lockstep::data
