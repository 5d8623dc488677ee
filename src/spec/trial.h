#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::spec {

enum class Mode { training, forward_only, evaluation };
// nchw is served like `automatic`; plain_nchw is plain in memory, too, for study.
enum class DataFormat { automatic, nchw, nhwc, plain_nchw };
enum class ConvAlgorithm { automatic, direct, winograd };
enum class OptimizerKind { sgd, momentum, rmsprop, adam };
enum class LossToReport { total, base };
enum class VariableConsistency { strong, relaxed };  // relaxed: gradients act one step late
enum class WirePrecision { fp32, fp16, bf16 };       // of floats between hosts; sums have 32 bits
enum class LocalParameterDevice { cpu, gpu };
enum class Transport { automatic, threads, tcp, mpi };
enum class JobName { none, worker, ps, controller };
// Of images; round_robin: a different one for each image of a batch.
enum class ResizeMethod { nearest, bilinear, bicubic, area, round_robin };

// How parameters follow gradients; tf_cnn_benchmarks' names and defaults.
struct Optimizer {
  OptimizerKind kind = OptimizerKind::sgd;
  double momentum = 0.9;
  bool nesterov = true;  // tf_cnn_benchmarks' momentum is always Nesterov's
  double rmsprop_decay = 0.9;
  double rmsprop_momentum = 0.9;
  double rmsprop_epsilon = 1.0;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.999;
  double adam_epsilon = 1e-8;
  std::optional<double> weight_decay;  // L2, on everything but batch norm; nothing: the model's own
  std::optional<double> gradient_clip;  // by value

  bool operator==(const Optimizer&) const = default;
};

// Which learning rate applies when: the piecewise schedule wins over the initial rate, that over
// the model's own. Epochs count global batches.
struct LearningRate {
  std::optional<double> initial;
  std::string piecewise;  // "LR0;E1;LR1;..."
  double epochs_per_decay = 0;
  double decay_factor = 0;
  double warmup_epochs = 0;
  double minimum = 0;
  std::optional<double> resnet_base;  // replaces the base rate of the ResNets' own schedule

  bool operator==(const LearningRate&) const = default;
};

// What happens between gradients and new weights; tf_cnn_benchmarks' names and defaults, and its
// strategies beside our own barrier_only, which waits like the others but exchanges nothing.
struct Exchange {
  std::string variable_update = "parameter_server";
  std::string all_reduce_spec = {};  // "xring#2"; empty: by size, world and locality
  bool cross_replica_sync = true;    // false: workers do not wait for each other
  int num_ps = 0;                    // dedicated servers; 0: colocated, one per rank
  int replicas_to_aggregate = 0;     // gradients that make a step; 0: those of all workers
  VariableConsistency variable_consistency = VariableConsistency::strong;
  bool staged_vars = false;                        // forward reads the weights of the step before
  int gradient_repacking = 0;                      // equal packs; 0: no repacking
  std::int64_t agg_small_grads_max_bytes = 0;      // gradients up to here are joined; 0: none
  int agg_small_grads_max_group = 10;              // so many of them at most
  std::optional<double> fusion_threshold_mb = {};  // of 2^20 bytes; 0: off; nothing: automatic
  WirePrecision wire_precision = WirePrecision::fp32;
  LocalParameterDevice local_parameter_device = LocalParameterDevice::cpu;

  bool operator==(const Exchange&) const = default;
};

// Which processes there are, and which of them this one is. Lists are "host:port,host:port".
struct Cluster {
  Transport transport = Transport::automatic;
  std::string worker_hosts = {};
  std::string ps_hosts = {};
  std::string controller_host = {};
  JobName job_name = JobName::none;
  int task_index = 0;                  // among the processes of its job
  std::string network_interface = {};  // empty: the one that the route to the peers takes
  std::string token_file = {};         // empty: the token is LOCKSTEP_TOKEN, or there is none
  double deadline = 60;                // seconds of silence after which a rank is lost
  double start_timeout = 300;          // seconds until all processes have met

  bool operator==(const Cluster&) const = default;
};

// Where images come from, and what is done to them; tf_cnn_benchmarks' names and defaults.
struct Data {
  std::string dir = {};  // empty: made-up images
  ResizeMethod resize_method = ResizeMethod::bilinear;
  bool distortions = false;
  bool distort_color_in_yiq = true;
  bool subtract_channel_means = false;  // in place of scaling to [-1, 1]
  int private_threads = 0;              // of each device; 0: as cores allow
  bool use_prefetch = true;
  int prefetch_buffer_size = 2;       // batches that are ready ahead
  int batch_group_size = 1;           // at least so many
  bool use_caching = false;           // keep the records' bytes in memory
  bool repeat_cached_sample = false;  // one record for ever: preprocessing without reading
  bool skip_corrupt = false;          // go on without damaged records

  bool operator==(const Data&) const = default;
};

// What is kept of a training run, and when.
struct Checkpoints {
  std::string dir = {};  // empty: nothing
  int save_steps = 0;    // between two; 0: at the end
  int save_secs = 0;     // the same in seconds
  int keep = 5;          // 0: all

  bool operator==(const Checkpoints&) const = default;
};

// When a training run looks how good it is. Steps count from the begin of training, as those of
// checkpoints do; epochs likewise.
struct Evaluation {
  int every_steps = 0;
  double every_epochs = 0;
  std::string at_steps = {};   // "100,200"
  std::string at_epochs = {};  // "0.5,2"
  std::optional<double> stop_at_top_1 = {};
  int interval_secs = 0;  // with --eval: between two looks for a new checkpoint; 0: there is one
  int batch_size = 0;     // per device; 0: that of training

  bool during_training() const {
    return every_steps > 0 || every_epochs > 0 || !at_steps.empty() || !at_epochs.empty();
  }
  bool operator==(const Evaluation&) const = default;
};

// One point of a spec: everything that a rank must know to train, one value per option.
struct Trial {
  std::string model = "trivial";  // canonical name in the zoo
  std::string dataset;            // "imagenet", "cifar10", "mnist"; empty: the model's own
  int image_size = 0;             // 0: the model's own
  int num_classes = 0;            // 0: the dataset's
  Mode mode = Mode::training;

  int batch_size = 0;          // per device; 0: the model's own
  int devices = 1;             // per host; in a cluster, of each worker
  int threads_per_device = 0;  // 0: all allowed cores divided by the devices
  bool oversubscribe = false;  // more devices than cores, of one thread each
  DataFormat data_format = DataFormat::automatic;
  ConvAlgorithm conv_algorithm = ConvAlgorithm::automatic;
  int workspace_mb = 256;  // of 2^20 bytes: scratch that a convolution of our own may take

  int num_batches = 100;  // timed steps; derived from num_epochs where that is given
  std::optional<double> num_epochs;
  std::optional<int> num_warmup_batches;   // nothing: detected
  std::optional<double> target_precision;  // relative half-width of the 95 % interval
  std::optional<double> max_time;          // seconds of the timed part
  int display_every = 10;
  std::optional<double> display_perf_ewma;
  bool print_training_accuracy = false;
  LossToReport loss_to_report = LossToReport::total;

  Optimizer optimizer;
  LearningRate learning_rate;
  Data data;
  Checkpoints checkpoints;
  Evaluation evaluation;
  double label_smoothing = -1;  // below 0: the model's own
  std::uint64_t seed = 1234;

  Exchange exchange;
  Cluster cluster;

  std::string result_dir;                // empty: no files
  bool strict = false;                   // a run that is not stable has failed
  std::optional<double> price_per_hour;  // of a host, in any currency

  bool operator==(const Trial&) const = default;
};

// A trial as a JSON object, one key per field, and back. A key that is missing keeps its default; a
// key or a value that no trial has is an Error(usage) that names it.
std::string to_json(const Trial& trial);
Trial trial_from_json(std::string_view text);

}  // namespace lockstep::spec
