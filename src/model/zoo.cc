#include "model/zoo.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

// Keeps the number of pixels, and so every flattened layer, within an int.
constexpr int kLargestImage = 16384;

constexpr std::array<std::string_view, 3> kDatasets = {"imagenet", "cifar10", "mnist"};

// Other names of models, squashed. One with a dataset holds for that dataset only.
struct Alias {
  std::string_view spelling, dataset, name;
};
constexpr Alias kAliases[] = {
    {"alexnet", "cifar10", "alexnet_cifar"}, {"trivial", "cifar10", "trivial_cifar"},
    {"lenet", "mnist", "mnist_deep"},        {"deepmnist", "", "mnist_deep"},
    {"deep", "mnist", "mnist_deep"},         {"mlp", "", "mnist_mlp"},
    {"softmax", "", "mnist_softmax"},        {"inceptionv1", "", "googlenet"},
    {"inceptionv3", "", "inception3"},       {"inceptionv3aux", "", "inception3_aux"},
    {"inceptionv4", "", "inception4"},       {"mobilenetv2", "", "mobilenet"},
    {"resnet", "", "resnet152_ab"},
};

// What is left of a name when case and punctuation do not count.
std::string squash(std::string_view name) {
  std::string out = lower(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '-' || c == '.' || c == ' '; });
  return out;
}

std::vector<std::string> names_for(std::string_view dataset) {
  std::vector<std::string> names;
  for (const Model& model : zoo()) {
    if (dataset.empty() || model.dataset == dataset) names.emplace_back(model.name);
  }
  return names;
}

std::string_view known_dataset(std::string_view name) {
  if (name.empty()) return {};
  const auto found = std::ranges::find(kDatasets, squash(name));
  if (found != kDatasets.end()) return *found;
  throw unknown_name("dataset", name, std::vector<std::string>(kDatasets.begin(), kDatasets.end()));
}

const Model* lookup(std::string_view squashed) {
  const auto found =
      std::ranges::find(zoo(), squashed, [](const Model& m) { return squash(m.name); });
  return found == zoo().end() ? nullptr : &*found;
}

const Model* resolve(std::string_view squashed, std::string_view dataset) {
  for (const Alias& alias : kAliases) {
    if (alias.spelling == squashed && (alias.dataset.empty() || alias.dataset == dataset)) {
      return lookup(squash(alias.name));
    }
  }
  if (const Model* model = lookup(squashed)) return model;
  // A version 1 goes without its number in nearly all names.
  if (squashed.ends_with("v1")) return lookup(squashed.substr(0, squashed.size() - 2));
  return nullptr;
}

int or_default(int asked, int own, std::string_view flag, int largest) {
  if (asked == 0) return own;
  if (asked < 0 || asked > largest) {
    throw Error(ExitCode::usage,
                fmt::format("{} is {}: 1 to {} are possible", flag, asked, largest));
  }
  return asked;
}

}  // namespace

std::span<const Model> zoo() {
  static const std::vector<Model> models = [] {
    std::vector<Model> all;
    for (const Family family :
         {trivial_family(), lenet_family(), alexnet_family(), overfeat_family(), vgg_family(),
          googlenet_family(), inception3_family(), inception4_family(), resnet_basic_family(),
          resnet_family(), resnet_ab_family(), mobilenet_family(), resnet_cifar_family(),
          densenet_family(), mnist_family()}) {
      std::ranges::copy(family, std::back_inserter(all));
    }
    return all;
  }();
  return models;
}

const Model& find(std::string_view name, std::string_view dataset) {
  const std::string_view images = known_dataset(dataset);
  const Model* model = resolve(squash(name), images);
  if (model == nullptr) throw unknown_name("model", name, names_for(images));
  if (!images.empty() && model->dataset != images) {
    throw Error(
        ExitCode::usage,
        fmt::format("{} is made for {} images, not {}", model->name, model->dataset, images),
        fmt::format("models for {}: {}", images, join(names_for(images), ", ")));
  }
  return *model;
}

Graph build(const Model& model, const BuildOptions& options) {
  constexpr int kMostClasses = 1 << 20;
  const int side = or_default(options.image_size, model.image_size, "--image_size", kLargestImage);
  const int classes = or_default(options.num_classes, model.classes, "--num_classes", kMostClasses);
  Graph graph;
  graph.name = model.name;
  model.build(input(graph, {model.channels, side, side}), classes);
  return graph;
}

int smallest_image(const Model& model) {
  for (int side = 1;; ++side) {
    try {
      build(model, {.image_size = side});
      return side;
    } catch (const Error&) {
      // Too small: every model accepts its own size, so the search ends there at the latest.
      if (side >= model.image_size) throw;
    }
  }
}

}  // namespace lockstep::model
