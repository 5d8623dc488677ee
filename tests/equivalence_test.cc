// n ranks train as one. (a) Bit for bit, whatever the network: as one thread that runs n batches
// one after the other and executes the same schedules with plain loops. (b) Within rounding, as one
// rank with n times the batch, where no batch norm looks at a batch as a whole. (c) Where one does:
// as one rank, if all ranks see the same images.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>

#include "base/buffer.h"
#include "comm/fake_hosts.h"
#include "data/synthetic.h"
#include "engine/engine.h"
#include "model/zoo.h"
#include "record/recorder.h"
#include "train/epochs.h"
#include "train/learning_rate.h"
#include "train/optimizer.h"
#include "train/replica.h"
#include "train/server.h"

namespace lockstep::train {
namespace {

// ---- What is trained -------------------------------------------------------------------------

spec::Trial trial_of(const char* model, int batch) {
  spec::Trial trial;
  trial.model = model;
  trial.batch_size = batch;
  trial.num_batches = 3;
  trial.num_classes = 11;
  trial.optimizer.kind = spec::OptimizerKind::momentum;
  trial.learning_rate.initial = 0.02;
  trial.exchange.fusion_threshold_mb = 0.1;  // several buckets in the smallest of networks
  return trial;
}

std::unique_ptr<engine::Engine> compile(const spec::Trial& trial) {
  engine::Options options;
  options.batch = trial.batch_size;
  options.seed = trial.seed;
  return engine::compile(model::build(model::find(trial.model), {.num_classes = trial.num_classes}),
                         options);
}

// Images and labels of a batch.
struct Shard {
  std::uint64_t first_sample = 0;
  std::vector<int> labels = {};

  engine::Batch batch(std::uint64_t step) const {
    return {.labels = labels, .step = step, .first_sample = first_sample};
  }
};

Shard fill(engine::Engine& engine, const spec::Trial& trial, std::uint64_t first_sample) {
  const engine::ImageBuffer to = engine.images();
  data::fill_images({.first = to.data.data() + to.offset,
                     .n = to.n,
                     .c = to.c,
                     .h = to.h,
                     .w = to.w,
                     .stride_n = to.stride_n,
                     .stride_c = to.stride_c,
                     .stride_h = to.stride_h,
                     .stride_w = to.stride_w},
                    trial.seed, first_sample);
  Shard shard{first_sample, std::vector<int>(static_cast<std::size_t>(to.n))};
  data::fill_labels(shard.labels, trial.num_classes, trial.seed, first_sample);
  return shard;
}

// What a rank has in the end.
struct Trained {
  std::vector<float> base_losses, losses;      // by step
  std::vector<float> stored;                   // parameters, in the engine's own order
  std::vector<std::vector<float>> parameters;  // as plain tensors
};

std::vector<std::vector<float>> plain_parameters(const engine::Engine& engine) {
  std::vector<std::vector<float>> all;
  for (int i = 0; i < static_cast<int>(engine.parameters().size()); ++i) {
    all.push_back(engine.parameter(i));
  }
  return all;
}

// ---- Ranks -----------------------------------------------------------------------------------

Site site_of(const strategy::StrategyRow& row, const comm::Topology& topology, int servers,
             std::string_view all_reduce) {
  Site site;
  site.ranks.topology = topology;
  site.ranks.servers = servers;
  site.ranks.all_reduce = strategy::parse_all_reduce_spec(all_reduce);
  site.strategy = &row;
  site.spin = false;
  return site;
}

struct World {
  std::vector<Trained> workers;
  std::vector<strategy::Chunk> chunks;  // the tally's last
};

World train_on_ranks(const spec::Trial& trial, const Site& site,
                     const std::function<std::unique_ptr<engine::Engine>(const spec::Trial&)>&
                         compile_one = compile) {
  const model::Model& model = model::find(trial.model);
  World world;
  world.workers.resize(static_cast<std::size_t>(site.ranks.workers()));
  const comm::FakeHosts hosts(site.ranks.topology);
  comm::on_every_rank(hosts.ranks(), [&](comm::Transport& transport) {
    if (!site.ranks.trains(transport.rank())) {
      serve(trial, model, transport, site);
      return;
    }
    std::unique_ptr<engine::Engine> compiled = compile_one(trial);
    const engine::Engine& engine = *compiled;
    Replica replica(trial, model, std::move(compiled), transport, site);
    record::Recorder recorder(static_cast<std::size_t>(trial.num_batches));
    for (int step = 0; step < trial.num_batches; ++step) {
      replica.step(recorder, {.last = step + 1 == trial.num_batches ? 1.0F : 0.0F});
    }
    replica.land();
    Trained& mine = world.workers[static_cast<std::size_t>(transport.rank())];
    for (const record::Sample& sample : recorder.samples()) {
      mine.base_losses.push_back(sample.base_loss);
      mine.losses.push_back(sample.loss);
    }
    const auto stored = replica.exchange().parameters().first(engine.parameter_floats());
    mine.stored.assign(stored.begin(), stored.end());
    mine.parameters = plain_parameters(engine);
    if (transport.rank() == 0) {
      const auto chunks = replica.exchange().chunks();
      world.chunks.assign(chunks.begin(), chunks.end());
    }
  });
  return world;
}

// ---- The reference: one thread, plain loops --------------------------------------------------

// Everybody's schedule on everybody's array: a send puts a copy into the post, a receive waits for
// its turn until there is one.
void run_serially(const std::vector<comm::Schedule>& schedules,
                  const std::vector<std::span<float>>& arrays) {
  std::map<std::pair<int, int>, std::deque<std::vector<float>>> post;  // from, to
  std::vector<std::size_t> next(schedules.size());
  for (bool any = true; any;) {
    any = false;
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      const int me = static_cast<int>(rank);
      for (; next[rank] < schedules[rank].size(); ++next[rank], any = true) {
        const comm::Move& move = schedules[rank][next[rank]];
        const std::span<float> mine = arrays[rank].subspan(move.range.begin, move.range.size());
        if (move.act == comm::Act::send) {
          post[{me, move.peer}].emplace_back(mine.begin(), mine.end());
          continue;
        }
        auto& letters = post[{move.peer, me}];
        if (letters.empty()) break;
        for (std::size_t i = 0; i < mine.size(); ++i) {
          mine[i] = move.act == comm::Act::recv ? letters.front()[i] : mine[i] + letters.front()[i];
        }
        letters.pop_front();
      }
    }
  }
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    ASSERT_EQ(next[rank], schedules[rank].size()) << "rank " << rank << " is stuck";
  }
}

// One rank of the reference. Engines are compiled once and start afresh for every run.
class Member {
 public:
  Member(const spec::Trial& trial, int rank)
      : engine_(compile(trial)),
        parameters_(engine_->parameter_floats() * sizeof(float)),
        gradients_(engine_->parameter_floats() * sizeof(float)) {
    engine_->bind(parameters_.floats(), gradients_.floats());
    shard_ = fill(*engine_, trial, static_cast<std::uint64_t>(rank * trial.batch_size));
  }

  void start(const spec::Trial& trial, double weight_decay, double scale) {
    std::ranges::fill(parameters_.floats(), 0.0F);
    std::ranges::fill(gradients_.floats(), 0.0F);
    engine::initialise(*engine_, trial.seed);
    spec::Optimizer rule = trial.optimizer;
    rule.weight_decay = weight_decay;
    optimizer_.emplace(rule, parameters(), scale);
  }
  float run(std::uint64_t step) {
    const float loss = engine_->forward(shard_.batch(step));
    engine_->backward({});
    return loss;
  }
  // One parameter after the other, as far as the range goes.
  void update(const comm::Range& range) {
    for (const engine::Parameter& p : engine_->parameters()) {
      const std::size_t begin = std::max(range.begin, p.offset);
      const std::size_t end = std::min(range.end, p.offset + p.size);
      if (begin >= end) continue;
      optimizer_->update(begin, gradients().subspan(begin, end - begin), p.plain.decays);
    }
  }
  double squares() const {
    double sum = 0;
    for (const engine::Parameter& p : engine_->parameters()) {
      if (p.plain.decays) sum += sum_of_squares(parameters().subspan(p.offset, p.size));
    }
    return sum;
  }

  std::span<float> parameters() const { return parameters_.floats().first(floats()); }
  std::span<float> gradients() const { return gradients_.floats().first(floats()); }
  Optimizer& optimizer() { return *optimizer_; }

 private:
  std::size_t floats() const { return engine_->parameter_floats(); }

  std::unique_ptr<engine::Engine> engine_;
  Buffer parameters_, gradients_;
  Shard shard_;
  std::optional<Optimizer> optimizer_;
};

class Reference {
 public:
  explicit Reference(spec::Trial trial) : trial_(std::move(trial)) {}

  std::vector<Trained> train(const Site& site, std::span<const strategy::Chunk> chunks) {
    const model::Model& model = model::find(trial_.model);
    const int workers = site.ranks.workers();
    const double weight_decay = trial_.optimizer.weight_decay.value_or(model.weight_decay);
    while (static_cast<int>(members_.size()) < site.ranks.topology.world()) {
      members_.emplace_back(trial_, static_cast<int>(members_.size()));
    }
    const std::int64_t global_batch = std::int64_t{trial_.batch_size} * workers;
    const LearningRate rate(trial_.learning_rate, model.learning_rate(), global_batch,
                            examples_per_epoch(trial_, model));
    const auto world = static_cast<std::size_t>(site.ranks.topology.world());
    for (std::size_t i = 0; i < world; ++i) {
      members_[i].start(trial_, weight_decay, site.strategy->averages ? 1.0 / workers : 1);
    }
    std::vector<Trained> trained(static_cast<std::size_t>(workers));
    for (int step = 0; step < trial_.num_batches; ++step) {
      for (std::size_t i = 0; i < world; ++i) members_[i].optimizer().begin_step(rate.at(step));
      std::vector<double> squares;
      std::vector<float> losses(world);
      for (std::size_t i = 0; i < trained.size(); ++i) {
        squares.push_back(members_[i].squares());
        losses[i] = members_[i].run(static_cast<std::uint64_t>(step));
      }
      for (const strategy::Chunk& chunk : chunks) exchange(site, chunk);
      if (site.strategy->in_step) average(site, losses);
      for (std::size_t i = 0; i < trained.size(); ++i) {
        trained[i].base_losses.push_back(losses[i]);
        trained[i].losses.push_back(
            static_cast<float>(double{losses[i]} + weight_decay * squares[i] / 2));
      }
    }
    for (std::size_t i = 0; i < trained.size(); ++i) {
      const std::span<const float> parameters = members_[i].parameters();
      trained[i].stored.assign(parameters.begin(), parameters.end());
    }
    return trained;
  }

 private:
  void exchange(const Site& site, const strategy::Chunk& chunk) {
    std::vector<comm::Schedule> reduce, distribute;
    std::vector<std::span<float>> gradients, parameters;
    std::vector<std::vector<comm::Range>> owned;
    for (int rank = 0; rank < site.ranks.topology.world(); ++rank) {
      const comm::Collective collective =
          site.strategy->exchange(site.ranks, chunk, rank).collective;
      reduce.push_back(collective.reduce);
      owned.push_back(collective.owned);
      distribute.push_back(collective.distribute);
      gradients.push_back(members_[static_cast<std::size_t>(rank)].gradients());
      parameters.push_back(members_[static_cast<std::size_t>(rank)].parameters());
    }
    run_serially(reduce, gradients);
    for (std::size_t rank = 0; rank < owned.size(); ++rank) {
      for (const comm::Range& range : owned[rank]) members_[rank].update(range);
    }
    run_serially(distribute, parameters);
  }

  // The losses go up a tree, and their mean comes back.
  static void average(const Site& site, std::vector<float>& losses) {
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

  const spec::Trial trial_;
  std::deque<Member> members_;
};

// ---- (a) -------------------------------------------------------------------------------------

void expect_same(const std::vector<Trained>& ranks, const std::vector<Trained>& reference) {
  ASSERT_EQ(ranks.size(), reference.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    EXPECT_EQ(ranks[rank].base_losses, reference[rank].base_losses) << "on rank " << rank;
    for (std::size_t step = 0; step < reference[rank].losses.size(); ++step) {
      // The decay's term is summed up in double, but piece by piece.
      EXPECT_FLOAT_EQ(ranks[rank].losses[step], reference[rank].losses[step]);
    }
    EXPECT_TRUE(ranks[rank].stored == reference[rank].stored) << "parameters of rank " << rank;
  }
}

std::vector<strategy::StrategyRow> synchronous_strategies() {
  std::vector<strategy::StrategyRow> rows;
  for (const strategy::StrategyRow& row : strategy::strategies()) {
    if (row.in_step || !row.averages) rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> all_reduces(const strategy::StrategyRow& row) {
  const bool has_choice = row.exchange == strategy::find_strategy("replicated").exchange;
  if (!has_choice) return {"auto"};
  std::vector<std::string> names = {"auto", "ring#2", "owner#2"};
  for (const comm::AlgorithmRow& algorithm : comm::algorithms()) names.emplace_back(algorithm.name);
  return names;
}

class EveryStrategy : public testing::TestWithParam<strategy::StrategyRow> {
 protected:
  void expect_bit_for_bit(Reference& reference, const spec::Trial& trial, const Site& site,
                          const std::string& all_reduce) {
    SCOPED_TRACE(fmt::format("{} on hosts {}, {} servers, all-reduce {}", trial.model,
                             fmt::join(site.ranks.topology.host_of, ","), site.ranks.servers,
                             all_reduce));
    const World world = train_on_ranks(trial, site);
    // The tally's chunk is the reference's own affair.
    expect_same(world.workers,
                reference.train(site, std::span(world.chunks).first(world.chunks.size() - 1)));
    if (!GetParam().averages) return;
    for (const Trained& rank : world.workers) {
      EXPECT_TRUE(rank.stored == world.workers.front().stored) << "ranks differ";
    }
  }

  // All worlds up to five ranks, some more hosts, and dedicated servers.
  void expect_bit_for_bit_everywhere(const spec::Trial& trial) {
    Reference reference(trial);
    for (const std::string& all_reduce : all_reduces(GetParam())) {
      for (const std::vector<int>& host_of : std::vector<std::vector<int>>{
               {0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 1}, {0, 0, 1, 1, 2}}) {
        expect_bit_for_bit(reference, trial, site_of(GetParam(), {host_of}, 0, all_reduce),
                           all_reduce);
      }
    }
    if (!GetParam().served) return;
    for (const std::vector<int>& host_of : {std::vector{0, 0, 0, 0}, {0, 1, 1, 2}}) {
      for (const int servers : {1, 2}) {
        expect_bit_for_bit(reference, trial, site_of(GetParam(), {host_of}, servers, "auto"),
                           "auto");
      }
    }
  }

  // Two ranks on one host, one on another.
  void expect_bit_for_bit_on_three_ranks(const spec::Trial& trial) {
    Reference reference(trial);
    expect_bit_for_bit(reference, trial, site_of(GetParam(), {{0, 0, 1}}, 0, "auto"), "auto");
  }
};

TEST_P(EveryStrategy, TrainsLikeOneThreadThatExecutesItsSchedules) {
  expect_bit_for_bit_everywhere(trial_of("mnist_mlp", 4));
}

TEST_P(EveryStrategy, DoesSoWithParametersOfManyChunks) {
  expect_bit_for_bit_on_three_ranks(trial_of("lenet", 2));
}

TEST_P(EveryStrategy, DoesSoWithBatchNorm) {
  expect_bit_for_bit_on_three_ranks(trial_of("resnet20", 2));
}

INSTANTIATE_TEST_SUITE_P(Equivalence, EveryStrategy, testing::ValuesIn(synchronous_strategies()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Equivalence, OfAnIndependentRankIsARunAlone) {
  const spec::Trial trial = trial_of("lenet", 2);
  // Epochs count global batches: a rate that does not change makes runs of any world alike.
  const strategy::StrategyRow& row = strategy::find_strategy("independent");
  const Trained alone = train_on_ranks(trial, site_of(row, {{0}}, 0, "auto")).workers.front();
  const Trained beside =
      train_on_ranks(trial, site_of(row, {{0, 0, 0}}, 0, "auto")).workers.front();
  EXPECT_EQ(beside.losses, alone.losses);
  EXPECT_TRUE(beside.stored == alone.stored);
}

// ---- (b) and (c) -----------------------------------------------------------------------------

double distance(const std::vector<std::vector<float>>& a,
                const std::vector<std::vector<float>>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) sum += std::pow(double{a[i][j]} - b[i][j], 2);
  }
  return std::sqrt(sum);
}

std::vector<std::vector<float>> initial_parameters(const spec::Trial& trial) {
  const std::unique_ptr<engine::Engine> engine = compile(trial);
  const Buffer parameters(engine->parameter_floats() * sizeof(float));
  const Buffer gradients(engine->parameter_floats() * sizeof(float));
  engine->bind(parameters.floats(), gradients.floats());
  engine::initialise(*engine, trial.seed);
  return plain_parameters(*engine);
}

// The same way from the same start, to within that part of its length.
void expect_alike(const spec::Trial& trial, const Trained& one, const Trained& other,
                  double tolerance) {
  for (std::size_t step = 0; step < other.losses.size(); ++step) {
    EXPECT_NEAR(one.losses[step], other.losses[step], 1e-4 * other.losses[step]);
  }
  const double way = distance(other.parameters, initial_parameters(trial));
  EXPECT_GT(way, 0);
  EXPECT_LT(distance(one.parameters, other.parameters), tolerance * way);
}

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
    const strategy::StrategyRow& row = strategy::find_strategy(c.strategy);
    const comm::Topology topology{std::vector<int>(static_cast<std::size_t>(c.world))};
    const spec::Trial small = trial_of(c.model, 2);
    const spec::Trial large = trial_of(c.model, 2 * c.world);
    const World ranks = train_on_ranks(small, site_of(row, topology, 0, "auto"));
    const World alone = train_on_ranks(large, site_of(row, {{0}}, 0, "auto"));
    expect_alike(large, ranks.workers.back(), alone.workers.front(), 1e-3);
  }
}

// An engine that sees the first rank's images, whatever rank it is on.
class SameShard : public engine::Engine {
 public:
  explicit SameShard(const spec::Trial& trial) : trial_(trial), engine_(compile(trial)) {}

  float forward(const engine::Batch& batch, const engine::Need& need) override {
    if (batch.step == 0) shard_ = fill(*engine_, trial_, 0);
    return engine_->forward(shard_.batch(batch.step), need);
  }

  std::span<const engine::Parameter> parameters() const override { return engine_->parameters(); }
  std::size_t parameter_floats() const override { return engine_->parameter_floats(); }
  void bind(std::span<float> parameters, std::span<float> gradients) override {
    engine_->bind(parameters, gradients);
  }
  engine::ImageBuffer images() override { return engine_->images(); }
  void backward(const engine::Ready& ready) override { engine_->backward(ready); }
  std::span<const float> logits() override { return engine_->logits(); }
  void set_parameter(int i, std::span<const float> plain) override {
    engine_->set_parameter(i, plain);
  }
  std::vector<float> parameter(int i) const override { return engine_->parameter(i); }
  std::vector<float> gradient(int i) const override { return engine_->gradient(i); }
  std::span<float> moving_statistics() override { return engine_->moving_statistics(); }
  std::string first_non_finite(const engine::Batch& batch) override {
    return engine_->first_non_finite(batch);
  }
  const engine::PlanSummary& plan() const override { return engine_->plan(); }
  void run_planned(std::size_t i, const engine::Batch& batch) override {
    engine_->run_planned(i, batch);
  }

 private:
  const spec::Trial trial_;
  const std::unique_ptr<engine::Engine> engine_;
  Shard shard_;
};

std::unique_ptr<engine::Engine> with_same_shard(const spec::Trial& trial) {
  return std::make_unique<SameShard>(trial);
}

// The sum of two or four equal numbers is exact.
TEST(Equivalence, OfTwoOrFourRanksThatSeeTheSameImagesIsOneRankBitForBitDespiteBatchNorm) {
  const spec::Trial trial = trial_of("resnet20", 4);
  const strategy::StrategyRow& row = strategy::find_strategy("replicated");
  const Trained alone = train_on_ranks(trial, site_of(row, {{0}}, 0, "auto")).workers.front();
  for (const std::vector<int>& host_of : {std::vector{0, 0}, {0, 0, 0, 0}, {0, 0, 1, 1}}) {
    for (const char* all_reduce : {"direct", "tree"}) {
      const Site site = site_of(row, {host_of}, 0, all_reduce);
      const World ranks = train_on_ranks(trial, site, with_same_shard);
      for (const Trained& rank : ranks.workers) {
        EXPECT_EQ(rank.base_losses, alone.base_losses);
        EXPECT_TRUE(rank.stored == alone.stored) << all_reduce;
      }
    }
  }
}

// After one step: later, where rounding makes a ReLU's input change sides, ways part for good.
TEST(Equivalence, OfRanksThatSeeTheSameImagesIsOneRankDespiteBatchNorm) {
  spec::Trial trial = trial_of("resnet20", 4);
  trial.num_batches = 1;
  const strategy::StrategyRow& row = strategy::find_strategy("replicated");
  const World alone = train_on_ranks(trial, site_of(row, {{0}}, 0, "auto"));
  for (const int world : {3, 5}) {
    for (const char* all_reduce : {"direct", "ring"}) {
      SCOPED_TRACE(fmt::format("{} on {} ranks", all_reduce, world));
      const comm::Topology topology{std::vector<int>(static_cast<std::size_t>(world))};
      const World ranks =
          train_on_ranks(trial, site_of(row, topology, 0, all_reduce), with_same_shard);
      expect_alike(trial, ranks.workers.back(), alone.workers.front(), 1e-5);
    }
  }
}

}  // namespace
}  // namespace lockstep::train
