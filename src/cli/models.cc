#include "cli/models.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "model/graph.h"

namespace lockstep::cli {
namespace {

using Json = nlohmann::ordered_json;
using model::Graph;
using model::Layer;
using model::Shape;

constexpr std::int64_t kBytesPerNumber = 4;

std::string shape_text(const Shape& shape) {
  return fmt::format("{}x{}x{}", shape.c, shape.h, shape.w);
}

// --- The list ----------------------------------------------------------------------------------

std::string list_as_json() {
  Json list = Json::array();
  for (const model::Model& m : model::zoo()) {
    const model::Cost cost = model::cost(model::build(m));
    list.push_back({{"name", m.name},
                    {"dataset", m.dataset},
                    {"parameters", cost.parameters},
                    {"gradient_bytes", cost.parameters * kBytesPerNumber},
                    {"macs", cost.macs},
                    {"image_size", m.image_size},
                    {"channels", m.channels},
                    {"classes", m.classes},
                    {"batch_size", m.batch_size}});
  }
  return list.dump(2) + '\n';
}

std::string list_as_table() {
  Table table({{"model", Table::Align::left},
               {"dataset", Table::Align::left},
               {"parameters"},
               {"gradient MB", Table::Align::right, 1},  // four bytes a parameter
               {"GMACs"},
               {"image"},
               {"batch size"}});
  for (const model::Model& m : model::zoo()) {
    const model::Cost cost = model::cost(model::build(m));
    table.add({std::string(m.name), std::string(m.dataset), human_count(cost.parameters),
               fmt::format("{:.2f}", double(cost.parameters * kBytesPerNumber) / 1e6),
               fmt::format("{:.3f}", double(cost.macs) / 1e9),
               shape_text({m.channels, m.image_size, m.image_size}),
               fmt::format("{}", m.batch_size)});
  }
  table.fit(output_width());
  return table.text();
}

// --- One model ---------------------------------------------------------------------------------

const Shape& input_shape(const Graph& graph, const Layer& layer) {
  return graph.layers[static_cast<std::size_t>(layer.inputs.front())].shape;
}

// "3x3/2", "1x7": the stride where it is not 1.
std::string window(int h, int w, int stride) {
  return fmt::format("{}x{}", h, w) + (stride == 1 ? "" : fmt::format("/{}", stride));
}

// Says what a layer does in the words of its options.
struct Describe {
  const Graph& graph;
  const Layer& layer;

  std::string operator()(const model::Input&) const { return "input"; }
  std::string operator()(const model::Conv& op) const {
    const std::string size = window(op.kernel_h, op.kernel_w, op.stride_h);
    if (op.groups == 1) return "conv " + size;
    if (op.groups == op.filters) return "depthwise conv " + size;
    return fmt::format("conv {} in {} groups", size, op.groups);
  }
  std::string operator()(const model::BatchNorm&) const { return "batch norm"; }
  std::string operator()(const model::Activation& op) const {
    switch (op.kind) {
      case model::Activation::Kind::relu:
        return "relu";
      case model::Activation::Kind::relu6:
        return "relu6";
      case model::Activation::Kind::leaky_relu:
        break;
    }
    return fmt::format("leaky relu {}", op.slope);
  }
  std::string operator()(const model::Pool& op) const {
    const Shape& in = input_shape(graph, layer);
    const bool average = op.kind == model::Pool::Kind::average;
    if (average && op.kernel_h == in.h && op.kernel_w == in.w) return "global mean";
    return (average ? "average pool " : "max pool ") +
           window(op.kernel_h, op.kernel_w, op.stride_h);
  }
  std::string operator()(const model::Dense&) const { return "dense"; }
  std::string operator()(const model::Lrn& op) const { return fmt::format("lrn {}", op.radius); }
  std::string operator()(const model::Dropout& op) const {
    return fmt::format("dropout, keeps {}", op.keep);
  }
  std::string operator()(const model::Concat&) const { return "concat"; }
  std::string operator()(const model::Add&) const { return "add"; }
  std::string operator()(const model::PadShortcut& op) const {
    return op.stride == 1 ? "shortcut" : fmt::format("shortcut /{}", op.stride);
  }
};

// What a layer does to the machine, forward, for one image.
struct Work {
  std::int64_t parameters = 0, macs = 0;
  std::int64_t activation_bytes = 0;  // its output
  std::int64_t moved_bytes = 0;       // inputs and parameters read, output written

  double macs_per_byte() const { return moved_bytes == 0 ? 0 : double(macs) / double(moved_bytes); }
  Work& operator+=(const Work& other) {
    parameters += other.parameters;
    macs += other.macs;
    activation_bytes += other.activation_bytes;
    moved_bytes += other.moved_bytes;
    return *this;
  }
};

Work work_of(const Graph& graph, std::size_t index) {
  const Layer& layer = graph.layers[index];
  const model::Cost cost = model::cost(graph, static_cast<int>(index));
  Work work{cost.parameters, cost.macs, layer.shape.elements() * kBytesPerNumber};
  if (layer.inputs.empty()) return work;  // the image is there already
  work.moved_bytes = work.activation_bytes + cost.parameters * kBytesPerNumber;
  for (const int input : layer.inputs) {
    work.moved_bytes +=
        graph.layers[static_cast<std::size_t>(input)].shape.elements() * kBytesPerNumber;
  }
  return work;
}

struct Row {
  const Layer& layer;
  std::string kind;
  Work work;
};

std::vector<Row> rows_of(const Graph& graph) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const Layer& layer = graph.layers[i];
    rows.push_back({layer, std::visit(Describe{graph, layer}, layer.op), work_of(graph, i)});
  }
  return rows;
}

Work total_of(const std::vector<Row>& rows) {
  Work total;
  for (const Row& row : rows) total += row.work;
  return total;
}

Json to_json(const Work& work) {
  return {{"parameters", work.parameters},
          {"macs", work.macs},
          {"activation_bytes", work.activation_bytes},
          {"moved_bytes", work.moved_bytes},
          {"macs_per_byte", work.macs_per_byte()}};
}

std::string model_as_json(const model::Model& m, const Graph& graph) {
  const std::vector<Row> rows = rows_of(graph);
  Json layers = Json::array();
  for (const Row& row : rows) {
    Json layer = {{"name", row.layer.name},
                  {"kind", row.kind},
                  {"shape", {row.layer.shape.c, row.layer.shape.h, row.layer.shape.w}}};
    layer.update(to_json(row.work));
    layers.push_back(std::move(layer));
  }
  const Json out = {{"name", m.name},
                    {"dataset", m.dataset},
                    {"image_size", graph.layers.front().shape.h},
                    {"channels", m.channels},
                    {"classes", graph.classes()},
                    {"batch_size", m.batch_size},
                    {"layers", std::move(layers)},
                    {"total", to_json(total_of(rows))}};
  return out.dump(2) + '\n';
}

std::vector<std::string> cells(std::string name, std::string kind, std::string shape,
                               const Work& work) {
  return {std::move(name),
          std::move(kind),
          std::move(shape),
          human_count(work.parameters),
          human_count(work.macs),
          human_count(work.activation_bytes),
          work.macs == 0 ? "-" : fmt::format("{:.1f}", work.macs_per_byte())};
}

constexpr std::size_t kReadable = 95;  // columns of a paragraph
constexpr std::string_view kAboutLayers =
    "Forward, for one image in fp32. Shapes are channels x rows x columns. MACs: multiply-adds of "
    "convolutions and dense layers. Activation bytes: the layer's output. MACs/byte: per byte of "
    "inputs and parameters read and of output written.";

std::string model_as_table(const model::Model& m, const Graph& graph) {
  Table table({{"layer", Table::Align::left},
               {"kind", Table::Align::left},
               {"output"},
               {"parameters"},
               {"MACs"},
               {"activation bytes", Table::Align::right, 1},
               {"MACs/byte", Table::Align::right, 2}});
  const std::vector<Row> rows = rows_of(graph);
  for (const Row& row : rows) {
    table.add(cells(row.layer.name, row.kind, shape_text(row.layer.shape), row.work));
  }
  table.add(cells("total", counted(std::ssize(rows), "layer"), "", total_of(rows)));
  table.fit(output_width());
  return fmt::format("{}: {} images of {}, {}\n\n", m.name, m.dataset,
                     shape_text(graph.layers.front().shape), counted(graph.classes(), "class")) +
         table.text() + '\n' + join(wrap(kAboutLayers, std::min(output_width(), kReadable)), "\n") +
         '\n';
}

}  // namespace

std::string list_models(bool json) {
  return json ? list_as_json() : list_as_table();
}

std::string show_model(const model::Model& model, const model::BuildOptions& options, bool json) {
  const Graph graph = model::build(model, options);
  return json ? model_as_json(model, graph) : model_as_table(model, graph);
}

}  // namespace lockstep::cli
