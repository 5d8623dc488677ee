#include "data/example.h"

#include <gmock/gmock.h>

#include "data/protobuf.h"

namespace lockstep::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ImageExample parsed(std::string_view bytes) {
  return std::get<ImageExample>(parse_example(bytes_of(bytes)));
}

Fault example_fault(std::string_view bytes) {
  const auto result = parse_example(bytes_of(bytes));
  return std::holds_alternative<Fault>(result) ? std::get<Fault>(result) : Fault{0, "none"};
}

std::string field(std::uint32_t number, std::string_view content) {
  std::string out;
  append_bytes_field(out, number, content);
  return out;
}

// A feature of Example.features; 1: bytes, 2: floats, 3: integers.
std::string feature(std::string_view key, std::uint32_t kind, std::string_view list) {
  return field(1, field(1, key) + field(2, field(kind, list)));
}

const std::string kImage = feature("image/encoded", 1, field(1, "a picture"));

TEST(Examples, ReadBackWhatWasWritten) {
  const std::string bytes = encode_example({.image = bytes_of("a picture"),
                                            .format = "JPEG",
                                            .file_name = "n01_1.JPEG",
                                            .label = 1000,
                                            .class_name = "n01",
                                            .height = 20,
                                            .width = 30});
  const ImageExample example = parsed(bytes);
  EXPECT_EQ(text_of(example.image), "a picture");
  EXPECT_EQ(example.label, 1000);
  EXPECT_EQ(example.class_name, "n01");
  EXPECT_THAT(example.boxes, IsEmpty());
}

TEST(Examples, MayListNumbersPackedOrOneByOne) {
  using namespace std::string_literals;
  const std::string packed = field(1, "\xe8\x07"s), alone = "\x08\xe8\x07"s;  // 1000
  for (const std::string& list : {packed, alone}) {
    EXPECT_EQ(parsed(field(1, kImage + feature("image/class/label", 3, list))).label, 1000);
  }
  const std::string half = "\x00\x00\x00\x3f"s, one = "\x00\x00\x80\x3f"s;
  for (const std::string& list : {field(1, half + one), "\x0d" + half + "\x0d" + one}) {
    std::string boxes;
    for (const char* side : {"ymin", "xmin", "ymax", "xmax"}) {
      boxes += feature(std::string("image/object/bbox/") + side, 2, list);
    }
    EXPECT_THAT(parsed(field(1, boxes + kImage)).boxes,
                ElementsAre(Box{.5F, .5F, .5F, .5F}, Box{1, 1, 1, 1}));
  }
}

TEST(Examples, MayLackALabelAndHoldWhatNobodyAsksFor) {
  const std::string bytes =
      field(7, "later versions") + field(1, feature("image/width", 3, "\x08\x05") + kImage);
  const ImageExample example = parsed(bytes);  // points into them
  EXPECT_EQ(example.label, std::nullopt);
  EXPECT_EQ(text_of(example.image), "a picture");
}

TEST(Examples, PreferTheTextOfAClassToItsSynset) {
  const std::string text = feature("image/class/text", 1, field(1, "goldfish"));
  const std::string synset = feature("image/class/synset", 1, field(1, "n01443537"));
  EXPECT_EQ(parsed(field(1, kImage + text + synset)).class_name, "goldfish");
  EXPECT_EQ(parsed(field(1, kImage + synset + text)).class_name, "goldfish");
  EXPECT_EQ(parsed(field(1, kImage + synset)).class_name, "n01443537");
}

TEST(Examples, SayWhatIsWrong) {
  EXPECT_THAT(example_fault("").what, HasSubstr("without image/encoded"));
  EXPECT_THAT(example_fault("\xff\xff\xff").what, HasSubstr("not a tf.train.Example"));
  EXPECT_THAT(example_fault(field(1, "\x0a\x7f")).what, HasSubstr("damaged features"));
  EXPECT_THAT(
      example_fault(field(1, kImage + feature("image/object/bbox/ymin", 2, field(1, "4444")))).what,
      HasSubstr("lack sides"));
}

TEST(Examples, SeeEveryCut) {
  const std::string whole = encode_example({.image = bytes_of("a picture"), .format = "JPEG"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(example_fault(whole.substr(0, size)).what, "none") << size;
  }
}

}  // namespace
}  // namespace lockstep::data
