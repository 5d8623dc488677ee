// Several engines in one process, each on the team of its own thread.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "machine/cores.h"
#include "tests/engine/bound_engine.h"

namespace lockstep::engine {
namespace {

// The losses of a few forward and backward passes on one processor.
std::vector<float> losses_on(const std::vector<int>& processors, const reference::Problem& problem,
                             int passes) {
  machine::join_team(processors);
  BoundEngine engine(problem);
  std::vector<float> losses;
  for (int pass = 0; pass < passes; ++pass) {
    losses.push_back(engine.forward());
    engine->backward({});
    const int last = engine.parameter_count() - 1;
    const std::span<float> values = engine.stored_parameter(last);
    const std::span<float> gradient = engine.stored_gradient(last);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= 0.01F * gradient[i];
  }
  return losses;
}

TEST(Engines, OfOneProcessDoNotDisturbEachOther) {
  const machine::Allowed allowed = machine::allowed();
  const auto groups = machine::place(allowed, std::min(2, allowed.usable), 1);
  const reference::Problem problem = reference::draw(reference::cases().back());
  constexpr int kPasses = 20;

  std::vector<float> alone;
  std::thread([&] { alone = losses_on(groups.front(), problem, kPasses); }).join();

  std::vector<std::vector<float>> together(groups.size());
  std::vector<std::thread> ranks;
  for (std::size_t r = 0; r < groups.size(); ++r) {
    ranks.emplace_back([&, r] { together[r] = losses_on(groups[r], problem, kPasses); });
  }
  for (std::thread& rank : ranks) rank.join();
  for (const std::vector<float>& losses : together) EXPECT_EQ(losses, alone);
  EXPECT_NE(alone.front(), alone.back());
}

}  // namespace
}  // namespace lockstep::engine
