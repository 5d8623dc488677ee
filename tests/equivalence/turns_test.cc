// Servers that do not wait for all workers, against a loop that says what they do. The workers take
// turns by a script, so that the order in which gradients arrive is known.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <memory>
#include <mutex>
#include <numeric>

#include "model/zoo.h"
#include "record/recorder.h"
#include "tests/equivalence/batches.h"
#include "tests/equivalence/ranks.h"
#include "tests/equivalence/rule.h"
#include "train/replica.h"
#include "train/server.h"
#include "train/worker.h"

namespace lockstep::equivalence {
namespace {

// Who does a step, turn by turn. Workers of one turn know nothing of each other; the next turn
// comes when they have their answers.
using Script = std::vector<std::vector<int>>;

struct Outcome {
  std::vector<std::vector<float>> losses;      // by worker, by step
  std::vector<std::vector<float>> parameters;  // by worker, as its last answer had them
  std::vector<std::int64_t> staleness;         // of every gradient that counted
  std::int64_t updates = 0, dropped = 0;
};

// When servers update, and with what.
struct Rules {
  int quorum = 1;
  bool drops_late = false;
};

// Each gradient is one of all parameters.
Outcome serve_serially(const spec::Trial& trial, int workers, const Rules& rules,
                       const Script& script) {
  struct Copy {
    std::vector<float> parameters;
    std::int64_t version = 0;
    std::uint64_t steps = 0;
  };
  Batches batches(trial, workers);
  std::vector<float> parameters = batches.first_parameters();
  Rule rule(trial, batches.layout(), parameters, rules.quorum, rules.quorum);
  std::vector<Copy> copies(static_cast<std::size_t>(workers), {parameters});
  Outcome outcome;
  outcome.losses.resize(copies.size());
  std::int64_t version = 0;
  for (const std::vector<int>& turn : script) {
    std::vector<float> sums(parameters.size());
    int gathered = 0;
    for (const int worker : turn) {
      Copy& copy = copies[static_cast<std::size_t>(worker)];
      outcome.losses[static_cast<std::size_t>(worker)].push_back(
          batches.run(worker, copy.parameters, copy.steps++));
      const std::int64_t staleness = version - copy.version;
      if (rules.drops_late && staleness > 0) {
        ++outcome.dropped;
        continue;
      }
      outcome.staleness.push_back(staleness);
      ++gathered;
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += batches.gradients(worker)[i];
    }
    if (gathered == rules.quorum) {
      rule.begin_step(version++);
      rule.update(sums);
    } else {
      EXPECT_EQ(gathered, 0) << "no script: its workers would wait for ever";
    }
    for (const int worker : turn) {
      Copy& copy = copies[static_cast<std::size_t>(worker)];
      copy.parameters = parameters;
      copy.version = version;
    }
  }
  outcome.updates = version;
  for (const Copy& copy : copies) outcome.parameters.push_back(copy.parameters);
  return outcome;
}

struct World {
  Outcome outcome;  // but for the staleness
  train::Service service;
};

World serve_ranks(OnRanks& on_ranks, const spec::Trial& trial, const train::Site& site,
                  const Script& script) {
  const model::Model& model = model::find(trial.model);
  const auto workers = static_cast<std::size_t>(site.ranks.workers());
  World world;
  world.outcome.losses.resize(workers);
  world.outcome.parameters.resize(workers);
  std::mutex mutex;
  std::barrier turn_over(site.ranks.workers());
  on_ranks(site.ranks.topology, [&](comm::Transport& transport) {
    if (!site.ranks.trains(transport.rank())) {
      const train::Service service = train::serve(trial, model, transport, site);
      const std::lock_guard lock(mutex);
      world.service.updates += service.updates;
      world.service.gradients += service.gradients;
      world.service.staleness_sum += service.staleness_sum;
      world.service.staleness_max = std::max(world.service.staleness_max, service.staleness_max);
      world.service.dropped += service.dropped;
      world.service.bytes_sent += service.bytes_sent;
      world.service.bytes_received += service.bytes_received;
      return;
    }
    // However this rank ends, the others wait for it no longer.
    const std::shared_ptr<void> leave(nullptr, [&](void*) { turn_over.arrive_and_drop(); });
    std::unique_ptr<engine::Engine> engine = compile(trial);
    const std::size_t floats = engine->parameter_floats();
    train::Replica replica(trial, model, std::move(engine), transport, site);
    record::Recorder recorder(script.size());
    transport.barrier();
    for (const std::vector<int>& turn : script) {
      if (std::ranges::count(turn, transport.rank()) > 0) {
        replica.step(recorder, {});
        replica.land();
      }
      turn_over.arrive_and_wait();
    }
    const auto rank = static_cast<std::size_t>(transport.rank());
    for (const record::Sample& sample : recorder.samples()) {
      world.outcome.losses[rank].push_back(sample.base_loss);
    }
    const auto parameters = replica.exchange().parameters().first(floats);
    world.outcome.parameters[rank].assign(parameters.begin(), parameters.end());
    transport.barrier();  // the last step is done
    transport.barrier();  // all have their answers
  });
  return world;
}

void expect_as_scripted(const Rules& rules, int workers, const Script& script) {
  const spec::Trial trial = trial_of("mnist_mlp", 4);
  const Outcome expected = serve_serially(trial, workers, rules, script);
  const auto expect_same = [&](OnRanks& on_ranks, std::vector<int> host_of, int servers) {
    SCOPED_TRACE(fmt::format("hosts {}, {} servers", fmt::join(host_of, ","), servers));
    train::Site site =
        site_of(spec::find_strategy("parameter_server", true), {std::move(host_of)}, servers);
    site.quorum = rules.quorum;
    site.drops_late = rules.drops_late;
    const World world = serve_ranks(on_ranks, trial, site, script);
    EXPECT_EQ(world.outcome.losses, expected.losses);
    for (std::size_t worker = 0; worker < expected.parameters.size(); ++worker) {
      EXPECT_TRUE(world.outcome.parameters[worker] == expected.parameters[worker])
          << "parameters of worker " << worker;
    }
    // Servers count chunks, of which every gradient has the same number.
    const std::int64_t chunks = world.service.updates / expected.updates;
    EXPECT_GT(chunks, 1);
    EXPECT_EQ(world.service.updates, expected.updates * chunks);
    EXPECT_EQ(world.service.dropped, expected.dropped * chunks);
    EXPECT_EQ(world.service.gradients,
              (std::ssize(expected.staleness) + expected.dropped) * chunks);
    EXPECT_EQ(world.service.staleness_sum,
              static_cast<double>(chunks) *
                  std::accumulate(expected.staleness.begin(), expected.staleness.end(), 0.0));
    EXPECT_EQ(world.service.staleness_max, std::ranges::max(expected.staleness));
  };
  const auto ranks = static_cast<std::size_t>(workers);
  expect_same(in_memory, std::vector<int>(ranks + 1), 1);
  std::vector<int> apart(ranks + 2);
  std::iota(apart.begin(), apart.end(), 0);
  expect_same(in_memory, apart, 2);
  expect_same(over_tcp, apart, 2);
}

TEST(Asynchronous, WorkerOnItsOwnTrainsAsIfThereWereNoServer) {
  const Script script = {{0}, {0}, {0}};
  expect_as_scripted({}, 1, script);
  spec::Trial trial = trial_of("mnist_mlp", 4);
  const train::Site site = site_of(spec::find_strategy("replicated"), {{0}});
  EXPECT_TRUE(train_on(in_memory, trial, site).front().stored ==
              serve_serially(trial, 1, {}, script).parameters.front());
}

TEST(Asynchronous, WorkersAreAnsweredOneByOneWhateverTheOthersDidMeanwhile) {
  const Script script = {{0}, {1}, {0}, {0}, {1}, {1}, {0}};
  EXPECT_EQ(serve_serially(trial_of("mnist_mlp", 4), 2, {}, script).staleness,
            (std::vector<std::int64_t>{0, 1, 1, 0, 2, 0, 2}));
  expect_as_scripted({}, 2, script);
}

TEST(Asynchronous, ServersCountBytesAsTheyTravel) {
  // For every float, received and sent.
  const auto bytes = [](spec::WirePrecision precision, std::vector<int> host_of) {
    spec::Trial trial = trial_of("mnist_mlp", 4);
    trial.exchange.wire_precision = precision;
    train::Site site =
        site_of(spec::find_strategy("parameter_server", true), {std::move(host_of)}, 1);
    site.quorum = 1;
    const World world = serve_ranks(in_memory, trial, site, {{0}, {0}, {0}});
    const double floats = 3 * static_cast<double>(world.outcome.parameters.front().size());
    return std::pair(static_cast<double>(world.service.bytes_received) / floats,
                     static_cast<double>(world.service.bytes_sent) / floats);
  };
  EXPECT_EQ(bytes(spec::WirePrecision::fp32, {0, 1}), std::pair(4.0, 4.0));
  EXPECT_EQ(bytes(spec::WirePrecision::bf16, {0, 1}), std::pair(2.0, 4.0));
  EXPECT_EQ(bytes(spec::WirePrecision::bf16, {0, 0}), std::pair(4.0, 4.0));
}

TEST(BackupWorkers, AreDroppedWhereTheyComeAfterTheQuorum) {
  const Script script = {{0, 1}, {2}, {1, 2}, {0}, {2, 0}, {1}, {1, 0}};
  const Rules rules = {.quorum = 2, .drops_late = true};
  EXPECT_EQ(serve_serially(trial_of("mnist_mlp", 4), 3, rules, script).dropped, 3);
  expect_as_scripted(rules, 3, script);
}

TEST(BackupWorkers, AreDroppedAlsoWhereOneGradientIsEnough) {
  const Script script = {{0}, {1}, {1}, {0}, {0}};
  const Rules rules = {.quorum = 1, .drops_late = true};
  EXPECT_EQ(serve_serially(trial_of("mnist_mlp", 4), 2, rules, script).dropped, 2);
  expect_as_scripted(rules, 2, script);
}

TEST(BackupWorkers, EndTogetherWhateverTurnsTheyTake) {
  spec::Trial trial = trial_of("mnist_mlp", 4);
  trial.num_warmup_batches = 1;
  const auto expect_end = [&](OnRanks& on_ranks, const comm::Topology& topology) {
    train::Site site = site_of(spec::find_strategy("parameter_server", true), topology, 1);
    site.quorum = 2;
    site.drops_late = true;
    on_ranks(topology, [&](comm::Transport& transport) {
      const model::Model& model = model::find(trial.model);
      if (!site.ranks.trains(transport.rank())) {
        train::serve(trial, model, transport, site);
        return;
      }
      const train::Outcome outcome =
          train::train(trial, model, compile(trial), transport, site, {});
      EXPECT_EQ(outcome.ending, train::Ending::batches);
      // Steps beyond those are no part of the measurement.
      EXPECT_EQ(std::ssize(outcome.samples), outcome.warm_up_steps + trial.num_batches);
    });
  };
  for (int i = 0; i < 20; ++i) expect_end(in_memory, {{0, 0, 0, 0}});
  for (int i = 0; i < 3; ++i) expect_end(over_tcp, {{0, 1, 2, 3}});
}

TEST(BackupWorkers, ThatAreAllOfTheQuorumTrainLikeWorkersInStep) {
  const Script script = {{0, 1}, {0, 1}, {0, 1}};
  const Rules rules = {.quorum = 2, .drops_late = true};
  expect_as_scripted(rules, 2, script);
  const spec::Trial trial = trial_of("mnist_mlp", 4);
  const train::Site site = site_of(spec::find_strategy("parameter_server"), {{0, 0}});
  EXPECT_TRUE(train_on(in_memory, trial, site).front().stored ==
              serve_serially(trial, 2, rules, script).parameters.front());
}

}  // namespace
}  // namespace lockstep::equivalence
