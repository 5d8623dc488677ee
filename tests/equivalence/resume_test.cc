// A run that goes on from a checkpoint goes on as if it had never stopped.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/directory_for_test.h"
#include "model/zoo.h"
#include "record/recorder.h"
#include "tests/equivalence/ranks.h"
#include "train/replica.h"
#include "train/server.h"

namespace lockstep::equivalence {
namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 3;

class Resume : public DirectoryTest {
 protected:
  // What becomes of rank 0's losses in so many steps, from the latest checkpoint on.
  std::vector<float> go_on(const std::string& train_dir, const spec::Trial& original,
                           const train::Site& site, int steps) {
    spec::Trial trial = original;
    trial.checkpoints.dir = directory_ / train_dir;
    const model::Model& model = model::find(trial.model);
    std::optional<train::Checkpoint> checkpoint;
    if (const auto file = train::latest_checkpoint(trial.checkpoints.dir)) {
      checkpoint = train::read_checkpoint(*file);
    }
    std::vector<float> losses;
    in_memory(site.ranks.topology, [&](comm::Transport& transport) {
      if (!site.ranks.trains(transport.rank())) {
        train::serve(trial, model, transport, site);
        return;
      }
      train::Supplies supplies;
      if (transport.rank() == 0 && checkpoint) supplies.checkpoint = &*checkpoint;
      train::Replica replica(trial, model, compile(trial), transport, site, supplies);
      record::Recorder recorder(static_cast<std::size_t>(steps));
      for (int step = 1; step <= steps; ++step) {
        replica.step(recorder, {.last = step == steps && transport.rank() == 0 ? 1.0F : 0.0F});
      }
      replica.land();
      replica.save();
      transport.barrier();
      if (transport.rank() != 0) return;
      for (const record::Sample& sample : recorder.samples()) losses.push_back(sample.loss);
    });
    return losses;
  }
};

spec::Trial momentum_trial(int batch) {
  spec::Trial trial = trial_of("mnist_mlp", batch);
  trial.optimizer.kind = spec::OptimizerKind::momentum;
  trial.learning_rate.initial = 0.05;
  return trial;
}

TEST_F(Resume, ContinuesTheLossesBitForBitByEveryStrategy) {
  const spec::Trial trial = momentum_trial(2);
  for (const spec::StrategyRow& row : spec::strategies()) {
    if (!row.averages || !row.in_step) continue;  // has no checkpoints
    for (const std::vector<int>& host_of : {std::vector{0, 0}, {0, 0, 1}}) {
      for (const int servers : {0, 1}) {
        if (servers > 0 && !row.served) continue;
        const std::string name =
            fmt::format("{} on {} ranks, {} server", row.name, host_of.size(), servers);
        SCOPED_TRACE(name);
        const train::Site site = site_of(row, {host_of}, servers);
        const std::vector<float> straight = go_on(name + " straight", trial, site, 2 * kSteps);
        std::vector<float> in_two = go_on(name, trial, site, kSteps);
        for (const float loss : go_on(name, trial, site, kSteps)) in_two.push_back(loss);
        EXPECT_EQ(in_two, straight);
      }
    }
  }
}

// The same images in the same order: sums alone are rounded otherwise.
TEST_F(Resume, ContinuesWhatAnotherWorldAndStrategyHaveBegun) {
  for (const spec::OptimizerKind kind :
       {spec::OptimizerKind::sgd, spec::OptimizerKind::rmsprop, spec::OptimizerKind::adam}) {
    spec::Trial trial = momentum_trial(2);
    trial.optimizer.kind = kind;
    trial.learning_rate.initial = 0.001;
    const std::string name = fmt::format("optimizer {}", static_cast<int>(kind));
    SCOPED_TRACE(name);
    const train::Site served = site_of(spec::find_strategy("parameter_server"), {{0, 1, 1}}, 1);
    go_on(name, trial, served, kSteps);
    trial.batch_size = 4;
    const train::Site alone = site_of(spec::find_strategy("horovod"), {{0}});
    const std::vector<float> second = go_on(name, trial, alone, kSteps);
    const std::vector<float> straight = go_on(name + " straight", trial, alone, 2 * kSteps);
    for (std::size_t i = 0; i < second.size(); ++i) {
      EXPECT_NEAR(second[i], straight[kSteps + i], 1e-3F * straight[kSteps + i]) << i;
    }
  }
}

}  // namespace
}  // namespace lockstep::equivalence
