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

template <PlainOrConst<Exchange> Object, typename Visit>
void visit_fields(Object& object, const Visit& visit) {
  auto& [variable_update, all_reduce_spec, cross_replica_sync, num_ps, replicas_to_aggregate,
         variable_consistency, staged_vars, gradient_repacking, agg_small_grads_max_bytes,
         agg_small_grads_max_group, fusion_threshold_mb, wire_precision, local_parameter_device] =
      object;
  visit("variable_update", variable_update);
  visit("all_reduce_spec", all_reduce_spec);
  visit("cross_replica_sync", cross_replica_sync);
  visit("num_ps", num_ps);
  visit("replicas_to_aggregate", replicas_to_aggregate);
  visit("variable_consistency", variable_consistency);
  visit("staged_vars", staged_vars);
  visit("gradient_repacking", gradient_repacking);
  visit("agg_small_grads_max_bytes", agg_small_grads_max_bytes);
  visit("agg_small_grads_max_group", agg_small_grads_max_group);
  visit("fusion_threshold_mb", fusion_threshold_mb);
  visit("wire_precision", wire_precision);
  visit("local_parameter_device", local_parameter_device);
}

template <PlainOrConst<Cluster> Object, typename Visit>
void visit_fields(Object& object, const Visit& visit) {
  auto& [transport, worker_hosts, ps_hosts, controller_host, job_name, task_index,
         network_interface, token_file, deadline, start_timeout] = object;
  visit("transport", transport);
  visit("worker_hosts", worker_hosts);
  visit("ps_hosts", ps_hosts);
  visit("controller_host", controller_host);
  visit("job_name", job_name);
  visit("task_index", task_index);
  visit("network_interface", network_interface);
  visit("token_file", token_file);
  visit("deadline", deadline);
  visit("start_timeout", start_timeout);
}

template <PlainOrConst<Data> Object, typename Visit>
void visit_fields(Object& object, const Visit& visit) {
  auto& [dir, resize_method, distortions, distort_color_in_yiq, subtract_channel_means,
         private_threads, use_prefetch, prefetch_buffer_size, batch_group_size, use_caching,
         repeat_cached_sample, skip_corrupt] = object;
  visit("dir", dir);
  visit("resize_method", resize_method);
  visit("distortions", distortions);
  visit("distort_color_in_yiq", distort_color_in_yiq);
  visit("subtract_channel_means", subtract_channel_means);
  visit("private_threads", private_threads);
  visit("use_prefetch", use_prefetch);
  visit("prefetch_buffer_size", prefetch_buffer_size);
  visit("batch_group_size", batch_group_size);
  visit("use_caching", use_caching);
  visit("repeat_cached_sample", repeat_cached_sample);
  visit("skip_corrupt", skip_corrupt);
}

template <PlainOrConst<Checkpoints> Object, typename Visit>
void visit_fields(Object& object, const Visit& visit) {
  auto& [dir, save_steps, save_secs, keep] = object;
  visit("dir", dir);
  visit("save_steps", save_steps);
  visit("save_secs", save_secs);
  visit("keep", keep);
}

template <PlainOrConst<Evaluation> Object, typename Visit>
void visit_fields(Object& object, const Visit& visit) {
  auto& [every_steps, every_epochs, at_steps, at_epochs, stop_at_top_1, interval_secs, batch_size] =
      object;
  visit("every_steps", every_steps);
  visit("every_epochs", every_epochs);
  visit("at_steps", at_steps);
  visit("at_epochs", at_epochs);
  visit("stop_at_top_1", stop_at_top_1);
  visit("interval_secs", interval_secs);
  visit("batch_size", batch_size);
}

template <PlainOrConst<Trial> Object, typename Visit>
void visit_fields(Object& object, const Visit& visit) {
  auto& [model, dataset, image_size, num_classes, mode, batch_size, devices, threads_per_device,
         oversubscribe, data_format, conv_algorithm, workspace_mb, num_batches, num_epochs,
         num_warmup_batches, target_precision, max_time, display_every, display_perf_ewma,
         print_training_accuracy, loss_to_report, optimizer, learning_rate, data, checkpoints,
         evaluation, label_smoothing, seed, exchange, cluster, result_dir, strict, price_per_hour] =
      object;
  visit("model", model);
  visit("dataset", dataset);
  visit("image_size", image_size);
  visit("num_classes", num_classes);
  visit("mode", mode);
  visit("batch_size", batch_size);
  visit("devices", devices);
  visit("threads_per_device", threads_per_device);
  visit("oversubscribe", oversubscribe);
  visit("data_format", data_format);
  visit("conv_algorithm", conv_algorithm);
  visit("workspace_mb", workspace_mb);
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
  visit("data", data);
  visit("checkpoints", checkpoints);
  visit("evaluation", evaluation);
  visit("label_smoothing", label_smoothing);
  visit("seed", seed);
  visit("exchange", exchange);
  visit("cluster", cluster);
  visit("result_dir", result_dir);
  visit("strict", strict);
  visit("price_per_hour", price_per_hour);
}

// Fields that are themselves made of fields.
template <typename Field>
concept Nested = PlainOrConst<Field, Optimizer> || PlainOrConst<Field, LearningRate> ||
    PlainOrConst<Field, Exchange> || PlainOrConst<Field, Cluster> || PlainOrConst<Field, Data> ||
    PlainOrConst<Field, Checkpoints> || PlainOrConst<Field, Evaluation>;

template <typename Field>
inline constexpr bool kIsOptional = false;
template <typename Inner>
inline constexpr bool kIsOptional<std::optional<Inner>> = true;

}  // namespace lockstep::spec
