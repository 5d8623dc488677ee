// Parsers survive whatever they are given. Run with the sanitizers, this sees more.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "data/cifar.h"
#include "data/crc32c.h"
#include "data/example.h"
#include "data/gzip.h"
#include "data/idx.h"
#include "data/index_file.h"
#include "data/jpeg.h"
#include "data/parse_everything_for_test.h"
#include "data/tfrecord.h"

namespace lockstep::data {
namespace {

// Something valid for every parser.
std::vector<std::string> valid_files() {
  const std::string pixels(kCifarImageBytes, 'x');
  const std::string jpeg = encode_jpeg(bytes_of(pixels), 3, 32, 32);
  const std::string example =
      encode_example({.image = bytes_of(jpeg), .format = "JPEG", .label = 3, .class_name = "dog"});
  std::string frames;
  append_frame(frames, bytes_of(example));
  append_frame(frames, bytes_of("x"));
  const std::uint32_t sizes[] = {2, 3, 4};
  return {jpeg,
          example,
          frames,
          gzip(pixels),
          idx_header(sizes) + std::string(24, 'x'),
          '\1' + pixels,
          pickle_cifar_batch(pixels, {1})};
}

// The bytes with a few of them overwritten, most of them near the front, where headers are; and cut
// off or with a piece of themselves repeated.
std::string mutated(std::string bytes, const Rng& rng) {
  constexpr std::string_view kOften("\x00\x01\x7f\x80\xff", 5);
  std::uint64_t at = 0;
  const auto below = [&](std::size_t bound) { return rng.bits(at++) % bound; };
  for (std::uint64_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t place =
        below(below(2) == 0 ? std::min<std::size_t>(bytes.size(), 64) : bytes.size());
    bytes[place] = below(2) == 0 ? kOften[below(kOften.size())] : static_cast<char>(below(256));
  }
  switch (below(4)) {
    case 0:
      bytes.resize(1 + below(bytes.size()));
      break;
    case 1: {
      const std::string piece = bytes.substr(below(bytes.size()), 16);
      bytes.insert(below(bytes.size()), piece);
      break;
    }
    default:
      break;
  }
  return bytes;
}

TEST(Parsers, SurviveDamagedBytes) {
  std::uint64_t number = 0;
  for (const std::string& seed : valid_files()) {
    parse_everything(bytes_of(seed));
    for (int i = 0; i < 2000; ++i) {
      parse_everything(bytes_of(mutated(seed, Rng(7).stream(number++))));
    }
  }
}

// A checksum guards an index, so that damage never gets as far as its fields; here it does.
TEST(Parsers, SurviveAnIndexWhoseChecksumIsRight) {
  Index index{.format = "folder", .files = {{"a.jpg", Split::train, 5, 6}}};
  index.of(Split::train) = {{.file = 0, .label = 1, .offset = 2, .length = 3}};
  index.faults = {{0, {4, "damaged"}}};
  const std::string seed = encode_index(index);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    std::string bytes = mutated(seed.substr(0, seed.size() - 4), Rng(8).stream(i));
    append_le(bytes, crc32c(bytes_of(bytes)));
    parse_everything(bytes_of(bytes));
  }
}

}  // namespace
}  // namespace lockstep::data
