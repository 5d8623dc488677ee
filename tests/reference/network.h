#pragma once

#include <cstdint>
#include <vector>

#include "model/graph.h"
#include "tests/reference/layers.h"
#include "tests/reference/tensor.h"

namespace lockstep::reference {

struct Settings {
  bool training = true;  // otherwise: batch norm by moving averages, no dropout
  double label_smoothing = 0;
  std::uint64_t seed = 1234;  // of dropout
};

struct Batch {
  Tensor images;
  std::vector<int> labels;
  std::uint64_t step = 0;
  std::uint64_t first_sample = 0;
};

struct NetworkGradients {
  std::vector<Values> parameters;  // in the order of model::parameters()
  std::vector<Tensor> outputs;     // of each layer; that of layer 0 is the images'
};

// Runs a graph layer by layer, keeping everything.
class Network {
 public:
  // Parameters start as zeros, moving means as 0 and moving variances as 1.
  explicit Network(model::Graph graph, const Settings& settings = {});

  // In the order of model::parameters().
  std::vector<Values>& parameters() { return parameters_; }
  // One per batch-norm layer, in the order of the layers.
  std::vector<Moments>& moving() { return moving_; }

  // The loss: the mean over the batch, the heads summed by their weights. In training every call
  // also updates the moving averages.
  double forward(const Batch& batch);
  // Of the last forward, which must have been in training.
  NetworkGradients backward() const;

  // Of the last forward: the output of a layer, and of the first head.
  const Tensor& output(int layer) const { return outputs_[static_cast<std::size_t>(layer)]; }
  const Tensor& logits() const { return output(graph_.heads.front().layer); }
  // Of the last forward: the smallest over the layers.
  double kink_distance() const;

 private:
  const Tensor& input(int layer) const;
  Tensor run(int layer);
  // A layer's parameter or, when it has none of this role, an empty one.
  const Values& parameter(int layer, model::Parameter::Role role) const;
  Place place(int layer) const;

  model::Graph graph_;
  Settings settings_;
  std::vector<model::Parameter> described_;
  std::vector<Values> parameters_;
  std::vector<Moments> moving_;
  std::vector<std::size_t> moving_of_layer_;
  Batch batch_;
  std::vector<Tensor> outputs_;
};

}  // namespace lockstep::reference
