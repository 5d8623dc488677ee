#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/onednn/descriptors.h"
#include "engine/onednn/program.h"
#include "kernel/pointwise.h"

namespace lockstep::engine::onednn {

// Emits the steps of one layer's backward pass; kept by the compiler until all of forward is known.
using EmitBackward = std::function<void()>;

// Turns a graph into a program: visits the layers in order to emit forward, each visit returns how
// to emit the layer's backward, and those run in reverse. What the files of the layers share.
class Compiler {
 public:
  Compiler(const model::Graph& graph, const Options& options);
  Program compile();

  const model::Graph& graph() const { return graph_; }
  const Options& options() const { return options_; }
  bool training() const { return options_.mode == Mode::training; }
  const model::Layer& layer(int i) const { return graph_.layers[static_cast<std::size_t>(i)]; }
  int input(int i, std::size_t which = 0) const { return layer(i).inputs[which]; }

  // --- Values ------------------------------------------------------------------------------------

  Value& value(int layer) { return values_[static_cast<std::size_t>(layer)]; }
  // The activation that follows `layer` and nothing else does, when the layer's own operation
  // applies it: the result of the layer is then the activation's.
  kernel::Gate gate(int layer) const;
  int result(int layer) const;
  void set_result(int layer, const Value& value);
  // Whether a reader of `layer` may write over it: no one else reads it, and its own backward does
  // not look at it.
  bool may_overwrite(int layer) const;

  Value new_value(const dnnl::memory::desc& desc);
  Value new_floats(std::int64_t count);    // plain, for our own kernels
  Value new_workspace(std::size_t bytes);  // of our own convolutions
  Place new_buffer(std::size_t bytes);
  void keep(const Place& buffer);
  // The images' layout is what the first convolution likes best; the padding becomes part of them.
  void set_images(const dnnl::memory::desc& desc, const model::Padding& padding);

  void set_logits(const Place& place);  // of the first head: kept for the caller

  // A layout for activations: the library's choice (any), or the forced one.
  dnnl::memory::desc activation_desc(const dnnl::memory::dims& dims) const;
  dnnl::memory::dims dims(int layer) const;  // {n, c, h, w} of its output
  // {1, c, 1, n}: the features of a batch as the pixels of one image, as dense layers make them.
  bool samples_are_pixels(const Value& value) const {
    return value.desc.data.dims[0] == 1 && options_.batch > 1;
  }

  // --- Parameters --------------------------------------------------------------------------------

  // Declares how the parameter is stored. Before its first use.
  void store(int layer, model::Parameter::Role role, Storage storage);
  Value parameter(int layer, model::Parameter::Role role) const;
  Value gradient_of_parameter(int layer, model::Parameter::Role role) const;
  Value statistics(int layer, bool variance) const;

  // --- Gradients ---------------------------------------------------------------------------------

  bool wants_gradient(int layer) const { return layer != 0; }
  // Adds to the gradient of the layer's result; brought to the result's layout if it has another.
  void give_gradient(int layer, const Value& gradient);
  // What is left to do when `reader` is the last to give its part and can do it on the way: add
  // what others gave, let through where the mask is positive. Nothing where it is not the last,
  // where the gradient lies in another layout, or where more than that is left; then others will do
  // it.
  struct Rest {
    std::optional<Value> addend, mask;
  };
  Rest complete_gradient(int layer, int reader, const dnnl::memory::desc& desc);
  // The sum of all that was given, through the derivative of the gate that closes there: one pass.
  Value take_gradient(int layer);

  // --- Steps -------------------------------------------------------------------------------------

  struct About {
    int layer;
    std::string operation;
  };
  using Arguments = std::vector<std::pair<int, Value>>;  // DNNL_ARG_... and operand

  template <typename Primitive, typename Descriptor>
  void call(const About& about, const Descriptor& descriptor, Arguments arguments) {
    call_primitive(about, Primitive(descriptor), descriptor, std::move(arguments));
  }
  void run(const About& about, std::vector<Value> operands, const Value& output,
           std::function<void(const Memory&, Call&)> body, std::string implementation = "lockstep");
  Value reordered(const About& about, const Value& value, const dnnl::memory::desc& desc,
                  bool weights = false);
  // Behind the last step that touches the layer's parameters.
  void parameters_ready(int layer);

 private:
  // The gate whose derivative the gradient of the layer's result takes on, read off that result.
  kernel::Gate closing_gate(int layer) const;
  void list_parameters();
  void place_parameters();
  void call_primitive(const About& about, const dnnl::primitive& primitive,
                      const dnnl::primitive_desc_base& descriptor, Arguments arguments);
  Step& new_step(const About& about, std::string implementation);
  int parameter_index(int layer, model::Parameter::Role role) const;

  const model::Graph& graph_;
  Options options_;
  Program program_;
  bool in_backward_ = false;
  std::vector<Value> values_;
  std::vector<std::vector<int>> readers_;
  std::vector<std::vector<Value>> gradients_;  // given, not yet taken; per layer
  std::vector<int> pending_;                   // per buffer: how many given gradients lie in it
  std::vector<bool> gate_closed_;              // per layer: in what was given already
  std::vector<EmitBackward> tape_;
  std::vector<std::size_t> statistics_offsets_;  // per layer
};

// One per kind of layer, in the file of that name.
EmitBackward emit(Compiler& c, int layer, const model::Conv& op);
EmitBackward emit(Compiler& c, int layer, const model::Dense& op);
EmitBackward emit(Compiler& c, int layer, const model::BatchNorm& op);
EmitBackward emit(Compiler& c, int layer, const model::Pool& op);
EmitBackward emit(Compiler& c, int layer, const model::Activation& op);
EmitBackward emit(Compiler& c, int layer, const model::Add& op);
EmitBackward emit(Compiler& c, int layer, const model::Concat& op);
EmitBackward emit(Compiler& c, int layer, const model::Dropout& op);
EmitBackward emit(Compiler& c, int layer, const model::Lrn& op);
EmitBackward emit(Compiler& c, int layer, const model::PadShortcut& op);
EmitBackward emit_head(Compiler& c, std::size_t head);

}  // namespace lockstep::engine::onednn
