#include "base/cache_directory.h"

namespace lockstep {

namespace fs = std::filesystem;

fs::path cache_directory(const Getenv& getenv) {
  const fs::path caches = value_of(getenv, "XDG_CACHE_HOME");
  if (caches.is_absolute()) return caches / "lockstep";  // else it is to be ignored, says XDG
  const fs::path home = value_of(getenv, "HOME");
  return home.empty() ? home : home / ".cache" / "lockstep";
}

}  // namespace lockstep
