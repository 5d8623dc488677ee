#pragma once

#include <exception>

#include "comm/transport.h"

namespace lockstep::comm {

// What `read` makes of a text that a rank has gathered: whatever it cannot read is that rank's
// fault, and named after it.
template <typename Read>
auto read_gathered(const Transport& transport, int rank, const Read& read) {
  try {
    return read();
  } catch (const std::exception&) {
    throw Error(ExitCode::rank_failed,
                fmt::format("rank {} on {} sent a text that cannot be read", rank,
                            transport.host_name(rank)),
                "start the same version of lockstep everywhere");
  }
}

}  // namespace lockstep::comm
