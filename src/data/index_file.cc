#include "data/index_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/cache_directory.h"
#include "base/error.h"
#include "base/files.h"
#include "data/crc32c.h"
#include "data/formats.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

// What the files hold, as this version of the scan sees it.
constexpr std::string_view kMagic = "lockstep-index 1\n";
constexpr std::size_t kChecksumBytes = 4;

// Writer and reader have the same members, so that one function lists the fields for both.
class Writer {
 public:
  template <typename Number>
  void number(const Number& value) {
    append_le(out, static_cast<std::uint64_t>(value));
  }
  void text(const std::string& value) {
    number(value.size());
    out += value;
  }
  template <typename Element, typename Visit>
  void list(const std::vector<Element>& elements, std::size_t, Visit visit) {
    number(elements.size());
    for (const Element& element : elements) visit(element);
  }

  std::string out;
};

// Behind the first thing that does not fit, everything reads as zero and empty.
class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  template <typename Number>
  void number(Number& value) {
    value = static_cast<Number>(take_number());
  }
  void text(std::string& value) {
    const std::uint64_t length = take_number();
    if (length > rest_.size()) return fail();
    value = text_of(rest_.first(length));
    rest_ = rest_.subspan(length);
  }
  // Elements take at least so many bytes each, which bounds how many there can be.
  template <typename Element, typename Visit>
  void list(std::vector<Element>& elements, std::size_t least_bytes, Visit visit) {
    const std::uint64_t count = take_number();
    if (count > rest_.size() / least_bytes) return fail();
    elements.resize(count);
    for (Element& element : elements) visit(element);
  }

  bool fits() const { return fits_ && rest_.empty(); }

 private:
  std::uint64_t take_number() {
    if (rest_.size() < 8) {
      fail();
      return 0;
    }
    const auto value = load_le<std::uint64_t>(rest_);
    rest_ = rest_.subspan(8);
    return value;
  }
  void fail() {
    fits_ = false;
    rest_ = {};
  }

  Bytes rest_;
  bool fits_ = true;
};

template <typename Stream, typename IndexType>
void visit_index(Stream& stream, IndexType& index) {
  stream.text(index.format);
  stream.number(index.encoding);
  stream.list(index.files, 32, [&](auto& file) {
    stream.text(file.path);
    stream.number(file.split);
    stream.number(file.bytes);
    stream.number(file.modified);
  });
  for (auto& records : index.records) {
    stream.list(records, 32, [&](auto& record) {
      stream.number(record.file);
      stream.number(record.label);
      stream.number(record.offset);
      stream.number(record.length);
    });
  }
  for (auto* extent : {&index.channels, &index.height, &index.width}) {
    stream.number(extent->least);
    stream.number(extent->most);
  }
  stream.list(index.class_names, 8, [&](auto& name) { stream.text(name); });
  stream.list(index.faults, 24, [&](auto& faulty) {
    stream.number(faulty.file);
    stream.number(faulty.fault.offset);
    stream.text(faulty.fault.what);
  });
}

// Pixels have one shape, and records of pixels its size.
bool has_one_shape(const Index& index) {
  for (const Extent& extent : {index.channels, index.height, index.width}) {
    if (extent.least <= 0 || extent.least != extent.most) return false;
  }
  const auto plane =
      static_cast<std::uint64_t>(index.height.most) * static_cast<std::uint64_t>(index.width.most);
  const auto channels = static_cast<std::uint64_t>(index.channels.most);
  const auto fits = [&](const Record& record) {
    return record.length % plane == 0 && record.length / plane == channels;
  };
  return std::ranges::all_of(index.records,
                             [&](const auto& list) { return std::ranges::all_of(list, fits); });
}

// What those who read records rely on.
bool holds_together(const Index& index) {
  const auto known = [&](const auto& entry) { return entry.file < index.files.size(); };
  const bool empty = index.records[0].empty() && index.records[1].empty();
  return std::ranges::all_of(index.faults, known) &&
         std::ranges::all_of(index.records,
                             [&](const auto& list) { return std::ranges::all_of(list, known); }) &&
         index.encoding <= Encoding::example &&
         (empty || index.encoding != Encoding::pixels || has_one_shape(index));
}

// FNV-1a: a short name for a long one.
std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint8_t byte : bytes_of(text)) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

std::optional<Index> read_index(const fs::path& path) {
  try {
    return decode_index(bytes_of(read_file(path, kLargestData)));
  } catch (const Error&) {  // it is not there, mostly
    return std::nullopt;
  }
}

}  // namespace

std::string encode_index(const Index& index) {
  Writer writer;
  writer.out = kMagic;
  visit_index(writer, index);
  append_le(writer.out, crc32c(bytes_of(writer.out)));
  return std::move(writer.out);
}

std::optional<Index> decode_index(Bytes bytes) {
  if (bytes.size() < kMagic.size() + kChecksumBytes || !text_of(bytes).starts_with(kMagic)) {
    return std::nullopt;
  }
  const Bytes content = bytes.first(bytes.size() - kChecksumBytes);
  if (crc32c(content) != load_le<std::uint32_t>(bytes.last(kChecksumBytes))) return std::nullopt;
  Index index;
  Reader reader(content.subspan(kMagic.size()));
  visit_index(reader, index);
  if (!reader.fits() || !holds_together(index)) return std::nullopt;
  return index;
}

std::optional<fs::path> index_path(const fs::path& directory, const Getenv& getenv) {
  const fs::path cache = cache_directory(getenv);
  if (cache.empty()) return std::nullopt;
  return cache / fmt::format("index-{:016x}", fnv1a(fs::weakly_canonical(directory).string()));
}

Index load_index(const fs::path& directory, const Getenv& getenv) {
  Index index = find_dataset(directory);
  const auto path = index_path(directory, getenv);
  if (path) {
    auto kept = read_index(*path);
    if (kept && kept->format == index.format && kept->files == index.files) {
      return std::move(*kept);
    }
  }
  scan_dataset(directory, index);
  if (path) {
    // Only to save time: where it cannot be kept, the next one scans again.
    std::error_code ignored;
    fs::create_directories(path->parent_path(), ignored);
    try {
      write_file(*path, encode_index(index));
    } catch (const Error&) {
    }
  }
  return index;
}

}  // namespace lockstep::data
