#pragma once

#include "base/characters.h"

namespace lockstep::report {

using lockstep::Character;
using lockstep::first_character;
using lockstep::is_utf8;
using lockstep::kReplacement;
using lockstep::printable;

}  // namespace lockstep::report
