#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launchers.h"

namespace lockstep::launch {

// Files that a host is to have.
struct Consignment {
  spec::Host host;
  std::vector<std::string> files;  // below the directory, here and there; none of them twice
};

struct FileCopy {
  std::filesystem::path from;  // on this machine, an absolute path
  std::string to;              // on the hosts, an absolute path
  Ssh ssh = {};
  std::vector<Consignment> consignments = {};
};

// What became of a consignment.
struct Delivered {
  std::string host;
  std::uint64_t files = 0, bytes = 0;            // all of it
  std::uint64_t sent_files = 0, sent_bytes = 0;  // what the host did not have
  std::string failure = {};                      // empty: it has everything now, byte for byte
  std::string hint = {};                         // what to do about it
};

struct CopyOutcome {
  std::vector<Delivered> hosts;  // by consignment
  bool stopped = false;
};

struct CopyOptions {
  const std::atomic<bool>* stop = nullptr;  // ends everything once it is true
  // How far it is, in bytes; `what` is "compared", "copied" or "checked", one after the other.
  std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)> on_progress =
      [](std::string_view, std::uint64_t, std::uint64_t) {};
};

// Brings files to hosts, all hosts at once: compares checksums, sends what is missing or different,
// and compares that again. So what an earlier copy has brought is not sent a second time, and of
// the file at which it was cut off only the rest is. A file may be seen half under its name
// meanwhile. Hosts need nothing but sshd and what POSIX has (and `tar`, which ours has, too).
//
// A host that fails does not keep the others from getting theirs. Throws Error(environment) for
// files that cannot be read here, Error(usage) for names that cannot be sent.
CopyOutcome copy_files(const FileCopy& copy, const CopyOptions& options);

}  // namespace lockstep::launch
