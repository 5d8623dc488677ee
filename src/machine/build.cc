#include "machine/build.h"

#include <fmt/format.h>

namespace lockstep::machine {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return {};
#endif
}

std::string build() {
  return LOCKSTEP_COMMIT " " LOCKSTEP_BUILD_TYPE;
}

}  // namespace lockstep::machine
