#include "base/affinity.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/error_for_test.h"

namespace lockstep {
namespace {

TEST(BindThread, LeavesItTheseProcessorsOnly) {
  const std::vector<int> before = bound_processors();
  std::vector<int> bound;
  std::jthread([&] {
    bind_thread({&before.back(), 1});
    bound = bound_processors();
  }).join();
  EXPECT_THAT(bound, testing::ElementsAre(before.back()));
  EXPECT_EQ(bound_processors(), before);
}

TEST(BindThread, RefusesProcessorsThatTheMachineDoesNotHave) {
  const std::vector<int> beyond = {100'000, 100'001};
  const Error error = error_of([&] { bind_thread(beyond); });
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_THAT(error.what(), testing::HasSubstr("to processors 100000,100001: "));
}

}  // namespace
}  // namespace lockstep
