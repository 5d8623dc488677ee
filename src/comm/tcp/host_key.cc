#include "comm/tcp/host_key.h"

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

}  // namespace lockstep::comm::tcp
