// Parsers survive whatever they are given. Run with the sanitizers, this sees more.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/rng.h"
#include "data/cifar.h"
#include "data/example.h"
#include "data/gzip.h"
#include "data/idx.h"
#include "data/index_file.h"
#include "data/jpeg.h"
#include "data/parsers_for_test.h"
#include "data/png_for_test.h"
#include "data/tfrecord.h"

namespace lockstep::data {
namespace {

// Something valid for every parser.
std::map<std::string_view, std::string> valid_files() {
  const std::string pixels(kCifarImageBytes, 'x');
  const std::string jpeg = encode_jpeg(bytes_of(pixels), 3, 32, 32);
  const std::string example =
      encode_example({.image = bytes_of(jpeg), .format = "JPEG", .label = 3, .class_name = "dog"});
  std::string frames;
  append_frame(frames, bytes_of(example));
  append_frame(frames, bytes_of("x"));
  const std::uint32_t sizes[] = {2, 3, 4};
  Index index{.format = "folder", .files = {{"a.jpg", Split::train, 5, 6}}};
  index.of(Split::train) = {{.file = 0, .label = 1, .offset = 2, .length = 3}};
  index.faults = {{0, {4, "damaged"}}};
  return {
      {"idx", idx_header(sizes) + std::string(24, 'x')},
      {"cifar_binary", '\1' + pixels},
      {"cifar_pickle", pickle_cifar_batch(pixels, {1})},
      {"gzip", gzip(pixels)},
      {"image_file", jpeg},
      {"jpeg", jpeg},
      {"png", png_of({.colour_type = 3, .bits = 4}, 12, 32, pixels.substr(0, 12 * 16), "abcdef")},
      {"example", example},
      {"tfrecord", frames},
      {"index", encode_index(index)}};
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
  const auto files = valid_files();
  std::uint64_t number = 0;
  for (const FileParser& parser : file_parsers()) {
    const std::string& seed = files.at(parser.name);
    parser.survive(bytes_of(seed));
    for (int i = 0; i < 2000; ++i) {
      parser.survive(bytes_of(mutated(seed, Rng(7).stream(number++))));
    }
  }
}

// tools/fuzz starts from these files, and what it finds is added to them.
TEST(Parsers, SurviveWhatFuzzingStartsFromAndFound) {
  const std::filesystem::path corpus =
      std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "tests/fuzz/corpus";
  for (const FileParser& parser : file_parsers()) {
    int files = 0;
    for (const auto& file : std::filesystem::directory_iterator(corpus / parser.name)) {
      parser.survive(bytes_of(read_file(file.path())));
      ++files;
    }
    EXPECT_GT(files, 0) << parser.name;
  }
}

}  // namespace
}  // namespace lockstep::data
