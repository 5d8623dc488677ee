#pragma once

#include <cstddef>
#include <vector>

#include "model/graph.h"

namespace lockstep::reference {

// A batch between two layers: images, channels, rows, columns, in this order in memory.
struct Tensor {
  int n = 0;
  model::Shape shape;
  std::vector<double> values;

  Tensor() = default;
  Tensor(int images, model::Shape s)
      : n(images),
        shape(s),
        values(static_cast<std::size_t>(images) * static_cast<std::size_t>(s.elements())) {}
  Tensor(int images, model::Shape s, std::vector<double> v)
      : n(images), shape(s), values(std::move(v)) {}

  std::size_t index(int image, int channel, int row, int column) const {
    return ((static_cast<std::size_t>(image) * shape.c + channel) * shape.h + row) * shape.w +
           column;
  }
  double& at(int image, int channel, int row, int column) {
    return values[index(image, channel, row, column)];
  }
  double at(int image, int channel, int row, int column) const {
    return values[index(image, channel, row, column)];
  }
};

inline Tensor zeros_like(const Tensor& x) {
  return {x.n, x.shape};
}

}  // namespace lockstep::reference
