#pragma once

#include "engine/engine.h"

namespace lockstep::engine::onednn {

// The fields of its row.
std::unique_ptr<Engine> compile(const model::Graph& graph, const Options& options);
ConvChoices choose_convolutions(const model::Graph& graph, const Options& options, double seconds);
std::string library();

}  // namespace lockstep::engine::onednn
