#include "base/characters.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

TEST(Printable, KeepsLettersOfAllScripts) {
  EXPECT_EQ(printable("resnet50 \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 \xd7\xa9\xd7\x9c"),
            "resnet50 \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 \xd7\xa9\xd7\x9c");
}

TEST(Printable, ReplacesWhatATerminalWouldObey) {
  for (const char* evil : {"\n", "\r", "\x1b", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6",
                           "\xe2\x80\xa8", "\xff", "\xc3", "\xed\xa0\x80"}) {
    const std::string text = printable(std::string("a") + evil);
    EXPECT_EQ(text.substr(0, 4), "a\xef\xbf\xbd") << text;
    EXPECT_EQ(text.find(evil), std::string::npos) << text;
  }
}

TEST(Printable, CutsWhatIsTooLongBetweenCharacters) {
  EXPECT_EQ(printable(std::string(300, 'x')), std::string(60, 'x') + "...");
  EXPECT_EQ(printable("\xc3\xa9\xc3\xa9\xc3\xa9", 2), "\xc3\xa9\xc3\xa9...");
  EXPECT_EQ(printable("abc", 3), "abc");
}

}  // namespace
}  // namespace lockstep
