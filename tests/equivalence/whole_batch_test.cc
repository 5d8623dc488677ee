// Within rounding: n ranks train like one rank with n times the batch, where no batch norm looks at
// a batch as a whole.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/equivalence/distance.h"
#include "tests/equivalence/ranks.h"

namespace lockstep::equivalence {
namespace {

TEST(Equivalence, OfRanksIsOneRankWithAllTheirImages) {
  struct Case {
    const char* model;
    const char* strategy;
    int world;
  };
  for (const Case& c : {Case{"lenet", "replicated", 3},
                        {"lenet", "parameter_server", 2},
                        {"lenet", "horovod", 4},
                        {"mnist_deep", "replicated", 2},  // has dropout
                        {"alexnet_cifar", "collective_all_reduce", 3},
                        {"mnist_mlp", "distributed_replicated", 5}}) {
    SCOPED_TRACE(fmt::format("{}, {} on {} ranks", c.model, c.strategy, c.world));
    const spec::StrategyRow& row = spec::find_strategy(c.strategy);
    const comm::Topology topology{std::vector<int>(static_cast<std::size_t>(c.world))};
    const spec::Trial small = trial_of(c.model, 2);
    const spec::Trial large = trial_of(c.model, 2 * c.world);
    const std::vector<Trained> ranks = train_on(in_memory, small, site_of(row, topology));
    const std::vector<Trained> alone = train_on(in_memory, large, site_of(row, {{0}}));
    for (std::size_t step = 0; step < alone.front().losses.size(); ++step) {
      const float loss = alone.front().losses[step];
      EXPECT_NEAR(ranks.back().losses[step], loss, 1e-4 * loss);
    }
    EXPECT_LT(relative_distance(initial_parameters(large), ranks.back(), alone.front()), 1e-3);
  }
}

}  // namespace
}  // namespace lockstep::equivalence
