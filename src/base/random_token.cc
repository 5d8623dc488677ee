#include "base/random_token.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "base/check.h"

namespace lockstep {

std::string random_token() {
  std::array<unsigned char, 16> bytes;
  LOCKSTEP_CHECK(getentropy(bytes.data(), bytes.size()) == 0);
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace lockstep
