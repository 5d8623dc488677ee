#include "base/cache_directory.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace lockstep {
namespace {

TEST(CacheDirectory, IsWhereTheEnvironmentSays) {
  using Variables = std::map<std::string, std::string>;
  const auto directory = [](const Variables& variables) {
    return cache_directory([&](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_EQ(directory({{"XDG_CACHE_HOME", "/c"}, {"HOME", "/h"}}), "/c/lockstep");
  EXPECT_EQ(directory({{"HOME", "/h"}}), "/h/.cache/lockstep");
  EXPECT_EQ(directory({{"XDG_CACHE_HOME", "not/absolute"}, {"HOME", "/h"}}), "/h/.cache/lockstep");
  EXPECT_EQ(directory({{"XDG_CACHE_HOME", ""}, {"HOME", "/h"}}), "/h/.cache/lockstep");
  EXPECT_EQ(directory({}), "");
}

}  // namespace
}  // namespace lockstep
