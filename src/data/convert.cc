#include "data/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/example.h"
#include "data/image_file.h"
#include "data/index_file.h"
#include "data/order.h"
#include "data/output.h"
#include "data/source.h"
#include "data/tfrecord.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

std::string example_of(const Source& source, Split split, std::uint64_t i, int first_label,
                       std::vector<std::uint8_t>& buffer) {
  const Index& index = source.index();
  const Stored stored = source.fetch(split, i, buffer);
  const fs::path path = index.files[index.of(split)[i].file].path;
  const auto parsed = parse_image_header(stored.image);
  if (const auto* fault = std::get_if<Fault>(&parsed)) {
    throw Error(ExitCode::usage,
                fmt::format("{}: at byte {}: {}", path.string(), fault->offset, fault->what));
  }
  const auto& header = std::get<ImageHeader>(parsed);
  const std::string file = path.filename().string();
  return encode_example({.image = stored.image,
                         .format = header.kind == ImageHeader::Kind::jpeg ? "JPEG" : "PNG",
                         .file_name = file,
                         .label = stored.label + first_label,
                         .class_name = index.class_names[static_cast<std::size_t>(stored.label)],
                         .channels = header.channels,
                         .height = header.height,
                         .width = header.width});
}

// In a random order, so that every shard has of every class.
void write_shards(const Source& source, Split split, int shards, const ConvertOptions& options,
                  const fs::path& to) {
  const std::uint64_t images = source.index().of(split).size();
  if (images == 0) return;
  const Order order(images, options.seed);
  const std::uint64_t count = std::min(static_cast<std::uint64_t>(shards), images);
  std::vector<std::uint8_t> buffer;
  for (std::uint64_t shard = 0; shard < count; ++shard) {
    OutputFile file(to / shard_name(split, shard, count));
    for (std::uint64_t i = images * shard / count; i < images * (shard + 1) / count; ++i) {
      std::string frame;
      append_frame(
          frame, bytes_of(example_of(source, split, order.record(i), options.first_label, buffer)));
      file.append(frame);
    }
    file.finish();
  }
}

}  // namespace

Converted convert_to_tfrecord(const fs::path& from, const fs::path& to,
                              const ConvertOptions& options) {
  Index index = load_index(from);
  if (index.encoding != Encoding::image_file) {
    throw Error(ExitCode::usage,
                fmt::format("{} holds a dataset of format {}", from.string(), index.format),
                "convert takes folders of JPEG or PNG files");
  }
  if (!options.skip_corrupt) require_intact(index, from);
  make_empty_directory(to);
  const Converted converted{.train = index.of(Split::train).size(),
                            .validation = index.of(Split::validation).size(),
                            .left_out = index.faults.size()};
  const Source source(from, std::move(index));
  write_shards(source, Split::train, options.shards, options, to);
  write_shards(source, Split::validation, options.validation_shards, options, to);
  return converted;
}

}  // namespace lockstep::data
