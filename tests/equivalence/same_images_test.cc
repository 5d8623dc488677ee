// Where batch norm looks at a batch as a whole: n ranks train like one of them if all see the same
// images.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <variant>

#include "tests/equivalence/distance.h"
#include "tests/equivalence/ranks.h"

namespace lockstep::equivalence {
namespace {

using Tensors = std::vector<std::vector<float>>;

// An engine that sees the first rank's images, whatever rank it is on, and starts from given
// parameters where there are any.
class SameShard : public engine::Engine {
 public:
  SameShard(const spec::Trial& trial, std::unique_ptr<engine::Engine> engine, Tensors start)
      : trial_(trial), engine_(std::move(engine)), start_(std::move(start)) {}

  float forward(const engine::Batch& batch, const engine::Need& need) override {
    if (batch.step == 0) shard_ = fill(*engine_, trial_, 0);
    return engine_->forward(shard_.batch(batch.step), need);
  }
  void set_parameter(int i, std::span<const float> plain) override {
    engine_->set_parameter(i, start_.empty() ? plain : start_[static_cast<std::size_t>(i)]);
  }

  std::span<const engine::Parameter> parameters() const override { return engine_->parameters(); }
  std::size_t parameter_floats() const override { return engine_->parameter_floats(); }
  void bind(std::span<float> parameters, std::span<float> gradients) override {
    engine_->bind(parameters, gradients);
  }
  engine::ImageBuffer images() override { return engine_->images(); }
  void backward(const engine::Ready& ready) override { engine_->backward(ready); }
  std::span<const float> logits() override { return engine_->logits(); }
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
  const Tensors start_;
  Shard shard_;
};

std::vector<Trained> train(const spec::Trial& trial, const model::Graph& graph,
                           const comm::Topology& topology, std::string_view all_reduce,
                           const Tensors& start = {}) {
  const spec::StrategyRow& row = spec::find_strategy("replicated");
  return train_on(in_memory, trial, site_of(row, topology, 0, all_reduce),
                  [&](const spec::Trial& of) {
                    return std::make_unique<SameShard>(of, compile(of, graph), start);
                  });
}

// The sum of two or four equal numbers is exact.
TEST(SameImages, TrainTwoOrFourRanksBitForBitLikeOne) {
  const spec::Trial trial = trial_of("resnet20", 4);
  const model::Graph graph = graph_of(trial);
  const Trained alone = train(trial, graph, {{0}}, "auto").front();
  for (const std::vector<int>& host_of : {std::vector{0, 0}, {0, 0, 0, 0}, {0, 0, 1, 1}}) {
    for (const char* all_reduce : {"direct", "tree"}) {
      for (const Trained& rank : train(trial, graph, {host_of}, all_reduce)) {
        EXPECT_EQ(rank.base_losses, alone.base_losses);
        EXPECT_TRUE(rank.stored == alone.stored) << all_reduce;
      }
    }
  }
}

// The mean of three or five equal numbers, as ranks make it: they add up, in a tree, to the sum of
// an exact multiple, twice or four times the number, and of the number itself. So the sum is
// rounded once, and the quotient once more, which need not lead back: 3 x may be half way between
// two floats that are four ulps of x apart. For one x in six or seven the mean is an ulp off, never
// more.
float mean_of_equals(float x, int count) {
  const auto n = static_cast<float>(count);
  return n * x / n;
}

// What the exchange adds to a step, wherever it starts, is the rounding of such means.
TEST(SameImages, MoveThreeOrFiveRanksLikeOneInEveryStep) {
  spec::Trial trial = trial_of("resnet20", 4);
  const model::Graph graph = graph_of(trial);
  trial.num_batches = 1;
  Tensors start = initial_parameters(trial);
  for (int step = 0; step < 3; ++step) {
    const Trained alone = train(trial, graph, {{0}}, "auto", start).front();
    for (const int world : {3, 5}) {
      for (const char* all_reduce : {"direct", "ring"}) {
        SCOPED_TRACE(fmt::format("{} on {} ranks, step {}", all_reduce, world, step));
        const comm::Topology topology{std::vector<int>(static_cast<std::size_t>(world))};
        const Trained last = train(trial, graph, topology, all_reduce, start).back();
        EXPECT_EQ(last.base_losses.front(), mean_of_equals(alone.base_losses.front(), world));
        EXPECT_LT(relative_distance(start, last, alone), 2e-6);
      }
    }
    start = alone.parameters;
  }
}

model::Graph without_kinks(model::Graph graph) {
  for (model::Layer& layer : graph.layers) {
    if (auto* activation = std::get_if<model::Activation>(&layer.op)) {
      activation->kind = model::Activation::Kind::leaky_relu;
      activation->slope = 1;
    }
  }
  return graph;
}

// Over several steps the ways of a network with ReLUs part, by a thousandth or so: the bit that the
// mean is off lets one ReLU's input, among 750,000, end up on the other side of zero, and the
// gradient there comes or goes as a whole. In resnet20's second step, gradients agree to 2e-6 from
// the last layer down to batch_norm6's shift; there, one channel differs by just the gradient of
// that element of it which is nearest to zero, 1e-6; behind it all differ by 5e-3. Where
// activations have no kink the same network, batch norms and all, stays on its way.
TEST(SameImages, TrainThreeOrFiveRanksLikeOneWhereNoReluCanChangeSides) {
  const spec::Trial trial = trial_of("resnet20", 4);
  const model::Graph graph = without_kinks(graph_of(trial));
  const Tensors start = initial_parameters(trial);
  const Trained alone = train(trial, graph, {{0}}, "auto").front();
  for (const int world : {3, 5}) {
    for (const char* all_reduce : {"direct", "ring"}) {
      SCOPED_TRACE(fmt::format("{} on {} ranks", all_reduce, world));
      const comm::Topology topology{std::vector<int>(static_cast<std::size_t>(world))};
      const Trained last = train(trial, graph, topology, all_reduce).back();
      for (std::size_t step = 0; step < alone.losses.size(); ++step) {
        EXPECT_NEAR(last.losses[step], alone.losses[step], 1e-5 * alone.losses[step]);
      }
      EXPECT_LT(relative_distance(start, last, alone), 1e-5);
    }
  }
}

}  // namespace
}  // namespace lockstep::equivalence
