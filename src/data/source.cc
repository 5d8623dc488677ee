#include "data/source.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "data/formats.h"
#include "data/input_file.h"
#include "data/tfrecord.h"

namespace lockstep::data {
namespace {

[[noreturn]] void changed(const std::filesystem::path& path, const Fault& fault) {
  throw Error(ExitCode::usage,
              fmt::format("{}: at byte {}: {}", path.string(), fault.offset, fault.what),
              "the file has changed since it was looked at");
}

}  // namespace

Source::Source(std::filesystem::path directory, Index index)
    : directory_(std::move(directory)), index_(std::move(index)) {
  if (index_.encoding != Encoding::pixels) return;
  std::vector<std::uint64_t> needed(index_.files.size());
  for (const auto& records : index_.records) {
    for (const Record& record : records) {
      needed[record.file] = std::max(needed[record.file], record.offset + record.length);
    }
  }
  contents_.resize(index_.files.size());
  for (std::size_t file = 0; file < contents_.size(); ++file) {
    if (needed[file] == 0) continue;  // labels, which the index has
    const std::filesystem::path path = directory_ / index_.files[file].path;
    auto content = read_content(path);
    if (const auto* fault = std::get_if<Fault>(&content)) changed(path, *fault);
    contents_[file] = std::move(std::get<std::string>(content));
    if (contents_[file].size() < needed[file]) {
      changed(path, {contents_[file].size(), "the file has become shorter"});
    }
  }
}

Stored Source::fetch(Split split, std::size_t i, std::vector<std::uint8_t>& buffer) const {
  LOCKSTEP_CHECK(i < index_.of(split).size());
  const Record& record = index_.of(split)[i];
  if (index_.encoding == Encoding::pixels) {
    return {.image = bytes_of(contents_[record.file]).subspan(record.offset, record.length),
            .offset = record.offset,
            .label = record.label};
  }
  const bool framed = index_.encoding == Encoding::example;
  const std::filesystem::path path = directory_ / index_.files[record.file].path;
  buffer.resize(record.length + (framed ? kFrameTail : 0));
  InputFile(path).read(record.offset, buffer);
  const Bytes bytes = Bytes(buffer).first(record.length);
  if (!framed) return {.image = bytes, .offset = record.offset, .label = record.label};

  if (!tail_matches(bytes, Bytes(buffer).subspan(record.length))) {
    changed(path, {record.offset, "a record is damaged"});
  }
  auto example = parse_example(bytes);
  if (const auto* fault = std::get_if<Fault>(&example)) {
    changed(path, {record.offset + fault->offset, fault->what});
  }
  auto& parsed = std::get<ImageExample>(example);
  return {.image = parsed.image,
          .offset = record.offset + static_cast<std::uint64_t>(parsed.image.data() - bytes.data()),
          .label = record.label,
          .boxes = std::move(parsed.boxes)};
}

}  // namespace lockstep::data
