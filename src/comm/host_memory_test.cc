#include "comm/host_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"

namespace lockstep::comm {
namespace {

constexpr std::size_t kMemoryBytes = (std::size_t{3} << 20) + 12;

TEST(HostMemory, IsZeroedAndAlignedInEveryMapping) {
  const HostMemory memory = HostMemory::create(kMemoryBytes);
  const HostMemory again = HostMemory::open(memory.ticket());
  for (const auto bytes : {memory.bytes(), again.bytes()}) {
    EXPECT_EQ(kMemoryBytes, bytes.size());
    EXPECT_EQ(0U, reinterpret_cast<std::uintptr_t>(bytes.data()) % (std::size_t{2} << 20));
    EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST(HostMemory, IsTheSameInEveryMapping) {
  HostMemory memory = HostMemory::create(kMemoryBytes);
  const HostMemory again = HostMemory::open(memory.ticket());
  memory.close_ticket();
  memory.bytes().back() = std::byte{7};
  EXPECT_EQ(std::byte{7}, again.bytes().back());
}

TEST(HostMemory, MayBeEmpty) {
  const HostMemory memory = HostMemory::create(0);
  EXPECT_TRUE(HostMemory::open(memory.ticket()).bytes().empty());
}

TEST(HostMemory, CannotBeMappedOnceItsOwnerIsGone) {
  const std::string ticket = HostMemory::create(4096).ticket();
  EXPECT_THROW(HostMemory::open(ticket), Error);
}

TEST(HostMemory, BeyondTheMachineIsAnError) {
  EXPECT_THROW(HostMemory::create(std::size_t{1} << 60), Error);
}

TEST(HostMemory, IsNotOpenedAtAPlaceThatIsNone) {
  const HostMemory memory = HostMemory::create(4096);
  const std::string place = memory.ticket().substr(0, memory.ticket().find(' '));
  for (const std::string& ticket :
       {std::string(), std::string("x"), place, place + " -1", place + " x", place + " 4097",
        place + " 99999999999999", std::string("/dev/zero 4096"), std::string("/proc/self/exe 1"),
        memory.ticket() + " 1"}) {
    EXPECT_THROW(HostMemory::open(ticket), Error) << ticket;
  }
  EXPECT_EQ(4096U, HostMemory::open(memory.ticket()).bytes().size());
}

}  // namespace
}  // namespace lockstep::comm
