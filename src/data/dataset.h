#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::data {

// How many images one epoch of training on "imagenet", "cifar10" or "mnist" takes. Throws
// Error(usage) for any other name.
std::int64_t examples_per_epoch(std::string_view dataset);

// Batches that hold `epochs` epochs: at least one; the last one may reach into the next epoch.
// Throws Error(usage) when they are more than --num_batches may ask for.
std::int64_t batches(double epochs, std::int64_t examples_per_epoch, std::int64_t global_batch);

}  // namespace lockstep::data
