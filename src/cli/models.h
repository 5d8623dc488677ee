#pragma once

#include <string>

#include "model/zoo.h"

namespace lockstep::cli {

// `lockstep list models`: a line, or a JSON object, per model of the zoo.
std::string list_models(bool json);

// `lockstep show MODEL`: a line per layer and the totals, for one image in single precision.
std::string show_model(const model::Model& model, const model::BuildOptions& options, bool json);

}  // namespace lockstep::cli
