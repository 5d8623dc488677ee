#pragma once

#include "base/error.h"

namespace lockstep {

// The error that a call throws.
template <typename Call>
Error error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return Error(ExitCode::ok, "nothing thrown");
}

}  // namespace lockstep
