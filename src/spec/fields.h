#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "spec/trial.h"

namespace lockstep::spec {

// visit_fields(object, visit) calls visit(name, field) for every field in order. The structured
// bindings name all of them, so that a new field that is not listed here does not compile.
template <typename Object, typename Plain>
concept PlainOrConst = std::same_as<std::remove_const_t<Object>, Plain>;

template <PlainOrConst<Optimizer> Object, typename Visit>
void visit_fields(Object& object, const Visit& visit) {
  auto& [kind, momentum, nesterov, rmsprop_decay, rmsprop_momentum, rmsprop_epsilon, adam_beta1,
         adam_beta2, adam_epsilon, weight_decay, gradient_clip] = object;
  visit("kind", kind);
  visit("momentum", momentum);
  visit("nesterov", nesterov);
  visit("rmsprop_decay", rmsprop_decay);
  visit("rmsprop_momentum", rmsprop_momentum);
  visit("rmsprop_epsilon", rmsprop_epsilon);
  visit("adam_beta1", adam_beta1);
  visit("adam_beta2", adam_beta2);
  visit("adam_epsilon", adam_epsilon);
  visit("weight_decay", weight_decay);
  visit("gradient_clip", gradient_clip);
}

template <PlainOrConst<LearningRate> Object, typename Visit>
void visit_fields(Object& object, const Visit& visit) {
  auto& [initial, piecewise, epochs_per_decay, decay_factor, warmup_epochs, minimum, resnet_base] =
      object;
  visit("initial", initial);
  visit("piecewise", piecewise);
  visit("epochs_per_decay", epochs_per_decay);
  visit("decay_factor", decay_factor);
  visit("warmup_epochs", warmup_epochs);
  visit("minimum", minimum);
  visit("resnet_base", resnet_base);
}

template <PlainOrConst<Trial> Object, typename Visit>
void visit_fields(Object& object, const Visit& visit) {
  auto& [model, dataset, image_size, num_classes, mode, batch_size, devices, threads_per_device,
         data_format, num_batches, num_epochs, num_warmup_batches, target_precision, max_time,
         display_every, display_perf_ewma, print_training_accuracy, loss_to_report, optimizer,
         learning_rate, label_smoothing, seed, variable_update, result_dir, strict] = object;
  visit("model", model);
  visit("dataset", dataset);
  visit("image_size", image_size);
  visit("num_classes", num_classes);
  visit("mode", mode);
  visit("batch_size", batch_size);
  visit("devices", devices);
  visit("threads_per_device", threads_per_device);
  visit("data_format", data_format);
  visit("num_batches", num_batches);
  visit("num_epochs", num_epochs);
  visit("num_warmup_batches", num_warmup_batches);
  visit("target_precision", target_precision);
  visit("max_time", max_time);
  visit("display_every", display_every);
  visit("display_perf_ewma", display_perf_ewma);
  visit("print_training_accuracy", print_training_accuracy);
  visit("loss_to_report", loss_to_report);
  visit("optimizer", optimizer);
  visit("learning_rate", learning_rate);
  visit("label_smoothing", label_smoothing);
  visit("seed", seed);
  visit("variable_update", variable_update);
  visit("result_dir", result_dir);
  visit("strict", strict);
}

// Fields that are themselves made of fields.
template <typename Field>
concept Nested = PlainOrConst<Field, Optimizer> || PlainOrConst<Field, LearningRate>;

template <typename Field>
inline constexpr bool kIsOptional = false;
template <typename Inner>
inline constexpr bool kIsOptional<std::optional<Inner>> = true;

}  // namespace lockstep::spec
