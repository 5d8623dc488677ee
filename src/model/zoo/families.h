#pragma once

#include <span>

#include "model/zoo.h"

namespace lockstep::model {

// The models of each family. A row reads: name, dataset, image, channels, batch, classes, build,
// learning rate.
using Family = std::span<const Model>;

Family alexnet_family();
Family densenet_family();
Family googlenet_family();
Family inception3_family();
Family inception4_family();
Family lenet_family();
Family mnist_family();
Family mobilenet_family();
Family overfeat_family();
Family resnet_family();
Family resnet_ab_family();
Family resnet_basic_family();
Family resnet_cifar_family();
Family trivial_family();
Family vgg_family();

}  // namespace lockstep::model
