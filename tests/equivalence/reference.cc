#include "tests/equivalence/reference.h"

#include <gtest/gtest.h>

#include "tests/equivalence/post.h"
#include "tests/equivalence/wire_precision.h"

namespace lockstep::equivalence {
namespace {

// The losses go up a tree, and their mean comes back.
void average(const train::Site& site, std::vector<float>& losses) {
  std::vector<comm::Schedule> reduce, distribute;
  std::vector<std::span<float>> arrays;
  for (std::size_t rank = 0; rank < losses.size(); ++rank) {
    const comm::Collective tree =
        comm::tree(site.ranks.topology, static_cast<int>(rank), {0, 1}, 1);
    reduce.push_back(tree.reduce);
    distribute.push_back(tree.distribute);
    arrays.push_back(std::span(losses).subspan(rank, 1));
  }
  run_serially(reduce, arrays);
  losses.front() /= static_cast<float>(site.ranks.workers());
  run_serially(distribute, arrays);
}

}  // namespace

void Reference::start(const train::Site& site) {
  const int world = site.ranks.topology.world();
  const int workers = site.ranks.workers();
  while (std::ssize(networks_) < world) {
    networks_.emplace_back(trial_, static_cast<int>(networks_.size()));
  }
  rules_.clear();
  for (int rank = 0; rank < world; ++rank) {
    Network& network = networks_[static_cast<std::size_t>(rank)];
    network.start();
    rules_.emplace_back(trial_, network.layout(), network.parameters(),
                        site.strategy->averages ? workers : 1, workers);
  }
}

std::vector<Trained> Reference::train(const train::Site& site,
                                      std::span<const strategy::Chunk> chunks) {
  start(site);
  std::vector<Trained> trained(static_cast<std::size_t>(site.ranks.workers()));
  for (int step = 0; step < trial_.num_batches; ++step) {
    for (Rule& rule : rules_) rule.begin_step(step);
    std::vector<double> penalties;
    std::vector<float> losses(rules_.size());
    for (std::size_t i = 0; i < trained.size(); ++i) {
      penalties.push_back(rules_[i].penalty());
      losses[i] = networks_[i].run(static_cast<std::uint64_t>(step));
    }
    for (const strategy::Chunk& chunk : chunks) exchange(site, chunk);
    if (site.strategy->in_step) average(site, losses);
    for (std::size_t i = 0; i < trained.size(); ++i) {
      trained[i].base_losses.push_back(losses[i]);
      trained[i].losses.push_back(static_cast<float>(double{losses[i]} + penalties[i]));
    }
  }
  for (std::size_t i = 0; i < trained.size(); ++i) {
    const std::span<const float> parameters = networks_[i].parameters();
    trained[i].stored.assign(parameters.begin(), parameters.end());
  }
  return trained;
}

void Reference::exchange(const train::Site& site, const strategy::Chunk& chunk) {
  std::vector<comm::Schedule> reduce, distribute;
  std::vector<std::span<float>> gradients, parameters;
  std::vector<std::vector<comm::Range>> owned;
  for (int rank = 0; rank < site.ranks.topology.world(); ++rank) {
    const comm::Collective collective =
        strategy::exchange(*site.strategy, site.ranks, chunk, rank).collective;
    reduce.push_back(collective.reduce);
    owned.push_back(collective.owned);
    distribute.push_back(collective.distribute);
    gradients.push_back(networks_[static_cast<std::size_t>(rank)].gradients());
    parameters.push_back(networks_[static_cast<std::size_t>(rank)].parameters());
  }
  run_serially(reduce, gradients, [&](int from, int to, std::span<float> message) {
    if (site.ranks.topology.same_host(from, to)) return;
    for (float& value : message) value = rounded(value, trial_.exchange.wire_precision);
  });
  for (std::size_t rank = 0; rank < owned.size(); ++rank) {
    for (const comm::Range& range : owned[rank]) rules_[rank].update(range, gradients[rank]);
  }
  run_serially(distribute, parameters);
}

void expect_same(const std::vector<Trained>& workers, const std::vector<Trained>& reference) {
  ASSERT_EQ(workers.size(), reference.size());
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    EXPECT_EQ(workers[rank].base_losses, reference[rank].base_losses) << "on rank " << rank;
    for (std::size_t step = 0; step < reference[rank].losses.size(); ++step) {
      // The decay's term is summed up in double, but piece by piece.
      EXPECT_FLOAT_EQ(workers[rank].losses[step], reference[rank].losses[step]);
    }
    EXPECT_TRUE(workers[rank].stored == reference[rank].stored) << "parameters of rank " << rank;
  }
}

}  // namespace lockstep::equivalence
