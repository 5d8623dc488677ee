#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "model/graph.h"
#include "tests/reference/network.h"

namespace lockstep::reference {

// A small network that shows one layer, or one pattern of layers, at odd sizes. The reference is
// held to finite differences on all of them, and the engine to the reference.
struct Case {
  std::string_view name;
  model::Shape image;
  int batch;
  void (*build)(model::Node image);
  double image_scale = 1;  // pixels lie between plus and minus this
  float label_smoothing = 0;
};
std::span<const Case> cases();
std::ostream& operator<<(std::ostream& out, const Case& c);

model::Graph build(const Case& c);

// A case with parameters and images to run it on. All numbers are floats, so the engine gets
// exactly what the reference gets; no input of a ReLU or a maximum is so near to a kink that
// rounding decides which side it is on.
struct Problem {
  model::Graph graph;
  std::vector<Values> parameters;  // in the order of model::parameters()
  Batch batch;
  Settings settings;
};
Problem draw(const Case& c);

// A network with the problem's parameters.
Network network(const Problem& problem);

}  // namespace lockstep::reference
