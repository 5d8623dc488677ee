#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "launch/launchers.h"
#include "launch/runner.h"

namespace lockstep::launch {

// What POSIX' cksum says of some files one behind the other.
struct Checksum {
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;

  bool operator==(const Checksum&) const = default;
};
Checksum checksum(const std::vector<std::filesystem::path>& files);

// The program with the libraries that a host may lack: files that work in any directory they lie in
// together, on a host with the same architecture and a C library no older than ours.
struct Bundle {
  std::vector<std::filesystem::path> files;
  Checksum sum;

  std::string build() const;  // "0a1b2c3d-45678": of Site::build
};

// What this process is made of: its own program, for MPI also the one beside it, and every library
// that it has loaded but the C library, which belongs to the host. libmpi, which this process does
// not load, is the host's, too.
Bundle bundle_of_this_program(bool with_mpi);

// Ends with 0 where the host has the bundle, byte for byte, and with 1 where it does not.
Command probe(const spec::Host& host, const Site& site, const Bundle& bundle);
// Copies the bundle, and gives it its name only once it is whole.
Command copy(const spec::Host& host, const Site& site, const Bundle& bundle);

// Brings the bundle to the hosts that need it and do not have it, all at once. Throws Error(launch)
// that names a host which cannot be reached or written to.
void stage(const Site& site, const Bundle& bundle, const RunOptions& options);

}  // namespace lockstep::launch
