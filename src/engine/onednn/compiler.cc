#include "engine/onednn/compiler.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"

namespace lockstep::engine::onednn {
namespace {

using dnnl::memory;

constexpr std::size_t kFloatsPerLine = 16;

// Operations that can apply the activation behind them on their way out.
bool applies_gate(const model::Op& op) {
  return std::holds_alternative<model::Conv>(op) || std::holds_alternative<model::Dense>(op) ||
         std::holds_alternative<model::BatchNorm>(op) || std::holds_alternative<model::Add>(op);
}

bool is_max_pool(const model::Op& op) {
  const auto* pool = std::get_if<model::Pool>(&op);
  return pool != nullptr && pool->kind == model::Pool::Kind::max;
}

// Blocked layouts cannot join channels at an offset inside a block.
bool has_ragged_concat(const model::Graph& graph) {
  constexpr int kWidestBlock = 16;
  for (const model::Layer& layer : graph.layers) {
    if (!std::holds_alternative<model::Concat>(layer.op)) continue;
    for (const int in : layer.inputs) {
      if (graph.layers[static_cast<std::size_t>(in)].shape.c % kWidestBlock != 0) return true;
    }
  }
  return false;
}

}  // namespace

Compiler::Compiler(const model::Graph& graph, const Options& options)
    : graph_(graph), options_(options) {
  const std::size_t layers = graph.layers.size();
  values_.resize(layers);
  readers_.resize(layers);
  gradients_.resize(layers);
  gate_closed_.resize(layers);
  tape_.resize(layers);
  statistics_offsets_.resize(layers);
  for (std::size_t i = 0; i < layers; ++i) {
    for (const int in : graph.layers[i].inputs) {
      readers_[static_cast<std::size_t>(in)].push_back(static_cast<int>(i));
    }
    if (std::holds_alternative<model::BatchNorm>(graph.layers[i].op)) {
      statistics_offsets_[i] = program_.statistics_floats;
      program_.statistics_floats += 2 * static_cast<std::size_t>(graph.layers[i].shape.c);
    }
  }
  if (options_.layout == Layout::automatic && has_ragged_concat(graph)) {
    options_.layout = Layout::nhwc;
  }
  list_parameters();
}

Program Compiler::compile() {
  // A convolution chooses how it wants the images; everything else takes them as they come.
  const bool conv_first = std::all_of(readers_[0].begin(), readers_[0].end(), [&](int reader) {
    return std::holds_alternative<model::Conv>(layer(reader).op);
  });
  if (!conv_first) {
    set_images(plain_desc(dims(0), options_.layout == Layout::nhwc ? memory::format_tag::nhwc
                                                                   : memory::format_tag::nchw),
               {});
  }
  for (std::size_t i = 1; i < graph_.layers.size(); ++i) {
    translate_errors(graph_.layers[i].name, ExitCode::usage, [&] {
      tape_[i] = std::visit(
          [&](const auto& op) -> EmitBackward {
            if constexpr (std::is_same_v<std::decay_t<decltype(op)>, model::Input>) {
              return {};
            } else {
              return emit(*this, static_cast<int>(i), op);
            }
          },
          graph_.layers[i].op);
    });
  }
  std::vector<EmitBackward> heads;
  for (std::size_t h = 0; h < graph_.heads.size(); ++h) heads.push_back(emit_head(*this, h));
  if (training()) {
    in_backward_ = true;
    for (const EmitBackward& head : heads) head();
    for (std::size_t i = graph_.layers.size(); i-- > 1;) {
      if (tape_[i]) translate_errors(graph_.layers[i].name, ExitCode::usage, tape_[i]);
    }
  }
  place_parameters();
  return std::move(program_);
}

// --- Values --------------------------------------------------------------------------------------

int Compiler::result(int layer) const {
  const auto& readers = readers_[static_cast<std::size_t>(layer)];
  if (!applies_gate(this->layer(layer).op) || readers.size() != 1) return layer;
  const int reader = readers.front();
  return std::holds_alternative<model::Activation>(this->layer(reader).op) ? reader : layer;
}

kernel::Gate Compiler::gate(int layer) const {
  const auto* op = std::get_if<model::Activation>(&this->layer(result(layer)).op);
  return op == nullptr || result(layer) == layer ? kernel::Gate{} : gate_of(*op);
}

void Compiler::set_result(int layer, const Value& value) {
  values_[static_cast<std::size_t>(layer)] = value;
  values_[static_cast<std::size_t>(result(layer))] = value;
}

bool Compiler::may_overwrite(int layer) const {
  if (readers_[static_cast<std::size_t>(layer)].size() != 1) return false;
  if (closing_gate(layer).kind != kernel::Gate::Kind::none) return false;
  const model::Op& op = this->layer(layer).op;
  return std::holds_alternative<model::Activation>(op) || std::holds_alternative<model::Conv>(op) ||
         std::holds_alternative<model::BatchNorm>(op) || std::holds_alternative<model::Pool>(op) ||
         std::holds_alternative<model::Add>(op) || std::holds_alternative<model::PadShortcut>(op);
}

Place Compiler::new_buffer(std::size_t bytes) {
  program_.buffers.push_back({bytes, false});
  pending_.push_back(0);
  return {Place::Region::arena, program_.buffers.size() - 1};
}

Value Compiler::new_value(const memory::desc& desc) {
  return {desc, new_buffer(desc.get_size())};
}

Value Compiler::new_floats(std::int64_t count) {
  return new_value(plain_desc({count}, memory::format_tag::x));
}

Value Compiler::new_workspace(std::size_t bytes) {
  program_.workspace_bytes = std::max(program_.workspace_bytes, bytes);
  return new_floats(static_cast<std::int64_t>(bytes / sizeof(float)));
}

void Compiler::keep(const Place& buffer) {
  program_.buffers[buffer.index].kept = true;
}

void Compiler::set_images(const memory::desc& desc, const model::Padding& padding) {
  const model::Shape shape = layer(0).shape;
  Value& images = value(0);
  images = new_value(desc);
  keep(images.place);
  program_.images = images.place;
  const auto& strides = desc.data.format_desc.blocking.strides;
  ImageBuffer& at = program_.image_layout;
  at.n = options_.batch;
  at.c = shape.c;
  at.h = shape.h;
  at.w = shape.w;
  at.stride_n = strides[0];
  at.stride_c = strides[1];
  at.stride_h = strides[2];
  at.stride_w = strides[3];
  at.offset = padding.top * at.stride_h + padding.left * at.stride_w;
}

void Compiler::set_logits(const Place& place) {
  keep(place);
  program_.logits = place;
}

memory::desc Compiler::activation_desc(const memory::dims& dims) const {
  switch (options_.layout) {
    case Layout::nchw:
      return plain_desc(dims, memory::format_tag::nchw);
    case Layout::nhwc:
      return plain_desc(dims, memory::format_tag::nhwc);
    case Layout::automatic:
      break;
  }
  return any_desc(dims);
}

memory::dims Compiler::dims(int layer) const {
  const model::Shape s = this->layer(layer).shape;
  return {options_.batch, s.c, s.h, s.w};
}

// --- Parameters ----------------------------------------------------------------------------------

void Compiler::list_parameters() {
  std::vector<model::Parameter> plain = model::parameters(graph_);
  std::stable_sort(plain.begin(), plain.end(),
                   [](const auto& a, const auto& b) { return a.layer > b.layer; });
  for (model::Parameter& p : plain) program_.parameters.push_back({std::move(p), 0, 0});
  program_.storage.resize(program_.parameters.size());
}

void Compiler::place_parameters() {
  for (std::size_t i = 0; i < program_.parameters.size(); ++i) {
    Parameter& p = program_.parameters[i];
    p.offset = program_.parameter_floats;
    p.size = program_.storage[i].desc.get_size() / sizeof(float);
    program_.parameter_floats += (p.size + kFloatsPerLine - 1) / kFloatsPerLine * kFloatsPerLine;
  }
}

int Compiler::parameter_index(int layer, model::Parameter::Role role) const {
  const auto found =
      std::find_if(program_.parameters.begin(), program_.parameters.end(),
                   [&](const auto& p) { return p.plain.layer == layer && p.plain.role == role; });
  LOCKSTEP_CHECK(found != program_.parameters.end());
  return static_cast<int>(found - program_.parameters.begin());
}

void Compiler::store(int layer, model::Parameter::Role role, Storage storage) {
  program_.storage[static_cast<std::size_t>(parameter_index(layer, role))] = std::move(storage);
}

Value Compiler::parameter(int layer, model::Parameter::Role role) const {
  const auto i = static_cast<std::size_t>(parameter_index(layer, role));
  return {program_.storage[i].desc, {Place::Region::parameters, i}};
}

Value Compiler::gradient_of_parameter(int layer, model::Parameter::Role role) const {
  Value value = parameter(layer, role);
  value.place.region = Place::Region::gradients;
  return value;
}

Value Compiler::statistics(int layer, bool variance) const {
  const std::size_t channels = static_cast<std::size_t>(this->layer(layer).shape.c);
  return {plain_desc({static_cast<memory::dim>(channels)}, memory::format_tag::x),
          {Place::Region::statistics,
           statistics_offsets_[static_cast<std::size_t>(layer)] + (variance ? channels : 0)}};
}

// --- Gradients -----------------------------------------------------------------------------------

void Compiler::give_gradient(int layer, const Value& gradient) {
  const Value in_place =
      reordered({layer, kReorder}, gradient, values_[static_cast<std::size_t>(layer)].desc);
  gradients_[static_cast<std::size_t>(layer)].push_back(in_place);
  ++pending_[in_place.place.index];
}

kernel::Gate Compiler::closing_gate(int layer) const {
  const auto gate_at = [&](int activation) -> kernel::Gate {
    const auto* op = std::get_if<model::Activation>(&this->layer(activation).op);
    if (op == nullptr) return {};
    // Batch norm keeps a mask of the ReLU that it applies.
    const int below = input(activation);
    const bool masked = op->kind == model::Activation::Kind::relu && result(below) == activation &&
                        std::holds_alternative<model::BatchNorm>(this->layer(below).op);
    return masked ? kernel::Gate{} : gate_of(*op);
  };
  // The winner of a window is what a max pool puts out, so that the gate of what it alone reads can
  // close on the pool's own gradient instead: there is less of it.
  const auto alone_is_pooled = [&](int pooled) {
    const auto& readers = readers_[static_cast<std::size_t>(pooled)];
    return readers.size() == 1 && is_max_pool(this->layer(readers.front()).op);
  };
  if (alone_is_pooled(layer)) return {};
  if (!is_max_pool(this->layer(layer).op)) return gate_at(layer);
  return alone_is_pooled(input(layer)) ? gate_at(input(layer)) : kernel::Gate{};
}

Compiler::Rest Compiler::complete_gradient(int layer, int reader, const memory::desc& desc) {
  const auto at = static_cast<std::size_t>(layer);
  const kernel::Gate gate = closing_gate(layer);
  const bool masks = gate.kind == kernel::Gate::Kind::relu;
  // Backward visits readers from the last to the first.
  if (readers_[at].front() != reader || values_[at].desc != desc || gradients_[at].size() > 1 ||
      (gate.kind != kernel::Gate::Kind::none && !masks)) {
    return {};
  }
  Rest rest;
  if (!gradients_[at].empty()) {
    rest.addend = gradients_[at].front();
    --pending_[rest.addend->place.index];
    gradients_[at].clear();
  }
  if (masks) rest.mask = values_[at];
  gate_closed_[at] = true;
  return rest;
}

Value Compiler::take_gradient(int layer) {
  const std::vector<Value> parts = std::move(gradients_[static_cast<std::size_t>(layer)]);
  LOCKSTEP_CHECK(!parts.empty());
  for (const Value& part : parts) --pending_[part.place.index];
  const kernel::Gate gate =
      gate_closed_[static_cast<std::size_t>(layer)] ? kernel::Gate{} : closing_gate(layer);
  const bool gated = gate.kind != kernel::Gate::Kind::none;
  if (parts.size() == 1 && !gated) return parts.front();

  // Written over a part that nothing else waits for, where there is one.
  const auto free = std::find_if(parts.begin(), parts.end(), [&](const Value& part) {
    return pending_[part.place.index] == 0;
  });
  const Value& y = value(layer);
  const Value out = free != parts.end() ? *free : new_value(y.desc);
  std::vector<Value> operands = parts;
  operands.push_back(out);
  if (gated) operands.push_back(y);
  run({layer, parts.size() == 1 ? "gate"
              : gated           ? "sum+gate"
                                : "sum"},
      operands, out, [=, n = out.floats()](const Memory& m, Call&) {
        const float* pointers[16];
        for (std::size_t i = 0; i < parts.size(); ++i) pointers[i] = m.at(parts[i]);
        kernel::gated_sum(gate, gated ? m.at(y) : nullptr, {pointers, parts.size()}, m.at(out), n);
      });
  LOCKSTEP_CHECK(parts.size() <= 16);
  return out;
}

// --- Steps ---------------------------------------------------------------------------------------

Step& Compiler::new_step(const About& about, std::string implementation) {
  std::vector<Step>& steps = in_backward_ ? program_.backward : program_.forward;
  Step step;
  step.layer = about.layer;
  step.about = {in_backward_ ? "backward" : "forward", layer(about.layer).name, about.operation,
                std::move(implementation), ""};
  steps.push_back(std::move(step));
  return steps.back();
}

void Compiler::call_primitive(const About& about, const dnnl::primitive& primitive,
                              const dnnl::primitive_desc_base& descriptor, Arguments arguments) {
  const memory::desc scratch = descriptor.scratchpad_desc();
  if (scratch.get_size() > 0) {
    arguments.emplace_back(DNNL_ARG_SCRATCHPAD, new_value(scratch));
  }
  Step& step = new_step(about, descriptor.impl_info_str());

  // The library's own call takes a map and copies it; ours is made once.
  struct Prepared {
    dnnl::primitive primitive;
    Arguments arguments;
    std::vector<memory> memories;
    std::vector<dnnl_exec_arg_t> c_arguments;
  };
  auto prepared = std::make_shared<Prepared>();
  prepared->primitive = primitive;
  prepared->arguments = std::move(arguments);
  for (const auto& [key, value] : prepared->arguments) {
    step.operands.push_back(value.place);
    const bool written = key == DNNL_ARG_DST || key == DNNL_ARG_DIFF_SRC;
    if (written) {
      step.output = value;
      step.about.layout = layout_name(value.desc);
    }
  }
  step.bind = [prepared](const Memory& m) {
    for (const auto& [key, value] : prepared->arguments) {
      prepared->memories.emplace_back(value.desc, cpu(), m.at(value));
      prepared->c_arguments.push_back({key, prepared->memories.back().get()});
    }
  };
  step.run = [prepared](const Memory&, Call&) {
    dnnl::error::wrap_c_api(dnnl_primitive_execute(prepared->primitive.get(), stream().get(),
                                                   static_cast<int>(prepared->c_arguments.size()),
                                                   prepared->c_arguments.data()),
                            "could not execute a primitive");
  };
}

void Compiler::run(const About& about, std::vector<Value> operands, const Value& output,
                   std::function<void(const Memory&, Call&)> body, std::string implementation) {
  Step& step = new_step(about, std::move(implementation));
  for (const Value& operand : operands) step.operands.push_back(operand.place);
  step.operands.push_back(output.place);
  step.output = output;
  step.about.layout = layout_name(output.desc);
  step.run = std::move(body);
}

Value Compiler::reordered(const About& about, const Value& value, const memory::desc& desc,
                          bool weights) {
  if (value.desc == desc) return value;
  const Value out = new_value(desc);
  const dnnl::reorder::primitive_desc reorder(cpu(), value.desc, cpu(), desc, attributes());
  call<dnnl::reorder>({about.layer, weights ? kReorderWeights : kReorder}, reorder,
                      {{DNNL_ARG_FROM, value}, {DNNL_ARG_TO, out}});
  if (weights) (in_backward_ ? program_.backward : program_.forward).back().about.layout.clear();
  return out;
}

void Compiler::parameters_ready(int layer) {
  std::vector<int> which;
  for (std::size_t i = 0; i < program_.parameters.size(); ++i) {
    if (program_.parameters[i].plain.layer == layer) which.push_back(static_cast<int>(i));
  }
  Step& last = program_.backward.back();
  last.run = [work = std::move(last.run), which = std::move(which)](const Memory& m, Call& call) {
    work(m, call);
    if (*call.ready) {
      for (const int i : which) (*call.ready)(i);
    }
  };
}

Program compile_program(const model::Graph& graph, const Options& options) {
  Options bounded = options;
  while (true) {
    Program program = Compiler(graph, bounded).compile();
    const std::size_t parameters = program.parameter_floats * sizeof(float);
    const std::size_t all = plan_arena(lifetimes(program)).bytes +
                            (options.mode == Mode::training ? 2 * parameters : parameters);
    bounded.workspace_bytes = static_cast<std::size_t>(options.workspace_share * double(all));
    if (program.workspace_bytes <= bounded.workspace_bytes) return program;
  }
}

}  // namespace lockstep::engine::onednn
