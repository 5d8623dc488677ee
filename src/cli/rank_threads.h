#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "comm/transport.h"

namespace lockstep::cli {

using Ranks = std::vector<std::unique_ptr<comm::Transport>>;  // of this process

// Calls body(i) for every rank of this process, on a thread each, the first on the calling one.
// Whatever a body throws, the other ranks of the world hear of it. The first cause of all that went
// wrong, in this process or another.
std::optional<Error> on_every_rank(const Ranks& ranks,
                                   const std::function<void(std::size_t i)>& body);

}  // namespace lockstep::cli
