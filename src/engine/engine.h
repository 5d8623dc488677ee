#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/graph.h"

namespace lockstep::engine {

// A network compiled for one device: a batch size, a mode and a memory plan. Knows nothing of
// ranks. Compile it, bind it and run it on one and the same thread: the team of threads that
// executes it belongs to that thread (see docs/adr/0003).

enum class Mode { training, evaluation };  // evaluation: batch norm by moving averages, no dropout
enum class Layout { automatic, nchw, nhwc };
// How convolutions are computed where there is a choice: by the library, or by our own kernels
// (docs/kernels.md), which need less arithmetic and round a little more. automatic: the faster one.
enum class ConvAlgorithm { automatic, direct, winograd };
// Which one that is, by the names of shapes (choose_convolutions makes them).
using ConvChoices = std::map<std::string, ConvAlgorithm>;

struct Options {
  std::string_view engine = "onednn";  // a row of engines()
  int batch = 1;
  Mode mode = Mode::training;
  Layout layout = Layout::automatic;
  ConvAlgorithm conv_algorithm = ConvAlgorithm::automatic;
  ConvChoices conv_choices = {};  // of `automatic`; shapes that are not in it go by a rule of thumb
  // Scratch that a convolution of our own may take, in bytes and as a share of all memory: a fifth
  // is a quarter more than without. What needs more is computed directly.
  std::size_t workspace_bytes = std::size_t{256} << 20;
  double workspace_share = 0.2;
  float label_smoothing = 0;
  std::uint64_t seed = 1234;  // of dropout
};

// A trainable parameter in the engine's own layout: `size` floats at `offset` of the flat arrays
// given to bind(). May be larger than the plain tensor: the rest is padding that stays 0.
struct Parameter {
  model::Parameter plain;
  std::size_t offset = 0;
  std::size_t size = 0;
};

// Where the images of a batch go: pixel (n, c, y, x) at data[offset + n * stride_n + ...].
struct ImageBuffer {
  std::span<float> data;
  int n = 0, c = 0, h = 0, w = 0;
  std::int64_t offset = 0, stride_n = 0, stride_c = 0, stride_h = 0, stride_w = 0;
};

struct Batch {
  std::span<const int> labels;     // one per image
  std::uint64_t step = 0;          // with first_sample: makes dropout's mask a function of the data
  std::uint64_t first_sample = 0;  // global index of the batch's first image
};

// One operation of the plan, for people.
struct PlannedStep {
  std::string pass;            // "forward", "backward data", "backward weights", ...
  std::string layer;           // "conv3"
  std::string operation;       // "conv", "reorder", "sum", ...
  std::string implementation;  // the library's name for its code, or "lockstep"
  std::string layout;          // of what it writes
};

struct PlanSummary {
  std::vector<PlannedStep> steps;
  // Operations that only move numbers, per step: activations and gradients between layers; rows of
  // features into and out of dense layers and the loss; weights.
  int reorders_of_data = 0, reorders_of_rows = 0, reorders_of_weights = 0;
  std::size_t arena_bytes = 0;      // activations, gradients of activations, scratch: with reuse
  std::size_t unshared_bytes = 0;   // what they would take without
  std::size_t parameter_bytes = 0;  // one copy of the trainable parameters
};

// Called with i when the gradient of parameters()[i] is final and its value is not read again in
// this step, so that exchange and update can overlap the rest of backward.
using Ready = std::function<void(int)>;
// Called with i before forward reads parameters()[i] for the first time: until then its value may
// still change, so that the exchange of the step before can overlap this one's begin.
using Need = std::function<void(int)>;

class Engine {
 public:
  virtual ~Engine() = default;

  // In the order in which backward completes them; offsets ascend.
  virtual std::span<const Parameter> parameters() const = 0;
  virtual std::size_t parameter_floats() const = 0;  // length of the arrays for bind()
  // Memory stays the caller's and must outlive the engine. Both arrays start as zeros. Takes the
  // engine's own memory too. Call once, before everything below.
  virtual void bind(std::span<float> parameters, std::span<float> gradients) = 0;

  virtual ImageBuffer images() = 0;
  // Mean loss over the batch, with the heads' weights; keeps what backward needs.
  virtual float forward(const Batch& batch, const Need& need) = 0;
  float forward(const Batch& batch) { return forward(batch, nullptr); }
  // Behind forward: every gradient of that loss, overwriting the old ones.
  virtual void backward(const Ready& ready) = 0;
  // Of the last forward: the first head's outputs, batch x classes, row by row.
  virtual std::span<const float> logits() = 0;

  // Between the engine's layout and plain row-major tensors of parameters()[i].plain.shape.
  virtual void set_parameter(int i, std::span<const float> plain) = 0;
  virtual std::vector<float> parameter(int i) const = 0;
  virtual std::vector<float> gradient(int i) const = 0;
  // Batch norm's moving averages: per batch-norm layer means, then variances.
  virtual std::span<float> moving_statistics() = 0;

  // Runs forward again and names the first layer with a value that is not finite in its output or
  // its parameters; empty when there is none.
  virtual std::string first_non_finite(const Batch& batch) = 0;

  virtual const PlanSummary& plan() const = 0;
  // Runs plan().steps[i] alone on whatever its operands hold: for benchmarks that compare a step of
  // training with the sum of its parts.
  virtual void run_planned(std::size_t i, const Batch& batch) = 0;
};

// By the engine of the options. Throws Error(usage) for shapes that it cannot run.
std::unique_ptr<Engine> compile(const model::Graph& graph, const Options& options);

// A choice for every shape of the graph that leaves one: as options.conv_choices have it, else by
// timing both ways on the team of this thread; by the rule of thumb once that has taken so many
// seconds. Nothing where the options force an algorithm.
ConvChoices choose_convolutions(const model::Graph& graph, const Options& options, double seconds);

std::string library();  // "oneDNN 2.6.3": what does the arithmetic of the usual engine

struct EngineRow {
  std::string_view name;
  std::unique_ptr<Engine> (*compile)(const model::Graph& graph, const Options& options);
  ConvChoices (*choose_convolutions)(const model::Graph& graph, const Options& options,
                                     double seconds);
  std::string (*library)();
  std::string_view summary;
};
std::span<const EngineRow> engines();

// Fills every parameter by its Init, each element a function of seed, name and position alone.
void initialise(Engine& engine, std::uint64_t seed);

}  // namespace lockstep::engine
