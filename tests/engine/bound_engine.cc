#include "tests/engine/bound_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace lockstep::engine {

BoundEngine::BoundEngine(const reference::Problem& problem, const Variant& variant, Mode mode)
    : problem_(problem) {
  Options options;
  options.batch = problem.batch.images.n;
  options.mode = mode;
  options.layout = variant.layout;
  options.conv_algorithm = variant.conv_algorithm;
  options.workspace_share = 1;
  options.label_smoothing = static_cast<float>(problem.settings.label_smoothing);
  options.seed = problem.settings.seed;
  engine_ = compile(problem.graph, options);
  parameters_ = Buffer(engine_->parameter_floats() * sizeof(float));
  gradients_ = Buffer(engine_->parameter_floats() * sizeof(float));
  engine_->bind(parameters_.floats(), gradients_.floats());
  for (int i = 0; i < parameter_count(); ++i) {
    const reference::Values& values = problem.parameters[place_in_graph(i)];
    engine_->set_parameter(i, std::vector<float>(values.begin(), values.end()));
  }
  set_images(problem.batch.images);
}

void BoundEngine::set_images(const reference::Tensor& images) {
  const ImageBuffer to = engine_->images();
  LOCKSTEP_CHECK(to.n == images.n && (model::Shape{to.c, to.h, to.w} == images.shape));
  for (int n = 0; n < to.n; ++n) {
    for (int c = 0; c < to.c; ++c) {
      for (int h = 0; h < to.h; ++h) {
        for (int w = 0; w < to.w; ++w) {
          const std::int64_t at =
              to.offset + n * to.stride_n + c * to.stride_c + h * to.stride_h + w * to.stride_w;
          to.data[static_cast<std::size_t>(at)] = static_cast<float>(images.at(n, c, h, w));
        }
      }
    }
  }
}

Batch BoundEngine::batch() const {
  return {problem_.batch.labels, problem_.batch.step, problem_.batch.first_sample};
}

std::string_view BoundEngine::name(int parameter) const {
  return engine_->parameters()[static_cast<std::size_t>(parameter)].plain.name;
}

std::size_t BoundEngine::place_in_graph(int parameter) const {
  const std::vector<model::Parameter> all = model::parameters(problem_.graph);
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const model::Parameter& p) { return p.name == name(parameter); });
  LOCKSTEP_CHECK(found != all.end());
  return static_cast<std::size_t>(found - all.begin());
}

std::vector<std::vector<float>> BoundEngine::gradients() const {
  std::vector<std::vector<float>> all;
  for (int i = 0; i < parameter_count(); ++i) all.push_back(engine_->gradient(i));
  return all;
}

std::span<float> BoundEngine::stored_parameter(int parameter) const {
  return stored(parameters_, parameter);
}

std::span<float> BoundEngine::stored_gradient(int parameter) const {
  return stored(gradients_, parameter);
}

std::span<float> BoundEngine::stored(const Buffer& buffer, int parameter) const {
  const Parameter& p = engine_->parameters()[static_cast<std::size_t>(parameter)];
  return buffer.floats().subspan(p.offset, p.size);
}

std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << variant.name;
}

std::vector<reference::Case> winograd_cases() {
  std::vector<reference::Case> all;
  for (const reference::Case& c : reference::cases()) {
    const auto engine = compile(
        build(c),
        {.batch = c.batch, .conv_algorithm = ConvAlgorithm::winograd, .workspace_share = 1});
    const auto uses_it = [](const PlannedStep& step) {
      return step.implementation.starts_with("lockstep:winograd");
    };
    if (std::ranges::any_of(engine->plan().steps, uses_it)) all.push_back(c);
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<std::tuple<reference::Case, Variant>>& test) {
  const auto& [c, variant] = test.param;
  return fmt::format("{}_{}", c.name, variant.name);
}

}  // namespace lockstep::engine
