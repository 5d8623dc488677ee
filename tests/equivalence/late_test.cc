// Relaxed consistency and staged parameters, each against a loop that says what they mean. Sums of
// two numbers are the same in any order, so the loop knows those of two ranks bit for bit.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/equivalence/batches.h"
#include "tests/equivalence/ranks.h"
#include "tests/equivalence/rule.h"

namespace lockstep::equivalence {
namespace {

struct Late {
  bool gradients = false;   // those of the step before make the update
  bool parameters = false;  // forward and backward read those of the step before
};

spec::Trial trial_with(const Late& late) {
  spec::Trial trial = trial_of("mnist_mlp", 4);
  trial.num_batches = 4;
  trial.optimizer.weight_decay = 0.01;
  trial.exchange.staged_vars = late.parameters;
  if (late.gradients) {
    trial.exchange.variable_consistency = spec::VariableConsistency::relaxed;
  }
  return trial;
}

std::vector<float> train_serially(const spec::Trial& trial, int workers, const Late& late) {
  Batches batches(trial, workers);
  std::vector<float> parameters = batches.first_parameters();
  std::vector<float> parameters_before = parameters;
  std::vector<float> sums_before(parameters.size());
  Rule rule(trial, batches.layout(), parameters, workers, workers);
  for (int step = 0; step < trial.num_batches; ++step) {
    std::vector<float> sums(parameters.size());
    for (int worker = 0; worker < workers; ++worker) {
      batches.run(worker, late.parameters ? parameters_before : parameters,
                  static_cast<std::uint64_t>(step));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += batches.gradients(worker)[i];
    }
    parameters_before = parameters;
    rule.begin_step(step);
    rule.update(late.gradients ? sums_before : sums);
    sums_before = sums;
  }
  return parameters;
}

class EveryDelay : public testing::TestWithParam<Late> {};

TEST_P(EveryDelay, IsThatOfALoopOnOneThread) {
  const spec::Trial trial = trial_with(GetParam());
  const std::vector<std::vector<float>> expected = {train_serially(trial, 1, GetParam()),
                                                    train_serially(trial, 2, GetParam())};
  struct Case {
    const char* strategy;
    std::vector<int> host_of;
    int servers;
  };
  for (const Case& c : {Case{"replicated", {0}, 0},
                        {"replicated", {0, 0}, 0},
                        {"horovod", {0, 1}, 0},
                        {"parameter_server", {0, 0}, 0},
                        {"parameter_server", {0, 0}, 1},
                        {"parameter_server", {0, 0, 0}, 1},
                        {"distributed_replicated", {0, 1, 0, 1}, 2}}) {
    SCOPED_TRACE(fmt::format("{} on hosts {}, {} servers", c.strategy, fmt::join(c.host_of, ","),
                             c.servers));
    const train::Site site = site_of(spec::find_strategy(c.strategy), {c.host_of}, c.servers);
    const std::vector<Trained> workers = train_on(in_memory, trial, site);
    for (const Trained& worker : workers) {
      EXPECT_TRUE(worker.stored == expected[workers.size() - 1]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Equivalence, EveryDelay,
                         testing::Values(Late{}, Late{.gradients = true}, Late{.parameters = true},
                                         Late{.gradients = true, .parameters = true}),
                         [](const auto& late) {
                           return fmt::format("{}{}{}", late.param.gradients ? "relaxed" : "",
                                              late.param.parameters ? "staged" : "",
                                              late.index == 0 ? "none" : "");
                         });

// Or the comparisons above would not tell one from the other.
TEST(Equivalence, OfDelaysWouldBeNoticedWhereThereIsNone) {
  std::vector<std::vector<float>> ends;
  for (const bool gradients : {false, true}) {
    for (const bool parameters : {false, true}) {
      const Late late{gradients, parameters};
      ends.push_back(train_serially(trial_with(late), 2, late));
      for (std::size_t i = 0; i + 1 < ends.size(); ++i) EXPECT_FALSE(ends[i] == ends.back());
    }
  }
}

}  // namespace
}  // namespace lockstep::equivalence
