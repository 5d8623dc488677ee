#pragma once

#include "data/bytes.h"

namespace lockstep::data {

// Gives the same bytes to every parser of the module, and ends the program where one of them
// answers with something outside of them. Faults are as good an answer as any.
void parse_everything(Bytes bytes);

}  // namespace lockstep::data
