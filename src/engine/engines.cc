#include <algorithm>

#include "base/check.h"
#include "engine/engine.h"
#include "engine/onednn/onednn.h"

namespace lockstep::engine {
namespace {

constexpr EngineRow kEngines[] = {
    {.name = "onednn",
     .compile = onednn::compile,
     .choose_convolutions = onednn::choose_convolutions,
     .library = onednn::library,
     .summary = "oneDNN, with kernels of our own where they are faster: fp32 on CPUs"},
};

const EngineRow& row_of(std::string_view name) {
  const auto row = std::ranges::find(kEngines, name, &EngineRow::name);
  LOCKSTEP_CHECK(row != std::end(kEngines));
  return *row;
}

}  // namespace

std::span<const EngineRow> engines() {
  return kEngines;
}

std::unique_ptr<Engine> compile(const model::Graph& graph, const Options& options) {
  return row_of(options.engine).compile(graph, options);
}

ConvChoices choose_convolutions(const model::Graph& graph, const Options& options, double seconds) {
  return row_of(options.engine).choose_convolutions(graph, options, seconds);
}

std::string library() {
  return row_of(Options().engine).library();
}

}  // namespace lockstep::engine
