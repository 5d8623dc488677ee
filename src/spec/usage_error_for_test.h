#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace lockstep::spec {

// What is wrong, in the words of the error that a call throws: the user's, so it has a hint.
template <typename Call>
std::string usage_error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_FALSE(error.hint().empty());
    return error.what();
  }
  return "no error";
}

}  // namespace lockstep::spec
