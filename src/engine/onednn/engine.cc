#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "base/check.h"
#include "base/error.h"
#include "engine/arena.h"
#include "engine/onednn/onednn.h"
#include "engine/onednn/program.h"

namespace lockstep::engine::onednn {
namespace {

using dnnl::memory;

bool all_finite(const float* values, std::int64_t n) {
  return std::all_of(values, values + n, [](float x) { return std::isfinite(x); });
}

class OnednnEngine final : public Engine {
 public:
  OnednnEngine(const model::Graph& graph, const Options& options)
      : graph_(graph), options_(options), program_(compile_program(graph, options)) {
    const std::vector<Lifetime> lives = lifetimes(program_);
    const ArenaPlan arena = plan_arena(lives);
    memory_.buffers = arena.offsets;
    for (const Parameter& p : program_.parameters) memory_.offsets.push_back(p.offset);
    for (const auto* pass : {&program_.forward, &program_.backward}) {
      for (const Step& step : *pass) plan_.steps.push_back(step.about);
    }
    find_first_readers();
    plan_.reorders_of_data = planned(kReorder);
    plan_.reorders_of_rows = planned(kReorderRows);
    plan_.reorders_of_weights = planned(kReorderWeights);
    plan_.arena_bytes = arena.bytes;
    for (const Lifetime& life : lives) plan_.unshared_bytes += arena_share(life.bytes);
    plan_.parameter_bytes = program_.parameter_floats * sizeof(float);
  }

  std::span<const Parameter> parameters() const override { return program_.parameters; }
  std::size_t parameter_floats() const override { return program_.parameter_floats; }

  void bind(std::span<float> parameters, std::span<float> gradients) override {
    LOCKSTEP_CHECK(arena_.size() == 0);
    LOCKSTEP_CHECK(parameters.size() >= program_.parameter_floats);
    LOCKSTEP_CHECK(options_.mode != Mode::training ||
                   gradients.size() >= program_.parameter_floats);
    arena_ = Buffer(plan_.arena_bytes);
    statistics_.assign(program_.statistics_floats, 0.0F);
    reset_statistics();
    memory_.arena = arena_.data();
    memory_.parameters = parameters.data();
    memory_.gradients = gradients.data();
    memory_.statistics = statistics_.data();
    for (const auto* pass : {&program_.forward, &program_.backward}) {
      for (const Step& step : *pass) {
        if (!step.bind) continue;
        translate_errors(step.about.layer, ExitCode::environment, [&] { step.bind(memory_); });
      }
    }
  }

  ImageBuffer images() override {
    ImageBuffer images = program_.image_layout;
    const std::size_t floats = program_.buffers[program_.images.index].bytes / sizeof(float);
    images.data = {memory_.at(program_.images), floats};
    return images;
  }

  float forward(const Batch& batch, const Need& need) override {
    LOCKSTEP_CHECK(static_cast<int>(batch.labels.size()) == options_.batch);
    Call call{batch, 0, nullptr};
    for (std::size_t i = 0; i < program_.forward.size(); ++i) {
      if (need) std::ranges::for_each(first_read_[i], need);
      run(program_.forward[i], call);
    }
    batch_ = batch;
    return static_cast<float>(call.loss);
  }

  void backward(const Ready& ready) override {
    LOCKSTEP_CHECK(options_.mode == Mode::training);
    Call call{batch_, 0, &ready};
    for (const Step& step : program_.backward) run(step, call);
  }

  std::span<const float> logits() override {
    return {memory_.at(program_.logits),
            static_cast<std::size_t>(options_.batch) * static_cast<std::size_t>(graph_.classes())};
  }

  void set_parameter(int i, std::span<const float> plain) override {
    const auto [parameter, storage] = stored(i);
    LOCKSTEP_CHECK(static_cast<std::int64_t>(plain.size()) == parameter.plain.elements());
    std::vector<float> ordered(plain.begin(), plain.end());
    permute(storage, [&](std::size_t from, std::size_t to) { ordered[to] = plain[from]; });
    copy(ordered.data(), plain_like(storage), memory_.parameters + parameter.offset, storage.desc);
  }
  std::vector<float> parameter(int i) const override { return read(i, memory_.parameters); }
  std::vector<float> gradient(int i) const override { return read(i, memory_.gradients); }

  std::span<float> moving_statistics() override { return statistics_; }

  std::string first_non_finite(const Batch& batch) override {
    Call call{batch, 0, nullptr};
    for (const Step& step : program_.forward) {
      const std::string& layer = graph_.layers[static_cast<std::size_t>(step.layer)].name;
      for (const Parameter& p : program_.parameters) {
        if (p.plain.layer == step.layer &&
            !all_finite(memory_.parameters + p.offset, static_cast<std::int64_t>(p.size))) {
          return layer;
        }
      }
      step.run(memory_, call);
      if (step.output && !all_finite(memory_.at(*step.output), step.output->floats())) return layer;
    }
    return {};
  }

  const PlanSummary& plan() const override { return plan_; }

  void run_planned(std::size_t i, const Batch& batch) override {
    const Ready nobody;
    Call call{batch, 0, &nobody};
    const std::size_t split = program_.forward.size();
    (i < split ? program_.forward[i] : program_.backward[i - split]).run(memory_, call);
  }

 private:
  void run(const Step& step, Call& call) const {
    translate_errors(step.about.layer, ExitCode::rank_failed, [&] { step.run(memory_, call); });
  }

  int planned(const char* operation) const {
    return static_cast<int>(std::ranges::count(plan_.steps, operation, &PlannedStep::operation));
  }

  // A layer's parameters are read by its own steps alone.
  void find_first_readers() {
    first_read_.resize(program_.forward.size());
    for (std::size_t p = 0; p < program_.parameters.size(); ++p) {
      const int layer = program_.parameters[p].plain.layer;
      const auto reader = std::ranges::find(program_.forward, layer, &Step::layer);
      LOCKSTEP_CHECK(reader != program_.forward.end());
      first_read_[static_cast<std::size_t>(reader - program_.forward.begin())].push_back(
          static_cast<int>(p));
    }
  }

  struct Stored {
    const Parameter& parameter;
    const Storage& storage;
  };
  Stored stored(int i) const {
    return {program_.parameters[static_cast<std::size_t>(i)],
            program_.storage[static_cast<std::size_t>(i)]};
  }

  // Variances start at one, as every framework's do.
  void reset_statistics() {
    std::size_t at = 0;
    for (const model::Layer& layer : graph_.layers) {
      if (!std::holds_alternative<model::BatchNorm>(layer.op)) continue;
      const auto channels = static_cast<std::size_t>(layer.shape.c);
      std::fill_n(statistics_.begin() + static_cast<std::ptrdiff_t>(at + channels), channels, 1.0F);
      at += 2 * channels;
    }
  }

  // The stored tensor's dimensions in plain row-major order.
  static memory::desc plain_like(const Storage& storage) {
    const memory::dims dims = storage.desc.dims();
    memory::dims strides(dims.size(), 1);
    for (std::size_t d = dims.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * dims[d + 1];
    return {dims, memory::data_type::f32, strides};
  }

  // Calls f(plain position, stored position) for weights whose input features are in another order.
  template <typename F>
  static void permute(const Storage& storage, const F& f) {
    const std::size_t features = storage.order.size();
    if (features == 0) return;
    const auto rows = static_cast<std::size_t>(storage.desc.dims()[0]);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < features; ++i) {
        f(r * features + static_cast<std::size_t>(storage.order[i]), r * features + i);
      }
    }
  }

  static void copy(float* from, const memory::desc& from_desc, float* to,
                   const memory::desc& to_desc) {
    memory source(from_desc, cpu(), from);
    memory target(to_desc, cpu(), to);
    dnnl::reorder(source, target).execute(stream(), source, target);
    stream().wait();
  }

  std::vector<float> read(int i, float* array) const {
    const auto [parameter, storage] = stored(i);
    std::vector<float> ordered(static_cast<std::size_t>(parameter.plain.elements()));
    copy(array + parameter.offset, storage.desc, ordered.data(), plain_like(storage));
    std::vector<float> plain = ordered;
    permute(storage, [&](std::size_t to, std::size_t from) { plain[to] = ordered[from]; });
    return plain;
  }

  const model::Graph graph_;
  const Options options_;
  Program program_;
  std::vector<std::vector<int>> first_read_;  // by step of forward: parameters
  PlanSummary plan_;
  Memory memory_;
  Buffer arena_;
  std::vector<float> statistics_;
  Batch batch_;
};

}  // namespace

std::string library() {
  const dnnl_version_t* v = dnnl_version();
  return fmt::format("oneDNN {}.{}.{}", v->major, v->minor, v->patch);
}

std::unique_ptr<Engine> compile(const model::Graph& graph, const Options& options) {
  return std::make_unique<OnednnEngine>(graph, options);
}

}  // namespace lockstep::engine::onednn
