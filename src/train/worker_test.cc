#include "train/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <future>
#include <limits>
#include <string>
#include <utility>

#include "base/clock.h"
#include "comm/fake_hosts.h"

namespace lockstep::train {
namespace {

using record::Phase;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// What the tests see of an engine after the worker has destroyed it.
struct Log {
  int forwards = 0, backwards = 0;
  std::vector<int> labels;
  std::vector<float> images;
  std::vector<float> parameters;  // at the last forward
  bool bound_memory_alive_at_end = false;
};

// A network whose loss is half the squared distance of its parameters from a target. Two
// parameters, each with padding behind it: the first decays, the second does not. The image is not
// looked at; the outputs favour class `answer`.
class Bowl : public engine::Engine {
 public:
  static constexpr int kBatch = 4, kClasses = 11, kElements = 3, kPadded = 4;
  static constexpr float kTarget = 0.5F;
  static constexpr std::int64_t kNever = -1;

  explicit Bowl(Log& log, std::int64_t breaks_at = kNever, int answer = 0, float target = kTarget)
      : log_(log), breaks_at_(breaks_at), target_(target) {
    for (int i = 0; i < 2; ++i) {
      engine::Parameter p;
      p.plain.name = i == 0 ? "dense/weights" : "batch_norm/shift";
      p.plain.shape = {kElements};
      p.plain.init = {model::Init::Kind::truncated_normal, 1};
      p.plain.decays = i == 0;
      p.offset = i == 0 ? 0 : kPadded;
      p.size = kPadded;
      parameters_.push_back(p);
    }
    for (int i = 0; i < kBatch; ++i) {
      for (int c = 0; c < kClasses; ++c) logits_.push_back(c == answer ? 1.0F : 0.0F);
    }
  }
  // Touches the memory that it was given: a sanitizer notices when that went first.
  ~Bowl() override { log_.bound_memory_alive_at_end = !values_.empty() && values_[kElements] == 0; }

  std::span<const engine::Parameter> parameters() const override { return parameters_; }
  std::size_t parameter_floats() const override { return 2 * kPadded; }
  void bind(std::span<float> parameters, std::span<float> gradients) override {
    values_ = parameters;
    gradients_ = gradients;
  }
  engine::ImageBuffer images() override {
    return {.data = image_memory_,
            .n = kBatch,
            .c = 1,
            .h = 2,
            .w = 2,
            .offset = 1,
            .stride_n = 4,
            .stride_c = 4,
            .stride_h = 2,
            .stride_w = 1};
  }
  float forward(const engine::Batch& batch, const engine::Need& need) override {
    if (need) {
      need(1);
      need(0);
    }
    EXPECT_EQ(batch.step, static_cast<std::uint64_t>(log_.forwards));
    ++log_.forwards;
    log_.labels.assign(batch.labels.begin(), batch.labels.end());
    log_.images = image_memory_;
    log_.parameters.assign(values_.begin(), values_.end());
    if (static_cast<std::int64_t>(batch.step) == breaks_at_) {
      return std::numeric_limits<float>::quiet_NaN();
    }
    float loss = 0;
    for_each_element(
        [&](float value, float&) { loss += (value - target_) * (value - target_) / 2; });
    return loss;
  }
  void backward(const engine::Ready& ready) override {
    ++log_.backwards;
    for_each_element([&](float value, float& gradient) { gradient = value - target_; });
    ready(0);
    ready(1);
  }
  std::span<const float> logits() override { return logits_; }
  void set_parameter(int i, std::span<const float> plain) override {
    std::ranges::copy(plain, values_.begin() + i * kPadded);
  }
  std::vector<float> parameter(int i) const override {
    return {values_.begin() + i * kPadded, values_.begin() + i * kPadded + kElements};
  }
  std::vector<float> gradient(int i) const override {
    return {gradients_.begin() + i * kPadded, gradients_.begin() + i * kPadded + kElements};
  }
  std::span<float> moving_statistics() override { return {}; }
  std::string first_non_finite(const engine::Batch&) override { return "conv3"; }
  const engine::PlanSummary& plan() const override { return plan_; }
  void run_planned(std::size_t /*i*/, const engine::Batch& /*batch*/) override {}

 private:
  template <typename Visit>
  void for_each_element(Visit visit) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (i % kPadded < kElements) visit(values_[i], gradients_[i]);
    }
  }

  Log& log_;
  std::int64_t breaks_at_;
  float target_;
  std::vector<engine::Parameter> parameters_;
  std::span<float> values_, gradients_;
  std::vector<float> logits_;
  std::vector<float> image_memory_ = std::vector<float>(1 + kBatch * 4, -7.0F);
  engine::PlanSummary plan_;
};

model::Model bowl_model() {
  model::Model model{};
  model.dataset = "mnist";
  model.classes = Bowl::kClasses;
  model.learning_rate = [] { return model::OwnLearningRate{}; };
  return model;
}

spec::Trial trial_of(int warm_up, int batches) {
  spec::Trial trial;
  trial.num_warmup_batches = warm_up;
  trial.num_batches = batches;
  trial.learning_rate.initial = 0.1;
  return trial;
}

Outcome train_alone(const spec::Trial& trial, std::unique_ptr<Bowl> engine, const Hooks& hooks = {},
                    const model::Model& model = bowl_model()) {
  const auto world = comm::connect_threads(1);
  Site site;
  site.ranks.topology = world.front()->topology();
  site.strategy = &spec::find_strategy("independent");
  return train(trial, model, std::move(engine), *world.front(), site, hooks);
}

Outcome run(const spec::Trial& trial, const Hooks& hooks = {}) {
  Log log;
  return train_alone(trial, std::make_unique<Bowl>(log), hooks);
}

std::vector<float> losses(const Outcome& outcome) {
  std::vector<float> result;
  for (const record::Sample& sample : outcome.samples) result.push_back(sample.loss);
  return result;
}

TEST(Worker, MakesTheLossFall) {
  const std::vector<float> series = losses(run(trial_of(5, 45)));
  ASSERT_EQ(series.size(), 50);
  EXPECT_TRUE(std::ranges::is_sorted(series, std::greater<>()));
  EXPECT_LT(series.back(), series.front() / 100);
}

TEST(Worker, RunsTheWarmUpAndThenTheTimedSteps) {
  Log log;
  const Outcome outcome = train_alone(trial_of(3, 5), std::make_unique<Bowl>(log));
  EXPECT_EQ(outcome.ending, Ending::batches);
  EXPECT_FALSE(outcome.error);
  EXPECT_EQ(outcome.samples.size(), 8);
  EXPECT_EQ(outcome.warm_up_steps, 3);
  EXPECT_EQ(log.forwards, 8);
  EXPECT_EQ(log.backwards, 8);
}

TEST(Worker, RunsNoWarmUpWhenNoneIsAskedFor) {
  const Outcome outcome = run(trial_of(0, 2));
  EXPECT_EQ(outcome.warm_up_steps, 0);
  EXPECT_EQ(outcome.samples.size(), 2);
}

TEST(Worker, AsksTheHookWhetherTheWarmUpIsOver) {
  spec::Trial trial = trial_of(0, 2);
  trial.num_warmup_batches.reset();
  Hooks hooks;
  std::vector<std::size_t> asked;
  hooks.warmed_up = [&](std::span<const double> seconds) {
    EXPECT_THAT(seconds, Each(testing::Ge(0)));
    asked.push_back(seconds.size());
    return seconds.size() == 4;
  };
  EXPECT_EQ(run(trial, hooks).warm_up_steps, 4);
  EXPECT_THAT(asked, ElementsAre(0, 1, 2, 3, 4));
}

TEST(Worker, WarmsUpForTenStepsWhenNobodyDecides) {
  spec::Trial trial = trial_of(0, 2);
  trial.num_warmup_batches.reset();
  EXPECT_EQ(run(trial).warm_up_steps, 10);
}

TEST(Worker, TellsTheHooksWhatHappens) {
  std::string story;
  Hooks hooks;
  hooks.on_warm_up_start = [&] { story += "warm up;"; };
  hooks.on_timed_start = [&] { story += "time;"; };
  hooks.on_step = [&](const record::Sample& sample, std::int64_t timed_step) {
    story += fmt::format("step {} as {};", sample.step, timed_step);
  };
  run(trial_of(2, 2), hooks);
  EXPECT_EQ(story, "warm up;step 0 as 0;step 1 as 0;time;step 2 as 1;step 3 as 2;");
}

TEST(Worker, StopsWhenTheTimedStepsArePreciseEnough) {
  Hooks hooks;
  std::vector<std::size_t> asked;
  hooks.precise_enough = [&](std::span<const record::Sample> timed) {
    asked.push_back(timed.size());
    return timed.size() == 3;
  };
  const Outcome outcome = run(trial_of(2, 100), hooks);
  EXPECT_EQ(outcome.ending, Ending::precision);
  EXPECT_EQ(outcome.samples.size(), 5);
  EXPECT_THAT(asked, ElementsAre(1, 2, 3));
}

TEST(Worker, StopsWhenTheTimeIsUp) {
  spec::Trial trial = trial_of(2, 100);
  trial.max_time = 0;
  const Outcome outcome = run(trial);
  EXPECT_EQ(outcome.ending, Ending::time);
  EXPECT_EQ(outcome.samples.size(), 3);
  trial.max_time = 3600;
  EXPECT_EQ(run(trial).ending, Ending::batches);
}

TEST(Worker, KeepsWhatWasMeasuredWhenItIsInterrupted) {
  std::atomic<bool> stop = false;
  Hooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const record::Sample&, std::int64_t timed_step) { stop = timed_step == 4; };
  const Outcome outcome = run(trial_of(2, 100), hooks);
  EXPECT_EQ(outcome.ending, Ending::interrupted);
  EXPECT_EQ(outcome.samples.size(), 6);
  EXPECT_EQ(outcome.warm_up_steps, 2);
}

TEST(Worker, CanBeInterruptedWhileItWarmsUp) {
  std::atomic<bool> stop = false;
  bool timed = false;
  Hooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const record::Sample& sample, std::int64_t) { stop = sample.step == 1; };
  hooks.on_timed_start = [&] { timed = true; };
  const Outcome outcome = run(trial_of(5, 100), hooks);
  EXPECT_EQ(outcome.ending, Ending::interrupted);
  EXPECT_EQ(outcome.samples.size(), 2);
  EXPECT_EQ(outcome.warm_up_steps, 2);
  EXPECT_FALSE(timed);
}

TEST(Worker, NamesTheStepAndTheLayerWhenTheLossIsNotFinite) {
  Log log;
  const Outcome outcome = train_alone(trial_of(2, 100), std::make_unique<Bowl>(log, 6));
  EXPECT_EQ(outcome.ending, Ending::error);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code(), ExitCode::rank_failed);
  EXPECT_STREQ(
      outcome.error->what(),
      "the loss is nan at step 6 (from 0, warm-up included): layer conv3 is the first that is "
      "not finite");
  EXPECT_THAT(outcome.error->hint(), HasSubstr("--init_learning_rate"));
  EXPECT_EQ(outcome.samples.size(), 6);
  EXPECT_EQ(outcome.warm_up_steps, 2);
  EXPECT_EQ(log.backwards, 6);  // nothing learnt from a broken loss
}

TEST(Worker, KeepsItsSamplesApartWhenTheWarmUpFails) {
  Log log;
  const Outcome outcome = train_alone(trial_of(5, 100), std::make_unique<Bowl>(log, 3));
  EXPECT_EQ(outcome.ending, Ending::error);
  EXPECT_EQ(outcome.samples.size(), 3);
  EXPECT_EQ(outcome.warm_up_steps, 3);
}

TEST(Worker, AddsTheWeightDecayOfDecayingParametersToTheTotalLoss) {
  for (const spec::Mode mode : {spec::Mode::training, spec::Mode::forward_only}) {
    Log log;
    spec::Trial trial = trial_of(0, 3);
    trial.mode = mode;
    trial.optimizer.weight_decay = 0.3;
    const Outcome outcome = train_alone(trial, std::make_unique<Bowl>(log));
    double squares = 0;
    for (std::size_t i = 0; i < Bowl::kElements; ++i) {
      squares += double{log.parameters[i]} * double{log.parameters[i]};
    }
    const record::Sample& last = outcome.samples.back();
    EXPECT_GT(squares, 0);
    EXPECT_NEAR(last.loss - last.base_loss, 0.3 * squares / 2, 1e-6);
  }
}

TEST(Worker, PullsDecayingParametersTowardsZero) {
  Log log;
  spec::Trial trial = trial_of(0, 300);
  trial.optimizer.weight_decay = 1;  // the same curvature as the bowl's: half way
  train_alone(trial, std::make_unique<Bowl>(log));
  for (std::size_t i = 0; i < Bowl::kElements; ++i) {
    EXPECT_NEAR(log.parameters[i], Bowl::kTarget / 2, 1e-4);
    EXPECT_NEAR(log.parameters[Bowl::kPadded + i], Bowl::kTarget, 1e-4);
  }
}

TEST(Worker, DecaysAsTheModelDoesUnlessToldOtherwise) {
  model::Model model = bowl_model();
  model.weight_decay = 1;
  const auto trained = [&](std::optional<double> asked) {
    Log log;
    spec::Trial trial = trial_of(0, 300);
    trial.optimizer.weight_decay = asked;
    const Outcome outcome = train_alone(trial, std::make_unique<Bowl>(log), {}, model);
    const record::Sample& last = outcome.samples.back();
    EXPECT_EQ(last.loss > last.base_loss, asked != 0);
    return log.parameters[0];
  };
  EXPECT_NEAR(trained(std::nullopt), Bowl::kTarget / 2, 1e-4);
  EXPECT_NEAR(trained(0), Bowl::kTarget, 1e-4);
}

// Plain descent in the bowl: a step's gradient is the distance from the bottom, of the parameter
// that `reads` says, applied as many steps late as `late` says.
float descended(float start, int steps, bool staged, bool relaxed) {
  constexpr float kPlainRate = 0.1F;
  float value = start, stale = start, late = 0;
  for (int step = 0; step < steps; ++step) {
    const float gradient = (staged ? stale : value) - Bowl::kTarget;
    stale = value;
    value -= kPlainRate * (relaxed ? late : gradient);
    late = gradient;
  }
  return value;
}

TEST(Worker, AppliesGradientsAStepLateOrReadsStaleParametersWhenAsked) {
  constexpr int kSteps = 7;
  for (const bool staged : {false, true}) {
    for (const bool relaxed : {false, true}) {
      spec::Trial trial = trial_of(0, kSteps + 2);
      trial.optimizer.weight_decay = 0;
      trial.exchange.staged_vars = staged;
      if (relaxed) trial.exchange.variable_consistency = spec::VariableConsistency::relaxed;
      Log first, last;
      spec::Trial once = trial;
      once.num_batches = 1;
      train_alone(once, std::make_unique<Bowl>(first));
      train_alone(trial, std::make_unique<Bowl>(last));
      // The last forward read what kSteps + 1 updates made, or one less of it.
      const int updates = staged ? kSteps : kSteps + 1;
      EXPECT_NEAR(last.parameters[0], descended(first.parameters[0], updates, staged, relaxed),
                  1e-6)
          << staged << relaxed;
    }
  }
}

TEST(Worker, FollowsTheLearningRateFromTheFirstWarmUpStep) {
  spec::Trial trial = trial_of(2, 4);
  // 15,000 steps an epoch: the rate becomes 0 at step 3.
  trial.learning_rate.piecewise = "0.1;0.0002;0";
  const std::vector<float> series = losses(run(trial));
  EXPECT_GT(series[2], series[3]);
  EXPECT_EQ(series[3], series[4]);
  EXPECT_EQ(series[4], series[5]);
}

TEST(Worker, RunsTheStepsThatTheEpochsComeTo) {
  spec::Trial trial = trial_of(0, 5);
  trial.num_epochs = 0.001;  // 60 images of 60,000, 4 a step
  EXPECT_EQ(run(trial).samples.size(), 15);
}

TEST(Worker, OnlyRunsForwardWhenThatIsTheMode) {
  for (const spec::Mode mode : {spec::Mode::forward_only, spec::Mode::evaluation}) {
    Log log;
    spec::Trial trial = trial_of(1, 4);
    trial.mode = mode;
    const Outcome outcome = train_alone(trial, std::make_unique<Bowl>(log));
    EXPECT_EQ(log.forwards, 5);
    EXPECT_EQ(log.backwards, 0);
    EXPECT_THAT(losses(outcome), Each(outcome.samples.front().loss));
  }
}

TEST(Worker, ReportsAccuracyWhereItIsAskedFor) {
  Log plain;
  spec::Trial trial = trial_of(0, 1);
  train_alone(trial, std::make_unique<Bowl>(plain));
  const int answer = plain.labels.front();
  const auto share = static_cast<float>(std::ranges::count(plain.labels, answer)) / Bowl::kBatch;
  const auto top_1 = [&](spec::Mode mode, bool print) {
    Log log;
    trial.mode = mode;
    trial.print_training_accuracy = print;
    auto engine = std::make_unique<Bowl>(log, Bowl::kNever, answer);
    return train_alone(trial, std::move(engine)).samples.front().top_1;
  };
  EXPECT_EQ(top_1(spec::Mode::training, false), 0);
  EXPECT_EQ(top_1(spec::Mode::training, true), share);
  EXPECT_EQ(top_1(spec::Mode::forward_only, false), share);
  EXPECT_EQ(top_1(spec::Mode::evaluation, false), share);
}

TEST(Worker, GivesTheSameLossesForTheSameSeed) {
  spec::Trial trial = trial_of(2, 10);
  const std::vector<float> first = losses(run(trial));
  EXPECT_EQ(first, losses(run(trial)));
  trial.seed = 4321;
  EXPECT_NE(first, losses(run(trial)));
}

TEST(Worker, FillsImagesAndLabelsOnce) {
  Log log;
  train_alone(trial_of(0, 3), std::make_unique<Bowl>(log));
  EXPECT_EQ(log.images.front(), -7);  // in front of the offset
  for (std::size_t i = 1; i < log.images.size(); ++i) EXPECT_GT(log.images[i], -1.1F);
  EXPECT_THAT(log.labels, Each(testing::AllOf(testing::Ge(0), testing::Lt(Bowl::kClasses - 1))));
}

TEST(Worker, DrawsLabelsFromTheClassesThatTheTrialNames) {
  Log log;
  spec::Trial trial = trial_of(0, 1);
  trial.num_classes = 2;
  train_alone(trial, std::make_unique<Bowl>(log));
  EXPECT_THAT(log.labels, Each(0));
}

TEST(Worker, RecordsThePhasesOfAStep) {
  const double before = now();
  const Outcome outcome = run(trial_of(1, 3));
  EXPECT_GE(outcome.first_step_begin, before);
  EXPECT_LE(outcome.first_step_begin, now());
  for (const record::Sample& sample : outcome.samples) {
    double sum = 0;
    for (const double phase : sample.phases) sum += phase;
    EXPECT_GT(sample.phases[static_cast<std::size_t>(Phase::forward)], 0);
    EXPECT_GT(sample.phases[static_cast<std::size_t>(Phase::update)], 0);
    EXPECT_EQ(sample.phases[static_cast<std::size_t>(Phase::exchange)], 0);
    EXPECT_LE(sum, sample.end - sample.begin + 1e-9);
  }
}

TEST(Worker, KeepsTheMemoryUntilTheEngineIsGone) {
  Log log;
  train_alone(trial_of(0, 1), std::make_unique<Bowl>(log));
  EXPECT_TRUE(log.bound_memory_alive_at_end);
}

TEST(Worker, ThrowsWhatIsWrongBeforeTheFirstStep) {
  spec::Trial trial = trial_of(0, 1);
  trial.learning_rate.piecewise = "0.1;30";
  EXPECT_THROW(run(trial), Error);
}

// ---- Several ranks ---------------------------------------------------------------------------

// A world of bowls, each with its own target: kTarget, and 1 more for every further rank.
struct World {
  spec::Trial trial = trial_of(2, 5);
  const char* strategy = "replicated";
  std::function<Hooks(int rank)> hooks = [](int) { return Hooks{}; };
  int broken = -1;  // the rank whose loss is no number
  std::int64_t breaks_at = Bowl::kNever;

  std::deque<Log> logs = {};  // by rank
  std::vector<Outcome> run(int world) {
    logs.resize(static_cast<std::size_t>(world));
    std::vector<Outcome> outcomes(logs.size());
    const auto ranks = comm::connect_threads(world);
    comm::on_every_rank(ranks, [&](comm::Transport& transport) {
      const auto rank = static_cast<std::size_t>(transport.rank());
      Site site;
      site.ranks.topology = transport.topology();
      site.strategy = &spec::find_strategy(strategy);
      site.spin = false;
      auto bowl =
          std::make_unique<Bowl>(logs[rank], transport.rank() == broken ? breaks_at : Bowl::kNever,
                                 0, Bowl::kTarget + static_cast<float>(rank));
      outcomes[rank] =
          train(trial, bowl_model(), std::move(bowl), transport, site, hooks(transport.rank()));
    });
    return outcomes;
  }
};

TEST(Ranks, FindTheMeanOfWhatTheySee) {
  World world{.trial = trial_of(0, 200)};
  world.run(3);
  for (const Log& log : world.logs) {
    EXPECT_EQ(log.parameters, world.logs.front().parameters);
    EXPECT_NEAR(log.parameters.front(), Bowl::kTarget + 1, 1e-3);
  }
}

TEST(Ranks, ReportTheMeanOfTheirLosses) {
  World world{.trial = trial_of(0, 200)};
  for (const Outcome& outcome : world.run(3)) {
    // Two of three ranks are a distance of 1 away, in every element.
    EXPECT_NEAR(outcome.samples.back().base_loss, 2 * Bowl::kElements * 0.5 * 2 / 3, 1e-4);
  }
}

TEST(Ranks, FollowTheirOwnTargetsWhereTheyAreIndependent) {
  for (const char* strategy : {"independent", "barrier_only"}) {
    World world{.trial = trial_of(0, 200), .strategy = strategy};
    world.run(3);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      EXPECT_NEAR(world.logs[rank].parameters.front(), Bowl::kTarget + static_cast<float>(rank),
                  1e-3);
    }
  }
}

TEST(Ranks, CountTheirBytes) {
  World world{.trial = trial_of(1, 4)};
  // 8 floats are less than a cache line: rank 0 owns them. And 16 of the tally.
  const std::vector<Outcome> outcomes = world.run(2);
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.bytes_sent, 5 * (8 + 16) * sizeof(float));
    EXPECT_EQ(outcome.bytes_received, 5 * (8 + 16) * sizeof(float));
  }
}

TEST(Ranks, StopTogetherWhenOneIsInterrupted) {
  std::atomic<bool> stop = false;
  World world{.trial = trial_of(2, 1'000'000)};
  world.hooks = [&](int rank) {
    Hooks hooks;
    if (rank == 1) {
      hooks.stop = &stop;
      hooks.on_step = [&](const record::Sample&, std::int64_t timed) { stop = timed == 4; };
    }
    return hooks;
  };
  for (const Outcome& outcome : world.run(3)) {
    EXPECT_EQ(outcome.ending, Ending::interrupted);
    // It wishes so behind step 6, and all know behind the next.
    EXPECT_EQ(outcome.samples.size(), 7);
    EXPECT_EQ(outcome.warm_up_steps, 2);
  }
}

TEST(Ranks, AllStopWhenOneIsInterruptedAlsoWhereTheyAreIndependent) {
  std::atomic<bool> stop = false;
  World world{.trial = trial_of(0, 1'000'000'000), .strategy = "independent"};
  world.hooks = [&](int rank) {
    Hooks hooks;
    if (rank == 1) {
      hooks.stop = &stop;
      hooks.on_step = [&](const record::Sample&, std::int64_t timed) { stop = timed == 4; };
    }
    return hooks;
  };
  const std::vector<Outcome> outcomes = world.run(3);
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.ending, Ending::interrupted);
  EXPECT_EQ(outcomes[1].samples.size(), 4);
}

TEST(Ranks, StopTogetherWhenOneIsInterruptedWhileItWarmsUp) {
  std::atomic<bool> stop = false;
  World world{.trial = trial_of(1000, 1000)};
  world.hooks = [&](int rank) {
    Hooks hooks;
    if (rank == 2) {
      hooks.stop = &stop;
      hooks.on_step = [&](const record::Sample& sample, std::int64_t) { stop = sample.step == 1; };
    }
    return hooks;
  };
  for (const Outcome& outcome : world.run(3)) {
    EXPECT_EQ(outcome.ending, Ending::interrupted);
    EXPECT_EQ(outcome.samples.size(), 3);
    EXPECT_EQ(outcome.warm_up_steps, 3);
  }
}

TEST(Ranks, EndTheirWarmUpTogetherWhenTheFirstIsWarm) {
  World world;
  world.trial.num_warmup_batches.reset();
  world.hooks = [&](int rank) {
    Hooks hooks;
    hooks.warmed_up = [rank](std::span<const double> seconds) {
      return rank == 0 ? seconds.size() == 4 : seconds.size() == 1;
    };
    return hooks;
  };
  for (const Outcome& outcome : world.run(3)) {
    EXPECT_EQ(outcome.warm_up_steps, 5);
    EXPECT_EQ(outcome.samples.size(), 10);
    EXPECT_EQ(outcome.ending, Ending::batches);
  }
}

TEST(Ranks, EndTogetherWhenTheFirstIsPreciseEnoughOrItsTimeIsUp) {
  World precise{.trial = trial_of(2, 1000)};
  precise.hooks = [&](int rank) {
    Hooks hooks;
    hooks.precise_enough = [rank](std::span<const record::Sample> timed) {
      return rank == 0 ? timed.size() >= 3 : timed.size() >= 2;
    };
    return hooks;
  };
  for (const Outcome& outcome : precise.run(2)) {
    EXPECT_EQ(outcome.ending, Ending::precision);
    EXPECT_EQ(outcome.samples.size(), 2 + 4);
  }
  World timed{.trial = trial_of(2, 1000)};
  timed.trial.max_time = 0;
  for (const Outcome& outcome : timed.run(2)) {
    EXPECT_EQ(outcome.ending, Ending::time);
    EXPECT_EQ(outcome.samples.size(), 2 + 2);
  }
}

TEST(Ranks, DoNotWaitForEachOtherWhereTheyAreIndependent) {
  std::promise<void> first_is_through;
  const std::shared_future<void> through = first_is_through.get_future().share();
  World world{.trial = trial_of(0, 20), .strategy = "independent"};
  world.hooks = [&](int rank) {
    Hooks hooks;
    hooks.on_step = [&, rank](const record::Sample&, std::int64_t timed) {
      if (rank == 0 && timed == 20) first_is_through.set_value();
      if (rank == 1 && timed == 1) {
        EXPECT_EQ(through.wait_for(std::chrono::seconds(30)), std::future_status::ready);
      }
    };
    return hooks;
  };
  for (const Outcome& outcome : world.run(2)) EXPECT_EQ(outcome.samples.size(), 20);
}

TEST(Ranks, AllEndWhenALossIsNotFinite) {
  for (const char* strategy : {"replicated", "parameter_server", "horovod", "barrier_only"}) {
    World world{.trial = trial_of(2, 100), .strategy = strategy, .broken = 1, .breaks_at = 6};
    const std::vector<Outcome> outcomes = world.run(3);
    for (const Outcome& outcome : outcomes) {
      EXPECT_EQ(outcome.ending, Ending::error);
      // Who still waited for another rank in the step before has that one less.
      EXPECT_THAT(outcome.samples.size(), testing::AnyOf(5, 6));
      ASSERT_TRUE(outcome.error);
      EXPECT_EQ(outcome.error->code(), ExitCode::rank_failed);
      EXPECT_THAT(outcome.error->what(), HasSubstr("the loss is nan at step 6"));
    }
    EXPECT_EQ(outcomes[1].samples.size(), 6);
    for (const std::size_t rank : {0, 2}) {
      EXPECT_THAT(outcomes[rank].error->what(), HasSubstr("rank 1 on "));
      EXPECT_THAT(outcomes[rank].error->what(), HasSubstr("failed at step 6: "));
    }
  }
}

}  // namespace
}  // namespace lockstep::train
