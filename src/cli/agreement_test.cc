#include "cli/agreement.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "comm/fake_hosts.h"

namespace lockstep::cli {
namespace {

// What two processes, of two ranks and of one, say of their options; empty: nothing.
std::vector<std::string> refusals(const nlohmann::json& of_first, const nlohmann::json& of_second) {
  std::vector<std::unique_ptr<comm::Transport>> world = comm::connect_threads(3);
  Ranks first, second;
  first.push_back(std::move(world[0]));
  first.push_back(std::move(world[1]));
  second.push_back(std::move(world[2]));
  std::vector<std::string> said(2);
  const auto agree = [](const Ranks& ranks, const nlohmann::json& options, std::string& words) {
    try {
      refuse_different_options(ranks, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      words = error.what();
    }
  };
  {
    const std::jthread other(agree, std::cref(second), std::cref(of_second), std::ref(said[1]));
    agree(first, of_first, said[0]);
  }
  return said;
}

nlohmann::json options_with(const std::function<void(spec::Trial&)>& change) {
  spec::Trial trial;
  change(trial);
  return common_options(trial);
}

TEST(Agreement, IsReachedByProcessesThatWereToldTheSame) {
  const nlohmann::json options = common_options({});
  EXPECT_EQ(refusals(options, options), (std::vector<std::string>(2)));
}

TEST(Agreement, NamesWhatDiffersInEveryProcess) {
  const auto said =
      refusals(common_options({}),
               options_with([](spec::Trial& trial) { trial.exchange.fusion_threshold_mb = 3; }));
  EXPECT_TRUE(said[0].starts_with("rank 2 on ")) << said[0];
  EXPECT_TRUE(said[0].find(": exchange.fusion_threshold_mb is 3.0 there, not ") !=
              std::string::npos)
      << said[0];
  EXPECT_EQ(said[0], said[1]);
}

TEST(Agreement, SeesOptionsThatOneOfThemHasMoreOf) {
  const auto said = refusals({{"sizes", {1, 2}}}, {{"sizes", {1, 2, 3}}});
  EXPECT_TRUE(said[0].find("sizes.2 is 3 there, not null") != std::string::npos) << said[0];
}

TEST(Agreement, LeavesToAHostWhatIsItsOwn) {
  const auto differ = [](const std::function<void(spec::Trial&)>& change) {
    return options_with(change) != common_options({});
  };
  EXPECT_FALSE(differ([](spec::Trial& trial) { trial.result_dir = "/tmp/2"; }));
  EXPECT_FALSE(differ([](spec::Trial& trial) { trial.cluster.task_index = 1; }));
  EXPECT_FALSE(differ([](spec::Trial& trial) { trial.threads_per_device = 7; }));
  EXPECT_TRUE(differ([](spec::Trial& trial) { trial.data.dir = "/data"; }));
  EXPECT_EQ(options_with([](spec::Trial& trial) { trial.data.dir = "/data"; }),
            options_with([](spec::Trial& trial) { trial.data.dir = "/elsewhere"; }));
}

}  // namespace
}  // namespace lockstep::cli
