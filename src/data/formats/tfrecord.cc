// Shards of TFRecord files with ImageNet's examples: train-00017-of-01024.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "data/example.h"
#include "data/formats.h"
#include "data/image_file.h"
#include "data/input_file.h"
#include "data/tfrecord.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// SPLIT-NUMBER-of-NUMBER
bool is_shard(const std::string& name, std::string_view split_name) {
  const std::vector<std::string> parts = split(name, '-');
  return parts.size() == 4 && parts[0] == split_name && is_number(parts[1]) && parts[2] == "of" &&
         is_number(parts[3]);
}

// Offsets of the fault start at the record's.
Fault within(std::uint64_t offset, Fault fault) {
  fault.offset += offset;
  return fault;
}

void scan_shard(const fs::path& path, Index& index, std::uint32_t file) {
  const auto fail = [&](Fault fault) { index.faults.push_back({file, std::move(fault)}); };
  const InputFile input(path);
  if (input.size() == 0) return fail({0, "the file is empty"});
  ForwardReader reader(input);
  const auto read = [&](std::uint64_t offset, std::uint64_t length) {
    return reader.read(offset, length);
  };
  const auto record = [&](std::uint64_t offset, Bytes payload) {
    const auto parsed = parse_example(payload);
    if (const auto* fault = std::get_if<Fault>(&parsed)) return fail(within(offset, *fault));
    const auto& example = std::get<ImageExample>(parsed);
    const auto image = parse_image_header(example.image);
    if (const auto* fault = std::get_if<Fault>(&image)) {
      const auto image_at = example.image.empty() ? 0 : example.image.data() - payload.data();
      return fail(within(offset + static_cast<std::uint64_t>(image_at), *fault));
    }
    const std::int64_t label = example.label.value_or(kNoLabel);
    if (label < kNoLabel || label > kLargestLabel) {
      return fail({offset, fmt::format("label {}, where {} is the largest", label, kLargestLabel)});
    }
    const auto& header = std::get<ImageHeader>(image);
    index.see_shape(header.channels, header.height, header.width);
    index.see_class(static_cast<std::int32_t>(label), example.class_name);
    index.of(index.files[file].split)
        .push_back({.file = file,
                    .label = static_cast<std::int32_t>(label),
                    .offset = offset,
                    .length = payload.size()});
  };
  for (Fault& fault : scan_frames(input.size(), read, record)) fail(std::move(fault));
}

}  // namespace

std::vector<FoundFile> find_tfrecord(const fs::path& directory) {
  std::vector<FoundFile> found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (is_shard(name, "train")) found.push_back({name, Split::train});
    if (is_shard(name, "validation")) found.push_back({name, Split::validation});
  }
  std::ranges::sort(found, {}, &FoundFile::path);
  return found;
}

void scan_tfrecord(const fs::path& directory, Index& index) {
  for (std::uint32_t file = 0; file < index.files.size(); ++file) {
    scan_shard(directory / index.files[file].path, index, file);
  }
}

}  // namespace lockstep::data
