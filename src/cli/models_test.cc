#include "cli/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace lockstep::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// The words of the line that starts with `first`.
std::vector<std::string> line_of(const std::string& text, std::string_view first) {
  for (const std::string& line : split(text, '\n')) {
    std::vector<std::string> words = split(line, ' ');
    std::erase(words, "");
    if (!words.empty() && words.front() == first) return words;
  }
  ADD_FAILURE() << "no line starts with " << first;
  return {};
}

json layer_of(const json& model, std::string_view name) {
  for (const json& layer : model["layers"]) {
    if (layer["name"] == name) return layer;
  }
  ADD_FAILURE() << "no layer " << name;
  return {};
}

TEST(ListModels, ShowsALinePerModel) {
  const std::string text = list_models(false);
  EXPECT_THAT(line_of(text, "alexnet"),
              testing::ElementsAre("alexnet", "imagenet", "61,842,345", "247.37", "0.839",
                                   "3x227x227", "512"));
  EXPECT_THAT(
      line_of(text, "mnist_softmax"),
      testing::ElementsAre("mnist_softmax", "mnist", "7,850", "0.03", "0.000", "1x28x28", "100"));
  for (const model::Model& model : model::zoo()) line_of(text, model.name);
}

TEST(ListModels, WritesJsonInTheOrderOfTheZoo) {
  const json list = json::parse(list_models(true));
  ASSERT_EQ(list.size(), model::zoo().size());
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list[i]["name"], model::zoo()[i].name);
  const auto resnet =
      std::ranges::find_if(list, [](const json& m) { return m["name"] == "resnet50"; });
  EXPECT_EQ((*resnet)["parameters"], 25'559'081);
  EXPECT_EQ((*resnet)["gradient_bytes"], 4 * 25'559'081);
  EXPECT_EQ((*resnet)["macs"], 3'857'975'296);
  EXPECT_EQ((*resnet)["image_size"], 224);
  EXPECT_EQ((*resnet)["batch_size"], 64);
  EXPECT_EQ((*resnet)["dataset"], "imagenet");
}

TEST(ShowModel, ShowsEveryLayerAndTheTotals) {
  const std::string text = show_model(model::find("resnet50_v1.5"), {}, false);
  EXPECT_THAT(text, HasSubstr("resnet50_v1.5: imagenet images of 3x224x224, 1001 classes"));
  EXPECT_THAT(line_of(text, "conv1"),
              testing::ElementsAre("conv1", "conv", "7x7/2", "64x112x112", "9,408", "118,013,952",
                                   "3,211,264", "30.6"));
  EXPECT_THAT(line_of(text, "batch_norm1"),
              testing::ElementsAre("batch_norm1", "batch", "norm", "64x112x112", "128", "0",
                                   "3,211,264", "-"));
  EXPECT_THAT(text, HasSubstr("max pool 3x3/2"));
  EXPECT_THAT(text, HasSubstr("global mean"));
  const std::vector<std::string> total = line_of(text, "total");
  EXPECT_EQ(total[3], "25,559,081");
  EXPECT_EQ(total[4], "4,089,186,304");
}

TEST(ShowModel, WritesTheSameAsJson) {
  const json shown = json::parse(show_model(model::find("resnet50"), {}, true));
  EXPECT_EQ(shown["name"], "resnet50");
  EXPECT_EQ(shown["total"]["parameters"], 25'559'081);
  EXPECT_EQ(shown["total"]["macs"], 3'857'975'296);
  const json conv = layer_of(shown, "conv1");
  EXPECT_EQ(conv["kind"], "conv 7x7/2");
  EXPECT_EQ(conv["shape"], json({64, 112, 112}));
  EXPECT_EQ(conv["activation_bytes"], 4 * 64 * 112 * 112);
  const std::int64_t moved = 4 * (3 * 224 * 224 + 64 * 112 * 112 + 9408);
  EXPECT_EQ(conv["moved_bytes"], moved);
  EXPECT_DOUBLE_EQ(conv["macs_per_byte"], 118'013'952.0 / double(moved));
  std::int64_t activations = 0;
  for (const json& layer : shown["layers"])
    activations += layer["activation_bytes"].get<std::int64_t>();
  EXPECT_EQ(shown["total"]["activation_bytes"], activations);
}

TEST(ShowModel, CountsBothInputsOfASum) {
  const json shown = json::parse(show_model(model::find("resnet20"), {}, true));
  EXPECT_EQ(layer_of(shown, "add1")["moved_bytes"], 3 * 4 * 16 * 32 * 32);
}

TEST(ShowModel, FollowsTheBuildOptions) {
  const json shown =
      json::parse(show_model(model::find("resnet50"), {.image_size = 64, .num_classes = 10}, true));
  EXPECT_EQ(shown["image_size"], 64);
  EXPECT_EQ(shown["classes"], 10);
  EXPECT_EQ(layer_of(shown, "conv1")["shape"], json({64, 32, 32}));
  EXPECT_EQ(layer_of(shown, "dense1")["parameters"], 2049 * 10);
  EXPECT_THROW(show_model(model::find("vgg16"), {.image_size = 8}, false), Error);
}

TEST(ShowModel, SaysWhatEveryKindOfLayerDoes) {
  const auto text = [](std::string_view name) { return show_model(model::find(name), {}, false); };
  EXPECT_THAT(text("mobilenet"), HasSubstr("depthwise conv 3x3/2"));
  EXPECT_THAT(text("mobilenet"), HasSubstr("relu6"));
  EXPECT_THAT(text("inception3"), HasSubstr("conv 1x7 "));
  EXPECT_THAT(text("inception3"), HasSubstr("average pool 3x3 "));
  EXPECT_THAT(text("inception4"), HasSubstr("dropout, keeps 0.8"));
  EXPECT_THAT(text("resnet152_ab"), HasSubstr("leaky relu 0.1"));
  EXPECT_THAT(text("resnet20"), HasSubstr("shortcut /2"));
  EXPECT_THAT(text("alexnet_ab"), HasSubstr("lrn 2"));
  EXPECT_THAT(text("densenet40_k12"), HasSubstr("concat"));
}

}  // namespace
}  // namespace lockstep::cli
