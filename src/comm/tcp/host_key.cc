#include "comm/tcp/host_key.h"

#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"

namespace lockstep::comm::tcp {

std::string host_key() {
  std::string key(trim(read_file("/proc/sys/kernel/random/boot_id")));
  for (const char* space : {"pid", "user", "net"}) {
    std::error_code hidden;
    key +=
        " " + std::filesystem::read_symlink(std::filesystem::path("/proc/self/ns") / space, hidden)
                  .string();
  }
  return key;
}

std::string host_name() {
  std::array<char, 256> name = {};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace lockstep::comm::tcp
