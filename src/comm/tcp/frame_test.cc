#include "comm/tcp/frame.h"

#include <gtest/gtest.h>

namespace lockstep::comm::tcp {
namespace {

TEST(Pack, KeepsTextsApartWhateverIsInThem) {
  const std::vector<std::vector<std::string>> lists = {
      {}, {""}, {"", ""}, {"one"}, {"with\0zero", "two\nlines", std::string(100'000, 'x')}};
  for (const auto& texts : lists) EXPECT_EQ(texts, unpack(pack(texts)));
}

TEST(Pack, RefusesWhatIsCutOff) {
  const std::vector<std::string> texts = {"one", "two"};
  const std::string packed = pack(texts);
  EXPECT_THROW(unpack(std::string_view(packed).substr(0, packed.size() - 1)), std::system_error);
  EXPECT_THROW(unpack(std::string_view(packed).substr(0, 4)), std::system_error);
}

}  // namespace
}  // namespace lockstep::comm::tcp
