#include "data/cifar.h"

#include <gmock/gmock.h>

namespace lockstep::data {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string pixels(char value) {
  return std::string(kCifarImageBytes, value);
}

TEST(CifarBinary, IsLabelsAndPixels) {
  const std::string file = "\x03" + pixels('a') + "\x09" + pixels('b');
  const CifarBatch batch = parse_cifar_binary(bytes_of(file));
  EXPECT_THAT(batch.images, ElementsAre(CifarImage{1, 3}, CifarImage{3074, 9}));
  EXPECT_THAT(batch.faults, IsEmpty());
}

TEST(CifarBinary, KeepsWhatIsWholeAndRight) {
  const std::string file = "\x0a" + pixels('a') + "\x09" + pixels('b') + "\x01 cut off";
  const CifarBatch batch = parse_cifar_binary(bytes_of(file));
  EXPECT_THAT(batch.images, ElementsAre(CifarImage{3074, 9}));
  EXPECT_THAT(batch.faults, ElementsAre(Fault{0, "label 10, where 0 to 9 are known"},
                                        Fault{6146, "the last image is cut off"}));
}

TEST(CifarPickle, ReadsBackWhatWasWritten) {
  const std::string file = pickle_cifar_batch(pixels('a') + pixels('b'), {3, 9});
  const CifarBatch batch = parse_cifar_pickle(bytes_of(file));
  EXPECT_THAT(batch.faults, IsEmpty());
  ASSERT_THAT(batch.images, SizeIs(2));
  EXPECT_EQ(batch.images[1].label, 9);
  EXPECT_EQ(file.substr(batch.images[0].offset, kCifarImageBytes), pixels('a'));
  EXPECT_EQ(file.substr(batch.images[1].offset, kCifarImageBytes), pixels('b'));
}

// What Python 3 makes of such a dictionary, with numpy's own protocols: memoised, framed, names on
// the stack; before protocol 5 an array gets a state, from then on it is made from a buffer.
TEST(CifarPickle, UnderstandsLaterProtocols) {
  const std::string size = "\x00\x0c\x00\x00"s;  // 3072
  const std::string type =
      "\x8c\x05numpy\x94\x8c\x05" + "dtype\x94\x93\x94\x8c\x02u1\x94\x89\x88\x87\x94R\x94"s;
  const std::string four =
      "\x80\x04\x95\x01\x00\x00\x00\x00\x00\x00\x00}\x94(C\x06labels\x94]\x94K\x07"
      "aC\x04"
      "data\x94"s +
      "\x8c\x15numpy.core.multiarray\x94\x8c\x0c_reconstruct\x94\x93\x94h\x00K\x00\x85\x94"
      "C\x01"
      "b\x94\x87\x94R\x94"s +
      "(K\x01K\x01M\x00\x0c\x86\x94"s + type +
      "\x89"
      "B"s +
      size + pixels('a') +
      "\x94t\x94"
      "bu."s;
  const std::string five =
      "\x80\x05\x95\x01\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x06labels\x94]\x94K\x07"
      "a\x8c\x04"
      "data\x94"s +
      "\x8c\x12numpy.core.numeric\x94\x8c\x0b_frombuffer\x94\x93\x94(\x96"s + size +
      "\x00\x00\x00\x00"s + pixels('a') + "\x94"s + type +
      "K\x01M\x00\x0c\x86\x94\x8c\x01"
      "C\x94t\x94R\x94u."s;
  for (const std::string& file : {four, five}) {
    const CifarBatch batch = parse_cifar_pickle(bytes_of(file));
    EXPECT_THAT(batch.faults, IsEmpty());
    ASSERT_THAT(batch.images, SizeIs(1));
    EXPECT_EQ(batch.images[0].label, 7);
    EXPECT_EQ(file.substr(batch.images[0].offset, kCifarImageBytes), pixels('a'));
  }
}

std::string what_is_wrong(const std::string& file) {
  const CifarBatch batch = parse_cifar_pickle(bytes_of(file));
  EXPECT_THAT(batch.images, IsEmpty());
  return batch.faults.empty() ? "nothing" : batch.faults[0].what;
}

TEST(CifarPickle, SaysWhatIsWrong) {
  EXPECT_THAT(what_is_wrong(""), HasSubstr("cut off"));
  EXPECT_THAT(what_is_wrong("\x80\x02}."), HasSubstr("without \"data\""));
  EXPECT_THAT(what_is_wrong("\x80\x02N."), HasSubstr("without \"data\""));
  EXPECT_THAT(what_is_wrong("\x80\x02\x92"), HasSubstr("opcode 0x92"));
  EXPECT_THAT(what_is_wrong("\x80\x02"
                            "e."),
              HasSubstr("damaged pickle"));
  EXPECT_THAT(what_is_wrong(pickle_cifar_batch(pixels('a'), {1, 2})), HasSubstr("no array of 2 x"));
  EXPECT_THAT(what_is_wrong(pickle_cifar_batch(pixels('a'), {10})), HasSubstr("label 10"));
}

TEST(CifarPickle, SeesEveryCut) {
  const std::string whole = pickle_cifar_batch(pixels('a'), {1});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(what_is_wrong(whole.substr(0, size)), "nothing") << size;
  }
}

}  // namespace
}  // namespace lockstep::data
