// That buckets travel while backward goes on, and the next forward: shown by an engine whose passes
// wait for it.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/clock.h"
#include "comm/fake_hosts.h"
#include "train/replica.h"

namespace lockstep::train {
namespace {

constexpr int kParameters = 3;
constexpr std::size_t kFloats = 64;
constexpr float kRate = 0.5;

// Something that one rank tells the other.
class Event {
 public:
  void happen() {
    const std::lock_guard lock(mutex_);
    happened_ = true;
    changed_.notify_all();
  }
  void await() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(30), [&] { return happened_; })) {
      throw Error(ExitCode::rank_failed, "what should happen during backward did not");
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool happened_ = false;
};

// An engine whose passes are the test's. All parameters start at 0.
class ScriptedEngine : public engine::Engine {
 public:
  // `call` is forward's need or backward's ready.
  using Script = std::function<void(ScriptedEngine&, const std::function<void(int)>& call)>;

  ScriptedEngine(Script forward, Script backward)
      : forward_(std::move(forward)), backward_(std::move(backward)) {
    for (int i = 0; i < kParameters; ++i) {
      engine::Parameter parameter;
      parameter.plain.name = fmt::format("weights{}", i);
      parameter.plain.shape = {static_cast<int>(kFloats)};
      parameter.plain.init = {model::Init::Kind::constant, 0};
      parameter.offset = static_cast<std::size_t>(i) * kFloats;
      parameter.size = kFloats;
      parameters_.push_back(parameter);
    }
  }

  // All elements of the parameter's gradient.
  void set_gradient(int i, float value) {
    std::ranges::fill(gradients_.subspan(static_cast<std::size_t>(i) * kFloats, kFloats), value);
  }
  float value(int i, std::size_t element) const {
    return values_[static_cast<std::size_t>(i) * kFloats + element];
  }

  std::span<const engine::Parameter> parameters() const override { return parameters_; }
  std::size_t parameter_floats() const override { return kParameters * kFloats; }
  void bind(std::span<float> parameters, std::span<float> gradients) override {
    values_ = parameters;
    gradients_ = gradients;
  }
  engine::ImageBuffer images() override { return {.data = image_, .n = 1, .c = 1, .h = 1, .w = 1}; }
  float forward(const engine::Batch& batch, const engine::Need& need) override {
    if (batch.step > 0) forward_(*this, need);
    return 1;
  }
  void backward(const engine::Ready& ready) override { backward_(*this, ready); }
  std::span<const float> logits() override { return {}; }
  void set_parameter(int i, std::span<const float> plain) override {
    std::ranges::copy(plain, values_.begin() + i * static_cast<int>(kFloats));
  }
  std::vector<float> parameter(int /*i*/) const override { return {}; }
  std::vector<float> gradient(int /*i*/) const override { return {}; }
  std::span<float> moving_statistics() override { return {}; }
  std::string first_non_finite(const engine::Batch& /*batch*/) override { return {}; }
  const engine::PlanSummary& plan() const override { return plan_; }
  void run_planned(std::size_t /*i*/, const engine::Batch& /*batch*/) override {}

 private:
  const Script forward_, backward_;
  std::vector<engine::Parameter> parameters_;
  std::span<float> values_, gradients_;
  std::vector<float> image_ = std::vector<float>(1);
  engine::PlanSummary plan_;
};

class Overlap : public testing::Test {
 protected:
  // One step of both ranks, each with its script of backward; with a script of forward, a second.
  void step(std::span<const std::unique_ptr<comm::Transport>> ranks,
            const std::array<ScriptedEngine::Script, 2>& backward,
            const std::array<ScriptedEngine::Script, 2>& next_forward = {}) {
    spec::Trial trial;
    trial.learning_rate.initial = kRate;
    trial.optimizer.weight_decay = 0;
    trial.exchange.fusion_threshold_mb = 0;  // every parameter by itself
    model::Model model{};
    model.dataset = "mnist";
    model.classes = 10;
    model.learning_rate = [] { return model::OwnLearningRate{}; };
    comm::on_every_rank(ranks, [&](comm::Transport& transport) {
      const auto rank = static_cast<std::size_t>(transport.rank());
      Site site;
      site.ranks.topology = transport.topology();
      site.strategy = &spec::find_strategy("replicated");
      site.spin = false;
      Replica replica(
          trial, model,
          std::make_unique<ScriptedEngine>(next_forward[rank],
                                           [&](ScriptedEngine& e, const engine::Ready& ready) {
                                             backward[rank](e, ready);
                                             backward_end_[rank] = now();
                                           }),
          transport, site);
      record::Recorder recorder(2);
      replica.step(recorder, {});
      if (next_forward[rank]) replica.step(recorder, {});
      replica.land();
      for (int i = 0; i < kParameters; ++i) {
        produced_at_[rank][static_cast<std::size_t>(i)] =
            replica.exchange().executor().produced_at(i);
        done_at_[rank][static_cast<std::size_t>(i)] = replica.exchange().executor().done_at(i);
      }
    });
  }

  std::array<double, 2> backward_end_{};
  std::array<std::array<double, kParameters>, 2> produced_at_{}, done_at_{};
};

TEST_F(Overlap, LetsAPeerReadTheFirstBucketBeforeBackwardEnds) {
  Event offered, read, rank_0_is_through;
  const auto rank_0 = [&](ScriptedEngine& engine, const engine::Ready& ready) {
    engine.set_gradient(0, 1);
    ready(0);
    offered.happen();
    read.await();
    engine.set_gradient(1, 1);
    ready(1);
    engine.set_gradient(2, 1);
    ready(2);
    rank_0_is_through.happen();
  };
  const auto rank_1 = [&](ScriptedEngine& engine, const engine::Ready& ready) {
    offered.await();
    engine.set_gradient(0, 3);
    ready(0);
    // Its share of the first bucket, the second half, follows both ranks' gradients already.
    EXPECT_EQ(engine.value(0, kFloats - 1), -kRate * (1 + 3) / 2);
    read.happen();
    rank_0_is_through.await();
    engine.set_gradient(1, 3);
    ready(1);
    engine.set_gradient(2, 3);
    ready(2);
  };
  const auto ranks = comm::connect_threads(2);
  step(ranks, {rank_0, rank_1});
  for (const std::size_t rank : {0, 1}) {
    EXPECT_LE(produced_at_[rank][0], done_at_[rank][0]);
    EXPECT_LE(done_at_[rank][0], produced_at_[rank][2]);
    EXPECT_LE(done_at_[rank][0], backward_end_[rank]);
  }
  // Of the second, rank 1 had nothing before.
  EXPECT_GE(done_at_[0][1], backward_end_[0]);
}

TEST_F(Overlap, LetsTheWireExchangeABucketWhileBackwardGoesOn) {
  const comm::FakeHosts world({{0, 1}});
  // Each waits within backward for half of the first bucket's gradients and for the other half's
  // new parameters.
  const auto script = [&](int rank) {
    return [&world, rank](ScriptedEngine& engine, const engine::Ready& ready) {
      engine.set_gradient(0, 2);
      ready(0);
      const double deadline = now() + 30;
      while (world.wire(rank).bytes_received() < kFloats * sizeof(float) && now() < deadline) {
        std::this_thread::yield();
      }
      EXPECT_GE(world.wire(rank).bytes_received(), kFloats * sizeof(float));
      for (int i = 1; i < kParameters; ++i) {
        engine.set_gradient(i, 2);
        ready(i);
      }
    };
  };
  step(world.ranks(), {script(0), script(1)});
  for (const std::size_t rank : {0, 1}) EXPECT_LE(produced_at_[rank][0], done_at_[rank][0]);
}

TEST_F(Overlap, LetsWhatIsLeftHideBehindTheNextForward) {
  const comm::FakeHosts world({{0, 1}});
  constexpr int kSlow = 0;  // completed first by backward, read last by forward
  for (const int rank : {0, 1}) world.wire(rank).hold(kSlow);
  std::array<Event, 2> looked;
  const auto backward = [](ScriptedEngine& engine, const engine::Ready& ready) {
    for (int i = 0; i < kParameters; ++i) {
      engine.set_gradient(i, 2);
      ready(i);
    }
  };
  const auto forward = [&](int rank) {
    return [&, rank](ScriptedEngine& engine, const engine::Need& need) {
      for (int i = kParameters - 1; i > kSlow; --i) {
        need(i);
        for (std::size_t k = 0; k < kFloats; ++k) EXPECT_EQ(engine.value(i, k), -kRate * 2);
      }
      for (std::size_t k = 0; k < kFloats; ++k) EXPECT_EQ(engine.value(kSlow, k), 0);
      looked[static_cast<std::size_t>(rank)].happen();
      looked[static_cast<std::size_t>(1 - rank)].await();
      world.wire(rank).let_go();
      need(kSlow);
      for (std::size_t k = 0; k < kFloats; ++k) EXPECT_EQ(engine.value(kSlow, k), -kRate * 2);
    };
  };
  step(world.ranks(), {backward, backward}, {forward(0), forward(1)});
}

}  // namespace
}  // namespace lockstep::train
