#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "comm/transport.h"

namespace lockstep::cli {

// Calls body(i) for every rank of this process, on a thread each, the first on the calling one.
// Whatever a body throws, the other ranks of the world hear of it. The first cause of all that went
// wrong, in this process or another.
std::optional<Error> on_every_rank(const std::vector<std::unique_ptr<comm::Transport>>& ranks,
                                   const std::function<void(std::size_t i)>& body);

}  // namespace lockstep::cli
