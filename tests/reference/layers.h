#pragma once

#include <span>
#include <vector>

#include "model/graph.h"
#include "tests/reference/tensor.h"

// Every layer as its formula says, in double precision and plain loops: slow and easy to check.
// X_backward takes what X took and dy, the gradient of the loss with respect to X's result, and
// returns the gradients with respect to the arguments.
namespace lockstep::reference {

using Values = std::vector<double>;

struct Gradients {
  Tensor x;
  Values weights;  // batch norm: the scale
  Values bias;     // batch norm: the shift
};

// An empty bias stands for zeros.
Tensor conv(const model::Conv& op, const Tensor& x, const Values& weights, const Values& bias);
Gradients conv_backward(const model::Conv& op, const Tensor& x, const Values& weights,
                        const Tensor& dy);

Tensor dense(const model::Dense& op, const Tensor& x, const Values& weights, const Values& bias);
Gradients dense_backward(const model::Dense& op, const Tensor& x, const Values& weights,
                         const Tensor& dy);

// Per channel; the variance is the biased one, divided by the number of values.
struct Moments {
  Values mean, variance;
};
Moments moments(const Tensor& x);
// Moves averages towards the moments of x; the variance with Bessel's correction.
void update_moving(const model::BatchNorm& op, const Tensor& x, Moments& moving);
// An empty scale stands for ones.
Tensor batch_norm(const model::BatchNorm& op, const Tensor& x, const Moments& by,
                  const Values& scale, const Values& shift);
// Of batch_norm by the moments of x itself, which depend on x too.
Gradients batch_norm_backward(const model::BatchNorm& op, const Tensor& x, const Values& scale,
                              const Tensor& dy);

Tensor activation(const model::Activation& op, const Tensor& x);
Tensor activation_backward(const model::Activation& op, const Tensor& x, const Tensor& dy);

// The first maximum in row-major order wins; padding never does.
Tensor pool(const model::Pool& op, const Tensor& x);
Tensor pool_backward(const model::Pool& op, const Tensor& x, const Tensor& dy);

Tensor lrn(const model::Lrn& op, const Tensor& x);
Tensor lrn_backward(const model::Lrn& op, const Tensor& x, const Tensor& dy);

// Where a batch stands in a run, for dropout's mask.
struct Place {
  std::uint64_t seed = 0, layer = 0, step = 0, first_sample = 0;
};
Tensor dropout(const model::Dropout& op, const Tensor& x, const Place& place);
Tensor dropout_backward(const model::Dropout& op, const Tensor& dy, const Place& place);

Tensor concat(std::span<const Tensor* const> parts);
// The gradient of the part whose channels start at `first_channel` of dy.
Tensor concat_backward(const Tensor& part, int first_channel, const Tensor& dy);

Tensor pad_shortcut(const model::PadShortcut& op, const Tensor& x);
Tensor pad_shortcut_backward(const model::PadShortcut& op, const Tensor& x, const Tensor& dy);

// Mean over the batch of softmax cross entropy, the labels smoothed towards the uniform.
double cross_entropy(const Tensor& logits, std::span<const int> labels, double smoothing);
Tensor cross_entropy_backward(const Tensor& logits, std::span<const int> labels, double smoothing);

// How far the layer's input is from where its derivative jumps: a zero of a ReLU, a tie of a
// maximum. Exact hits do not count: they come from a saturated layer in front, which stays put
// and lets no gradient through.
double kink_distance(const model::Activation& op, const Tensor& x);
double kink_distance(const model::Pool& op, const Tensor& x);

}  // namespace lockstep::reference
