#pragma once

#include <cstdint>
#include <span>

namespace lockstep::comm::tcp {

// Reads the bytes as frames, and each frame's body as everything that a body can be. Ends the
// program where what was understood is not understood again, or could not be printed.
void survive_frames(std::span<const std::uint8_t> bytes);

}  // namespace lockstep::comm::tcp
