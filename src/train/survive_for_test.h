#pragma once

#include "data/bytes.h"

namespace lockstep::train {

// Reads the bytes as a checkpoint, as they are and with the header's checksum made right. Ends the
// program where values and shapes do not fit; a refusal is as good as anything.
void survive_checkpoint(data::Bytes bytes);

}  // namespace lockstep::train
