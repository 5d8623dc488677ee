// The layers that are our own kernels: activation, addition, concatenation, dropout, local response
// normalisation, the padding shortcut.
#include "kernel/pointwise.h"

#include "engine/onednn/compiler.h"
#include "kernel/channels.h"
#include "kernel/dropout.h"
#include "kernel/lrn.h"

namespace lockstep::engine::onednn {
namespace {

// Over `in` where that is allowed, otherwise a tensor like it.
Value result_on(Compiler& c, int in) {
  return c.may_overwrite(in) ? c.value(in) : c.new_value(c.value(in).desc);
}

}  // namespace

EmitBackward emit(Compiler& c, int layer, const model::Activation& op) {
  const int in = c.input(layer);
  if (c.result(in) == layer) return {};  // the layer before has applied it
  const kernel::Gate gate = gate_of(op);
  const Value x = c.value(in);
  const Value y = result_on(c, in);
  c.run({layer, "activation"}, {x}, y, [=, n = y.floats()](const Memory& m, Call&) {
    kernel::activate(gate, m.at(x), m.at(y), n);
  });
  c.set_result(layer, y);
  return [=, &c] {
    const Value dy = c.take_gradient(layer);
    if (c.wants_gradient(in)) c.give_gradient(in, dy);
  };
}

EmitBackward emit(Compiler& c, int layer, const model::Add&) {
  const int left = c.input(layer, 0);
  const int right = c.input(layer, 1);
  const Value a = c.value(left);
  const Value b = c.reordered({layer, "add"}, c.value(right), a.desc);
  const kernel::Gate gate = c.gate(layer);
  const bool over_right = !c.may_overwrite(left) && c.may_overwrite(right);
  const Value y = over_right ? b : result_on(c, left);
  c.run({layer, "add"}, {a, b}, y, [=, n = y.floats()](const Memory& m, Call&) {
    kernel::add(gate, m.at(a), m.at(b), m.at(y), n);
  });
  c.set_result(layer, y);
  return [=, &c] {
    const Value dy = c.take_gradient(c.result(layer));
    c.give_gradient(left, dy);
    c.give_gradient(right, dy);
  };
}

EmitBackward emit(Compiler& c, int layer, const model::Concat&) {
  const std::vector<int> inputs = c.layer(layer).inputs;
  const dnnl::memory::desc layout = c.value(inputs.front()).desc;
  const Value y = c.new_value(like(layout, c.dims(layer)));

  struct Part {
    int layer;
    Value value;
    int first;  // channel of y
    int channels;
  };
  std::vector<Part> parts;
  std::vector<Value> operands;
  int channel = 0;
  for (const int in : inputs) {
    const int channels = c.layer(in).shape.c;
    const Value part = c.reordered({layer, "concat"}, c.value(in), like(layout, c.dims(in)));
    parts.push_back({in, part, channel, channels});
    operands.push_back(part);
    channel += channels;
  }
  c.run({layer, "concat"}, operands, y, [=](const Memory& m, Call&) {
    for (const Part& part : parts) {
      kernel::copy_channels(m.at(part.value), layout_of(part.value.desc), 0, m.at(y),
                            layout_of(y.desc), part.first, part.channels);
    }
  });
  c.set_result(layer, y);
  return [=, &c] {
    const Value dy = c.take_gradient(layer);
    for (const Part& part : parts) {
      const Value dx = c.new_value(part.value.desc);
      c.run({part.layer, "split"}, {dy}, dx, [=](const Memory& m, Call&) {
        kernel::copy_channels(m.at(dy), layout_of(dy.desc), part.first, m.at(dx),
                              layout_of(dx.desc), 0, part.channels);
      });
      c.give_gradient(part.layer, dx);
    }
  };
}

EmitBackward emit(Compiler& c, int layer, const model::Dropout& op) {
  const int in = c.input(layer);
  const Value x = c.value(in);
  if (!c.training() || op.keep >= 1) {
    c.set_result(layer, x);
    return [=, &c] { c.give_gradient(in, c.take_gradient(layer)); };
  }
  const auto features = static_cast<std::uint64_t>(c.layer(layer).shape.elements());
  const bool pixels = c.samples_are_pixels(x);
  const auto body = [=, seed = c.options().seed, keep = op.keep](
                        const Value& from, const Value& to, const Memory& m, const Call& call) {
    const kernel::DropoutMask mask(seed, static_cast<std::uint64_t>(layer), call.batch.step,
                                   features, keep);
    kernel::dropout(mask, call.batch.first_sample, m.at(from), m.at(to), layout_of(to.desc),
                    pixels);
  };
  const Value y = result_on(c, in);
  c.run({layer, "dropout"}, {x}, y, [=](const Memory& m, Call& call) { body(x, y, m, call); });
  c.set_result(layer, y);
  return [=, &c] {
    const Value dy = c.take_gradient(layer);
    const Value dx = c.new_value(dy.desc);
    c.run({layer, "dropout"}, {dy}, dx,
          [=](const Memory& m, Call& call) { body(dy, dx, m, call); });
    if (c.wants_gradient(in)) c.give_gradient(in, dx);
  };
}

EmitBackward emit(Compiler& c, int layer, const model::Lrn& op) {
  const int in = c.input(layer);
  const Value x = c.value(in);
  const Value y = c.new_value(x.desc);
  const kernel::LrnShape shape{op.radius, op.alpha, op.beta, op.bias};
  const kernel::Layout layout = layout_of(x.desc);
  c.run({layer, "lrn"}, {x}, y,
        [=](const Memory& m, Call&) { kernel::lrn(shape, m.at(x), m.at(y), layout); });
  c.set_result(layer, y);
  return [=, &c] {
    const Value dy = c.take_gradient(layer);
    const Value dx = c.new_value(x.desc);
    c.run({layer, "lrn"}, {x, dy}, dx, [=](const Memory& m, Call&) {
      kernel::lrn_gradient(shape, m.at(x), m.at(dy), m.at(dx), layout);
    });
    if (c.wants_gradient(in)) c.give_gradient(in, dx);
  };
}

EmitBackward emit(Compiler& c, int layer, const model::PadShortcut& op) {
  const int in = c.input(layer);
  const Value x = c.value(in);
  const Value y = c.new_value(like(x.desc, c.dims(layer)));
  const kernel::Layout from = layout_of(x.desc);
  const kernel::Layout to = layout_of(y.desc);
  const model::Shape out = c.layer(layer).shape;
  const kernel::Subsampling s{c.layer(in).shape.w, out.h, out.w, op.stride};
  c.run({layer, "shortcut"}, {x}, y,
        [=](const Memory& m, Call&) { kernel::pad_shortcut(s, m.at(x), from, m.at(y), to); });
  c.set_result(layer, y);
  return [=, &c] {
    const Value dy = c.take_gradient(layer);
    const Value dx = c.new_value(x.desc);
    c.run({layer, "shortcut"}, {dy}, dx, [=](const Memory& m, Call&) {
      kernel::pad_shortcut_gradient(s, m.at(dy), to, m.at(dx), from);
    });
    if (c.wants_gradient(in)) c.give_gradient(in, dx);
  };
}

}  // namespace lockstep::engine::onednn
