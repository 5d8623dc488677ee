#include "model/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/error.h"

namespace lockstep::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A graph with nothing but its input.
struct Sketch {
  explicit Sketch(Shape shape) : image(input(graph, shape)) { graph.name = "sketch"; }
  Graph graph;
  Node image;
};

const Layer& layer_of(Node x) {
  return x.graph().layers[static_cast<std::size_t>(x.layer())];
}

// --- Borders -----------------------------------------------------------------------------------

struct BorderCase {
  Border border;
  int in, kernel, stride;
  int before, after, out;
};

TEST(Border, PadsByItsRule) {
  constexpr BorderCase kCases[] = {
      {Border::valid, 227, 11, 4, 0, 0, 55},
      {Border::valid, 13, 3, 2, 0, 0, 6},
      {Border::same, 224, 11, 4, 3, 4, 56},  // the odd pixel goes to the end
      {Border::same, 112, 3, 2, 0, 1, 56},
      {Border::same, 5, 3, 1, 1, 1, 5},
      {Border::same, 5, 2, 1, 0, 1, 5},
      {Border::same, 8, 1, 2, 0, 0, 4},  // never crops
      {Border::same, 1, 3, 2, 1, 1, 1},
      {Border::same_resnet, 224, 7, 2, 3, 3, 112},
      {Border::same_resnet, 56, 3, 2, 1, 1, 28},
      {Border::same_resnet, 56, 1, 2, 0, 0, 28},
      {Border::same_resnet, 56, 4, 2, 1, 2, 28},
      {Border::same_resnet, 56, 3, 1, 1, 1, 56},  // without a stride as `same`
  };
  for (const BorderCase& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.in << " pixels, window " << c.kernel << '/' << c.stride);
    Sketch sketch({3, c.in, c.in});
    const Padding padding{c.before, c.before, c.after, c.after};
    const Node convolved =
        conv(sketch.image, 8, c.kernel, {.stride = c.stride, .border = c.border});
    EXPECT_EQ(convolved.shape(), (Shape{8, c.out, c.out}));
    EXPECT_EQ(std::get<Conv>(layer_of(convolved).op).padding, padding);
    const Node pooled = max_pool(sketch.image, c.kernel, {.stride = c.stride, .border = c.border});
    EXPECT_EQ(pooled.shape(), (Shape{3, c.out, c.out}));
    EXPECT_EQ(std::get<Pool>(layer_of(pooled).op).padding, padding);
  }
}

TEST(Border, TreatsRowsAndColumnsApart) {
  Sketch sketch({3, 17, 9});
  const Node wide = conv(sketch.image, 8, 1, 7);
  EXPECT_EQ(wide.shape(), (Shape{8, 17, 9}));
  EXPECT_EQ(std::get<Conv>(layer_of(wide).op).padding, (Padding{0, 3, 0, 3}));
  EXPECT_EQ(conv(sketch.image, 8, 1, 7, {.border = Border::valid}).shape(), (Shape{8, 17, 3}));
}

TEST(Border, RefusesAWindowLargerThanTheImage) {
  Sketch sketch({3, 2, 5});
  try {
    conv(sketch.image, 8, 3, {.border = Border::valid});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(),
                HasSubstr("too small for sketch: a 3x3 window exceeds its 2x5 input"));
    EXPECT_THAT(error.hint(), HasSubstr("--image_size"));
  }
  EXPECT_THROW(max_pool(sketch.image, 3), Error);
  EXPECT_THROW(average_pool(sketch.image, 3), Error);
}

// --- Shapes and names --------------------------------------------------------------------------

TEST(Graph, InfersTheShapeOfEveryLayer) {
  Sketch sketch({3, 6, 4});
  const Node a = conv(sketch.image, 8, 3);
  const Node b = relu6(batch_norm(a));
  EXPECT_EQ(b.shape(), a.shape());
  EXPECT_EQ((a + b).shape(), a.shape());
  const std::array parts{a, b, sketch.image};
  EXPECT_EQ(concat(parts).shape(), (Shape{19, 6, 4}));
  EXPECT_EQ(global_mean(a).shape(), (Shape{8, 1, 1}));
  EXPECT_EQ(pad_shortcut(a, 16, 2).shape(), (Shape{16, 3, 2}));
  EXPECT_EQ(pad_shortcut(conv(sketch.image, 8, 2, {.border = Border::valid}), 16, 2).shape(),
            (Shape{16, 3, 2}));  // odd sides round up
  EXPECT_EQ(dense(a, 10).shape(), (Shape{10, 1, 1}));
}

TEST(Graph, NumbersLayersByKindAndRemembersTheirInputs) {
  Sketch sketch({3, 6, 6});
  const Node a = conv(sketch.image, 8, 3);
  const Node b = conv(relu(a), 8, 3);
  EXPECT_EQ(layer_of(a).name, "conv1");
  EXPECT_EQ(layer_of(b).name, "conv2");
  EXPECT_THAT(layer_of(a + b).inputs, ElementsAre(a.layer(), b.layer()));
  EXPECT_EQ(kind_name(layer_of(relu(a)).op), "activation");
}

TEST(Graph, AnswersWithItsFirstHead) {
  Sketch sketch({3, 6, 6});
  classify(sketch.image, 10);
  classify(sketch.image, 7, {}, 0.4F);
  EXPECT_EQ(sketch.graph.classes(), 10);
  ASSERT_EQ(sketch.graph.heads.size(), 2U);
  EXPECT_EQ(sketch.graph.heads[0].weight, 1.0F);
  EXPECT_EQ(sketch.graph.heads[1].weight, 0.4F);
}

// --- Parameters --------------------------------------------------------------------------------

Parameter only(const std::vector<Parameter>& parameters, std::string_view name) {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return parameter;
  }
  ADD_FAILURE() << "no parameter " << name;
  return {};
}

TEST(Parameters, StandInTheOrderOfTheLayers) {
  Sketch sketch({3, 6, 6});
  Node x = conv(sketch.image, 8, 5, 3, {.bias = true});
  x = batch_norm(x, {.scale = true});
  x = batch_norm(conv(x, 8, 3, {.groups = 8}));
  classify(x, 10);
  std::vector<std::string> names;
  const std::vector<Parameter> list = parameters(sketch.graph);
  for (const Parameter& parameter : list) names.push_back(parameter.name);
  EXPECT_THAT(names,
              ElementsAre("conv1/weights", "conv1/bias", "batch_norm1/scale", "batch_norm1/shift",
                          "conv2/weights", "batch_norm2/shift", "dense1/weights", "dense1/bias"));
  EXPECT_THAT(only(list, "conv1/weights").shape, ElementsAre(8, 3, 5, 3));
  EXPECT_THAT(only(list, "conv2/weights").shape, ElementsAre(8, 1, 3, 3));  // depthwise
  EXPECT_THAT(only(list, "dense1/weights").shape, ElementsAre(10, 8 * 36));
  EXPECT_EQ(only(list, "dense1/weights").elements(), 10 * 8 * 36);
  EXPECT_EQ(only(list, "dense1/weights").layer, sketch.graph.heads[0].layer);
}

TEST(Parameters, DecayUnlessTheyBelongToBatchNorm) {
  Sketch sketch({3, 6, 6});
  classify(batch_norm(conv(sketch.image, 8, 3, {.bias = true}), {.scale = true}), 10);
  for (const Parameter& parameter : parameters(sketch.graph)) {
    EXPECT_EQ(parameter.decays, !parameter.name.starts_with("batch_norm")) << parameter.name;
  }
}

TEST(Parameters, StartScaledToTheFanInUnlessToldOtherwise) {
  Sketch sketch({4, 6, 6});
  Node x = conv(sketch.image, 8, 3);
  x = conv(x, 8, 3, {.groups = 8});
  x = conv(x, 8, 3, {.weights = {Init::Kind::normal, 0.5F}, .bias_init = {}});
  classify(batch_norm(x, {.scale = true}), 10, {.bias_init = {Init::Kind::constant, 0.1F}});
  const std::vector<Parameter> list = parameters(sketch.graph);
  EXPECT_EQ(only(list, "conv1/weights").init.kind, Init::Kind::truncated_normal);
  EXPECT_FLOAT_EQ(only(list, "conv1/weights").init.value, std::sqrt(1.0F / 36));
  EXPECT_FLOAT_EQ(only(list, "conv2/weights").init.value, std::sqrt(1.0F / 9));
  EXPECT_EQ(only(list, "conv3/weights").init.kind, Init::Kind::normal);
  EXPECT_EQ(only(list, "conv3/weights").init.value, 0.5F);
  EXPECT_EQ(only(list, "batch_norm1/scale").init.value, 1.0F);
  EXPECT_EQ(only(list, "batch_norm1/shift").init.value, 0.0F);
  EXPECT_FLOAT_EQ(only(list, "dense1/weights").init.value, std::sqrt(1.0F / 288));
  EXPECT_EQ(only(list, "dense1/bias").init.value, 0.1F);
}

// --- Costs -------------------------------------------------------------------------------------

TEST(Cost, CountsWhatALayerLearnsAndMultiplies) {
  Sketch sketch({4, 6, 6});
  const Node grouped = conv(sketch.image, 8, 3, {.stride = 2, .bias = true, .groups = 2});
  const Cost c = cost(sketch.graph, grouped.layer());
  EXPECT_EQ(c.parameters, 8 * 2 * 9 + 8);
  EXPECT_EQ(c.tensors, 2);
  EXPECT_EQ(c.macs, 8 * 2 * 9 * 3 * 3);
  EXPECT_EQ(c.conv_layers, 1);
  EXPECT_EQ(c.conv_outputs, 8 * 3 * 3);
  const Cost plain = cost(sketch.graph, batch_norm(grouped).layer());
  EXPECT_EQ(plain.batch_norm_parameters, 8);
  EXPECT_EQ(plain.moving_statistics, 16);
  EXPECT_EQ(plain.macs, 0);
  const Cost scaled = cost(sketch.graph, batch_norm(grouped, {.scale = true}).layer());
  EXPECT_EQ(scaled.batch_norm_parameters, 16);
  EXPECT_EQ(scaled.tensors, 2);
  const Cost unbiased = cost(sketch.graph, dense(grouped, 5, {.bias = false}).layer());
  EXPECT_EQ(unbiased.parameters, 72 * 5);
  EXPECT_EQ(unbiased.tensors, 1);
}

TEST(Cost, OfAGraphAgreesWithItsParameterList) {
  Sketch sketch({3, 12, 12});
  Node x = relu(batch_norm(conv(sketch.image, 8, 3), {.scale = true}));
  x = batch_norm(conv(x, 8, 3, {.stride = 2, .bias = true, .groups = 4}));
  classify(dense(max_pool(x, 2), 20), 10);
  const Cost total = cost(sketch.graph);
  const std::vector<Parameter> list = parameters(sketch.graph);
  std::int64_t elements = 0;
  for (const Parameter& parameter : list) elements += parameter.elements();
  EXPECT_EQ(total.parameters, elements);
  EXPECT_EQ(total.tensors, static_cast<std::int64_t>(list.size()));
  EXPECT_EQ(total.conv_layers, 2);
}

}  // namespace
}  // namespace lockstep::model
