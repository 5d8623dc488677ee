#include "engine/onednn/compiler.h"
#include "kernel/channels.h"
#include "kernel/softmax.h"

namespace lockstep::engine::onednn {

EmitBackward emit_head(Compiler& c, std::size_t head) {
  const int layer = c.graph().heads[head].layer;
  const float weight = c.graph().heads[head].weight;
  const Value x = c.value(layer);
  const kernel::Layout layout = layout_of(x.desc);
  const bool pixels = c.samples_are_pixels(x);
  const std::int64_t count = std::int64_t{c.options().batch} * c.layer(layer).shape.c;
  const Value logits = c.new_floats(count);
  if (head == 0) c.set_logits(logits.place);
  c.run({layer, kReorderRows}, {x}, logits, [=](const Memory& m, Call&) {
    kernel::gather_rows(m.at(x), layout, pixels, m.at(logits));
  });
  const bool training = c.training();
  const Value gradient = training ? c.new_floats(count) : logits;
  const auto n = static_cast<std::size_t>(count);
  c.run({layer, "loss"}, {logits}, gradient,
        [=, smoothing = c.options().label_smoothing](const Memory& m, Call& call) {
          const std::span<float> to =
              training ? std::span<float>(m.at(gradient), n) : std::span<float>();
          call.loss += weight * kernel::softmax_cross_entropy({m.at(logits), n}, call.batch.labels,
                                                              smoothing, weight, to);
        });
  return [=, &c] {
    const Value dx = c.new_value(x.desc);
    c.run({layer, kReorderRows}, {gradient}, dx, [=](const Memory& m, Call&) {
      kernel::scatter_rows(m.at(gradient), layout, pixels, m.at(dx));
    });
    c.give_gradient(layer, dx);
  };
}

}  // namespace lockstep::engine::onednn
