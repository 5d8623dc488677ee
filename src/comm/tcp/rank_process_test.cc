#include "comm/tcp/rank_process.h"

#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "base/text.h"
#include "comm/tcp/control.h"

namespace lockstep::comm::tcp {

RankProcess::RankProcess(const TcpOptions& options, std::size_t shared_bytes,
                         std::int64_t last_step) {
  std::vector<std::string> arguments = {"comm_test",
                                        kRankProcess,
                                        std::to_string(options.rank),
                                        std::to_string(options.world),
                                        options.coordinator,
                                        fmt::format("{}", options.deadline),
                                        options.host_key,
                                        std::to_string(shared_bytes),
                                        std::to_string(last_step)};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  EXPECT_EQ(0, posix_spawn(&process_, "/proc/self/exe", nullptr, nullptr, argv.data(), environ));
}

RankProcess::~RankProcess() {
  if (process_ < 0) return;
  signal(SIGKILL);
  wait();
}

void RankProcess::signal(int number) const {
  kill(process_, number);
}

int RankProcess::wait() {
  int status = 0;
  waitpid(std::exchange(process_, -1), &status, 0);
  return status;
}

int run_rank_process(const std::vector<std::string>& arguments) {
  TcpOptions options;
  options.rank = static_cast<int>(parse_int(arguments.at(0)).value());
  options.world = static_cast<int>(parse_int(arguments.at(1)).value());
  options.coordinator = arguments.at(2);
  options.deadline = parse_double(arguments.at(3)).value();
  options.host_key = arguments.at(4);
  options.start_timeout = 20;
  try {
    const auto transport = connect_tcp(options);
    transport->share(static_cast<std::size_t>(parse_int(arguments.at(5)).value()));
    for (const int rank : {0, options.rank}) {
      const auto memory = transport->memory_of(rank);
      if (!memory.empty()) memory[options.rank] = static_cast<std::byte>(options.rank);
    }
    transport->all_gather("ready");
    const std::chrono::duration<double> step_time(Control::telling_interval(options.world));
    for (std::int64_t step = 0; step <= parse_int(arguments.at(6)).value(); ++step) {
      if (step > 0) std::this_thread::sleep_for(step_time);
      transport->at_step(step);
    }
    transport->wish_end();
    for (;;) {
      transport->check();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (const Error& error) {
    return static_cast<int>(error.code());
  }
}

}  // namespace lockstep::comm::tcp

// In place of the main that gtest brings.
int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == lockstep::comm::tcp::kRankProcess) {
    return lockstep::comm::tcp::run_rank_process({argv + 2, argv + argc});
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
