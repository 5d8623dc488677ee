#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/graph.h"

namespace lockstep::model {

// The learning rate that a model brings along, used when the user names none. The rate is `base`,
// times global batch / `base_batch` where that is not 0, after a linear warm-up from 0; from each
// epoch in `decay_epochs` on, times the matching factor of `decay_factors` (relative to the base).
struct OwnLearningRate {
  float base = 0.005F;
  int base_batch = 0;
  float warmup_epochs = 0;
  std::vector<float> decay_epochs = {};
  std::vector<float> decay_factors = {};
  // When not 0: times `step_factor` after every `step_epochs` epochs.
  float step_epochs = 0;
  float step_factor = 1;
};

// What a model is built from.
struct BuildOptions {
  int image_size = 0;   // 0: the model's own
  int num_classes = 0;  // 0: the dataset's
};

// A row of the zoo. `build` appends layers to a graph whose input is already there.
struct Model {
  std::string_view name;     // as the user writes it: "resnet50_v1.5"
  std::string_view dataset;  // "imagenet", "cifar10" or "mnist": the images it is made for
  int image_size;            // pixels a side
  int channels;
  int batch_size;  // per device, when the user names none
  int classes;
  void (*build)(Node image, int classes);
  OwnLearningRate (*learning_rate)();
  double weight_decay = 4e-5;  // L2, when the user names none
};

// All models, by family. One file of zoo/ per family; zoo.cc lists them.
std::span<const Model> zoo();

// The model that the user means by `name` with images of `dataset` (empty: the model's own):
// "alexnet" with "cifar10" is alexnet_cifar; case and the seeds' spellings ("Inceptionv3",
// "resnet152_v2") do not matter. Throws Error(usage) with the closest name and all known ones.
const Model& find(std::string_view name, std::string_view dataset = {});

// Throws Error(usage) when the image is too small for the model.
Graph build(const Model& model, const BuildOptions& options = {});

// The smallest image size that `build` accepts, in pixels a side.
int smallest_image(const Model& model);

}  // namespace lockstep::model
