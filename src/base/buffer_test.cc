#include "base/buffer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/error.h"

namespace lockstep {
namespace {

TEST(Buffer, IsZeroedAndAlignedToHugePages) {
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{4096}, (std::size_t{2} << 20) + 4}) {
    const Buffer buffer(bytes);
    EXPECT_EQ(bytes, buffer.size());
    EXPECT_EQ(0U, reinterpret_cast<std::uintptr_t>(buffer.data()) % (std::size_t{2} << 20));
    EXPECT_EQ(bytes / sizeof(float), buffer.floats().size());
    EXPECT_TRUE(std::ranges::all_of(buffer.floats(), [](float x) { return x == 0; }));
  }
}

TEST(Buffer, CanBeWrittenToItsLastFloat) {
  const Buffer buffer(std::size_t{3} << 20);
  std::ranges::fill(buffer.floats(), 1.0F);
  EXPECT_EQ(1.0F, buffer.floats().back());
}

TEST(Buffer, ThatIsSmallTakesNoHugePage) {
  const Buffer buffer(std::size_t{100} << 10);
  buffer.floats().front() = 1;
  std::array<unsigned char, 25> resident{};
  ASSERT_EQ(0, mincore(buffer.data(), buffer.size(), resident.data()));
  EXPECT_EQ(1,
            std::ranges::count_if(resident, [](unsigned char page) { return (page & 1U) != 0; }));
}

TEST(Buffer, OfNothingHasNoMemory) {
  EXPECT_EQ(nullptr, Buffer().data());
  EXPECT_EQ(nullptr, Buffer(0).data());
  EXPECT_TRUE(Buffer(0).floats().empty());
}

TEST(Buffer, MovesWithItsMemory) {
  Buffer from(16);
  from.floats()[0] = 7;
  const std::byte* data = from.data();
  Buffer to(std::move(from));
  EXPECT_EQ(data, to.data());
  Buffer last(32);
  last = std::move(to);
  EXPECT_EQ(data, last.data());
  EXPECT_EQ(16U, last.size());
  EXPECT_EQ(7, last.floats()[0]);
}

TEST(Buffer, BeyondTheMachineIsAnErrorWithItsSize) {
  try {
    const Buffer buffer(std::size_t{1} << 60);
    FAIL() << "allocated an exbibyte";
  } catch (const Error& error) {
    EXPECT_EQ(ExitCode::environment, error.code());
    EXPECT_STREQ("out of memory: cannot allocate 1048576.0 TiB", error.what());
    EXPECT_FALSE(error.hint().empty());
  }
}

}  // namespace
}  // namespace lockstep
