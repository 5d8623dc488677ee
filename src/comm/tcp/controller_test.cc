#include "comm/tcp/controller.h"

#include <gmock/gmock.h>

#include <future>
#include <latch>
#include <thread>

#include "base/error_for_test.h"

namespace lockstep::comm::tcp {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A controller on a thread of its own.
class Controller {
 public:
  using Print = std::function<void(std::string_view lines)>;

  explicit Controller(double start_timeout = 60, Print print = {}) {
    Listener listener("127.0.0.1:0");
    options.address = "127.0.0.1:" + std::to_string(listener.port());
    options.token = "secret";
    options.start_timeout = start_timeout;
    if (!print) print = [this](std::string_view lines) { printed += lines; };
    code_ = std::async(std::launch::async, [this, print, there = std::move(listener)]() mutable {
      return follow_rank0(options, std::move(there), print, [](const std::string&) {});
    });
  }

  ExitCode end() { return code_.get(); }

  ControllerOptions options;
  std::string printed;

 private:
  std::future<ExitCode> code_;
};

TEST(Controller, PrintsWhatRank0PrintsAndEndsAsItDoes) {
  Controller controller;
  ControllerLink link(controller.options, 2);
  link.print("Model:\tlenet\n");
  EXPECT_EQ(link.wait(60), std::nullopt);
  link.print("1\timages/sec: 5\n");
  EXPECT_TRUE(link.end(ExitCode::unstable));
  link.print("too late\n");
  EXPECT_EQ(controller.end(), ExitCode::unstable);
  EXPECT_EQ(controller.printed, "Model:\tlenet\n1\timages/sec: 5\n");
}

TEST(Controller, PrintsNothingThatMovesTheCursor) {
  Controller controller;
  ControllerLink link(controller.options, 1);
  EXPECT_EQ(link.wait(60), std::nullopt);
  link.print("\x1b[2Jcleared\n\ttab\r\n");
  EXPECT_TRUE(link.end(ExitCode::ok));
  controller.end();
  EXPECT_EQ(controller.printed, "\uFFFD[2Jcleared\n\ttab\uFFFD\n");
}

TEST(Controller, FailsByWhatRank0HasFailedBy) {
  Controller controller;
  ControllerLink link(controller.options, 2);
  EXPECT_EQ(link.wait(60), std::nullopt);
  const Error cause(ExitCode::environment, "out of memory", "buy some");
  EXPECT_TRUE(link.end(cause.code(), &cause));
  const Error error = error_of([&] { controller.end(); });
  EXPECT_EQ(error.code(), ExitCode::environment);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 0 on "), HasSubstr(": out of memory")));
  EXPECT_EQ(error.hint(), "buy some");
}

TEST(Controller, SaysThatRank0DidNotCome) {
  Controller controller(0.05);
  const Error error = error_of([&] { controller.end(); });
  EXPECT_EQ(error.code(), ExitCode::launch);
  EXPECT_THAT(error.what(), HasSubstr("rank 0 did not come to the controller at 127.0.0.1:"));
  EXPECT_THAT(error.hint(), HasSubstr("--controller_host"));
}

TEST(Controller, LosesARank0ThatEndsWithoutAWord) {
  Controller controller;
  { EXPECT_EQ(ControllerLink(controller.options, 2).wait(60), std::nullopt); }
  const Error error = error_of([&] { controller.end(); });
  EXPECT_EQ(error.code(), ExitCode::rank_failed);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 0 on "), HasSubstr("its process ended")));
}

TEST(Controller, DoesNotHoldUpRank0WhenItIsSlow) {
  std::latch all_said(1);
  std::size_t printed = 0;
  Controller controller(60, [&](std::string_view lines) {
    all_said.wait();
    printed += lines.size();
  });
  ControllerLink link(controller.options, 1);
  EXPECT_EQ(link.wait(60), std::nullopt);
  const std::string lines(std::size_t{1} << 16, 'x');
  for (int i = 0; i < 1000; ++i) link.print(lines);  // more than any buffer holds
  all_said.count_down();
  link.end(ExitCode::ok);  // may return before all of it has arrived
  EXPECT_EQ(controller.end(), ExitCode::ok);
  EXPECT_GE(printed, lines.size());
}

TEST(Controller, IsDoneWithoutWhenItIsNotThere) {
  ControllerOptions options;
  options.address = "127.0.0.1:" + std::to_string(Listener("127.0.0.1:0").port());
  ControllerLink link(options, 1);
  EXPECT_NE(link.wait(0.05), std::nullopt);
  EXPECT_EQ(link.wait(60), std::nullopt);  // said once
  link.print("to nobody");
  EXPECT_TRUE(link.end(ExitCode::ok));
}

TEST(Controller, IsNotTheOneWithAnotherToken) {
  Controller controller(0.5);
  ControllerOptions other = controller.options;
  other.token = "another";
  ControllerLink link(other, 1);
  EXPECT_EQ(error_of([&] { controller.end(); }).code(), ExitCode::launch);
  EXPECT_EQ(controller.printed, "");
}

}  // namespace
}  // namespace lockstep::comm::tcp
