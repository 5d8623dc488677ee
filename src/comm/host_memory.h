#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/descriptor.h"

namespace lockstep::comm {

// Memory of one rank that other processes of its host map as well. It has no name in any file
// system, so nothing is left of it when the last process ends, however that happens. It starts at a
// multiple of 2 MiB in every process; who lays arrays out in it keeps those of different ranks
// apart modulo 4 KiB, as loads would otherwise wait for unrelated stores.
class HostMemory {
 public:
  HostMemory() = default;
  // Zeroed. Throws Error(environment) when the machine cannot give that much.
  static HostMemory create(std::size_t bytes);
  // Maps what another rank of this host created, by its ticket, while that rank holds it open.
  static HostMemory open(const std::string& ticket);
  ~HostMemory();
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;

  std::string ticket() const;
  // Once everybody has mapped it: from here on only mappings keep the memory.
  void close_ticket();

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  void map(std::size_t bytes);

  Descriptor file_;
  std::span<std::byte> bytes_;
  void* reserved_ = nullptr;
  std::size_t reserved_bytes_ = 0;
};

}  // namespace lockstep::comm
