#include <cmath>

#include "base/error.h"
#include "spec/cluster.h"
#include "spec/fields.h"
#include "spec/flags.h"
#include "spec/names.h"
#include "spec/numbers.h"
#include "spec/piecewise.h"
#include "spec/strategies.h"
#include "spec/types.h"

namespace lockstep::spec {
namespace {

// --- Types --------------------------------------------------------------------------------------

constexpr double kMaxExact = 0x1p53;  // integers up to here are exact as doubles, too

Type below_one(std::string_view value) {
  Type type = real(value, 0, 1);
  type.high_excluded = true;
  return type;
}
Type choice(std::string_view value, std::vector<std::string_view> choices) {
  return {.kind = Kind::choice, .default_text = value, .choices = std::move(choices)};
}
template <typename Enum>
Type choice_of(Enum value) {
  return choice(name(value), {kNames<Enum>.begin(), kNames<Enum>.end()});
}

// --- Effects ------------------------------------------------------------------------------------

template <typename Field>
void assign(Field& field, const Value& value) {
  if constexpr (kIsOptional<Field>) {
    assign(field.emplace(), value);
  } else if constexpr (std::is_enum_v<Field>) {
    field = named<Field>(std::get<std::string>(value)).value();
  } else if constexpr (std::is_integral_v<Field> && !std::is_same_v<Field, bool>) {
    field = static_cast<Field>(std::get<std::int64_t>(value));
  } else {
    field = std::get<Field>(value);
  }
}

// set<&Trial::optimizer, &Optimizer::momentum>: the flag's value is that field's.
template <auto... path>
void set(Parsed& parsed, const Value& value) {
  assign((parsed.trial.*....*path), value);
}

[[noreturn]] void not_in_this_version(std::string_view what, std::string_view why,
                                      std::string hint) {
  throw Error(ExitCode::usage, fmt::format("{} is not supported in this version: {}", what, why),
              std::move(hint));
}

void evaluate(Parsed& parsed, const Value& value) {
  if (!std::get<bool>(value)) return;
  parsed.trial.mode = Mode::evaluation;
}

void forward_only(Parsed& parsed, const Value& value) {
  if (std::get<bool>(value)) parsed.trial.mode = Mode::forward_only;
}

void eval_batch_size(Parsed& parsed, const Value& value) {
  if (parsed.trial.mode == Mode::evaluation) {
    set<&Trial::batch_size>(parsed, value);
  } else {
    set<&Trial::evaluation, &Evaluation::batch_size>(parsed, value);
  }
}

void num_eval_batches(Parsed& parsed, const Value& value) {
  if (parsed.trial.mode != Mode::evaluation) return;
  set<&Trial::num_batches>(parsed, value);
  parsed.trial.num_epochs.reset();
}

void num_eval_epochs(Parsed& parsed, const Value& value) {
  if (parsed.trial.mode == Mode::evaluation) set<&Trial::num_epochs>(parsed, value);
}

void device(Parsed&, const Value& value) {
  if (std::get<std::string>(value) == "cpu") return;
  not_in_this_version("--device=gpu", "there is no engine for GPUs", "use --device=cpu");
}

void data_format(Parsed& parsed, const Value& value) {
  set<&Trial::data_format>(parsed, value);
  if (parsed.trial.data_format != DataFormat::nchw) return;
  parsed.notes.emplace_back(
      "--data_format=NCHW is served by the blocked layout of NCHW, which is faster on a CPU; "
      "plain_nchw forces the plain one");
}

// Stands before --conv_algorithm in the table, which says more.
void winograd_nonfused(Parsed& parsed, const Value& value) {
  if (!std::get<bool>(value)) parsed.trial.conv_algorithm = ConvAlgorithm::direct;
}

void local_parameter_device(Parsed& parsed, const Value& value) {
  set<&Trial::exchange, &Exchange::local_parameter_device>(parsed, value);
  if (parsed.trial.exchange.local_parameter_device != LocalParameterDevice::gpu) return;
  parsed.notes.emplace_back(
      "--local_parameter_device=gpu is served by the CPUs: this version has no other devices");
}

void piecewise(Parsed& parsed, const Value& value) {
  const std::string& schedule = std::get<std::string>(value);
  parse_piecewise(schedule);  // a mistake is found now, not at the first step
  parsed.trial.learning_rate.piecewise = schedule;
}

// A mistake is found now, not at the first step.
void at_steps(Parsed& parsed, const Value& value) {
  set<&Trial::evaluation, &Evaluation::at_steps>(parsed, value);
  for (const double step : parse_numbers(parsed.trial.evaluation.at_steps)) {
    if (step == std::floor(step)) continue;
    throw Error(ExitCode::usage,
                fmt::format("--eval_during_training_at_specified_steps: {} is no step", step));
  }
}
void at_epochs(Parsed& parsed, const Value& value) {
  set<&Trial::evaluation, &Evaluation::at_epochs>(parsed, value);
  parse_numbers(parsed.trial.evaluation.at_epochs);
}

void print_config(Parsed& parsed, const Value& value) {
  parsed.print_config = std::get<bool>(value);
}

// --- The table ----------------------------------------------------------------------------------

class Rows {
 public:
  void group(std::string_view title) { group_ = title; }

  Rows& works(std::string_view name, Type type, std::string_view help,
              void (*apply)(Parsed&, const Value&)) {
    add(name, std::move(type), help, Status::works).apply = apply;
    return *this;
  }
  void ignored(std::string_view name, Type type, std::string_view help, std::string_view reason) {
    add(name, std::move(type), help, Status::ignored).reason = reason;
  }
  void refused(std::string_view name, Type type, std::string_view help, std::string_view reason,
               std::string_view instead = "") {
    Flag& flag = add(name, std::move(type), help, Status::refused);
    flag.reason = reason;
    flag.instead = instead;
  }

  // Of the row just added.
  Rows& alias(std::string_view name) {
    rows_.back().alias = name;
    return *this;
  }
  void own() { rows_.back().own = true; }

  std::vector<Flag> take() { return std::move(rows_); }

 private:
  Flag& add(std::string_view name, Type type, std::string_view help, Status status) {
    rows_.push_back(
        {.name = name, .group = group_, .type = std::move(type), .help = help, .status = status});
    return rows_.back();
  }

  std::string_view group_;
  std::vector<Flag> rows_;
};

constexpr auto kGpu = "it acts on GPUs only";
constexpr auto kGraph = "it steers TensorFlow's graph, which lockstep does not have";
constexpr auto kMkl = "it steers Intel's OpenMP runtime; lockstep pins its threads itself";
constexpr auto kOwnInput = "it steers tf.data; every device has an input of its own";
constexpr auto kHalf = "it acts with --use_fp16 only";
constexpr auto kBackbones = "no model of the zoo has a backbone";
constexpr auto kSummaries = "there are no summaries";
constexpr auto kResultDir = "--result_dir writes run.json with all figures";

void add_what_to_run(Rows& rows) {
  rows.group("What to run");
  rows.works("model", text("trivial"), "the network: see lockstep list models", set<&Trial::model>)
      .alias("m");
  rows.works("data_name", choice("", {"imagenet", "cifar10", "mnist"}),
             "the dataset by name; not set: what --data_dir has, or the model's own",
             set<&Trial::dataset>);
  rows.works("image_size", integer("0"), "pixels a side; 0: the model's own",
             set<&Trial::image_size>)
      .own();
  rows.works("num_classes", integer("0"), "number of classes; 0 = the dataset's",
             set<&Trial::num_classes>)
      .own();
  rows.works("batch_size", integer("0"), "images per device and step; 0: the model's own",
             set<&Trial::batch_size>)
      .alias("b");
  rows.works("forward_only", boolean(), "run the forward pass only", forward_only);
  rows.works("eval", boolean(), "evaluate instead of training", evaluate);
  rows.works("eval_batch_size", integer("0"),
             "replaces --batch_size with --eval and when evaluating during training",
             eval_batch_size);
  rows.works("tf_random_seed", integer("1234", 0, kMaxExact),
             "of the initial weights, the images and dropout", set<&Trial::seed>)
      .alias("seed");
}

void add_measurement(Rows& rows) {
  rows.group("How long to measure");
  rows.works("num_batches", integer("100", 1), "timed steps, behind the warm-up",
             set<&Trial::num_batches>);
  rows.works("num_epochs", above_zero(""), "the same in passes over the dataset",
             set<&Trial::num_epochs>);
  rows.works("num_eval_batches", integer("", 1), "with --eval: replaces --num_batches",
             num_eval_batches);
  rows.works("num_eval_epochs", above_zero(""), "with --eval: replaces --num_epochs",
             num_eval_epochs);
  rows.works("num_warmup_batches", integer(""),
             "steps before timing starts; not set: until the speed is steady",
             set<&Trial::num_warmup_batches>);
  rows.works("target_precision", above_zero("", 1),
             "stop once the 95 % interval is within this share of the mean",
             set<&Trial::target_precision>)
      .own();
  rows.works("max_time", above_zero(""), "stop after so many seconds of timed steps",
             set<&Trial::max_time>)
      .own();
  rows.works("strict", boolean(), "exit with code 6 when the measurement is not stable",
             set<&Trial::strict>)
      .own();
}

void add_output(Rows& rows) {
  rows.group("What to print and write");
  rows.works("display_every", integer("10", 1), "print a line every N steps",
             set<&Trial::display_every>);
  rows.works("display_perf_ewma", real("", 0, 1),
             "print a moving average of the speed with this weight of the newest step",
             set<&Trial::display_perf_ewma>);
  rows.works("print_training_accuracy", boolean(), "print top-1 and top-5 accuracy",
             set<&Trial::print_training_accuracy>);
  rows.works("loss_type_to_report", choice_of(LossToReport::total),
             "the loss to print: with the weight-decay term or without",
             set<&Trial::loss_to_report>);
  rows.works("result_dir", text(), "write run.json and the raw samples to this directory",
             set<&Trial::result_dir>)
      .own();
  rows.works("price_per_hour", above_zero(""),
             "price per host-hour, any currency; adds cost per million images",
             set<&Trial::price_per_hour>)
      .own();
  rows.works("print_config", boolean(), "print the resolved configuration as JSON and exit",
             print_config)
      .own();
}

void add_device(Rows& rows) {
  rows.group("Device");
  rows.works("device", choice("cpu", {"cpu", "gpu"}),
             "where to compute; gpu is refused in this version", device);
  rows.works("num_gpus", integer("1", 1, kMaxRanks), "devices per host, of any kind",
             set<&Trial::devices>)
      .alias("devices");
  rows.works("num_intra_threads", integer("0"),
             "threads of a device; 0: all allowed cores divided by the devices",
             set<&Trial::threads_per_device>);
  rows.works("data_format", choice_of(DataFormat::automatic),
             "layout of images in memory; NCHW is treated as auto (blocked layout)", data_format);
  rows.works(
      "winograd_nonfused", boolean("true"),
      "let convolutions be computed by Winograd's algorithm; false: as --conv_algorithm=direct",
      winograd_nonfused);
  rows.works("conv_algorithm", choice_of(ConvAlgorithm::automatic),
             "how to convolve: winograd needs fewer multiplications where filters are 3x3, 5x5 or "
             "lines of 3 or 7 and the stride is 1, and rounds more; auto: the faster one for each "
             "shape",
             set<&Trial::conv_algorithm>)
      .own();
  rows.works("workspace_mb", integer("256"),
             "Winograd workspace limit in MiB; larger convolutions use the direct algorithm",
             set<&Trial::workspace_mb>)
      .own();
  rows.works("oversubscribe", boolean(),
             "allow more devices than cores, of one thread each; the result says so",
             set<&Trial::oversubscribe>)
      .own();
}

void add_optimizer(Rows& rows) {
  rows.group("Optimizer");
  rows.works("optimizer", choice_of(OptimizerKind::sgd), "how weights follow gradients",
             set<&Trial::optimizer, &Optimizer::kind>);
  rows.works("momentum", below_one("0.9"), "of momentum: share of the last update that is kept",
             set<&Trial::optimizer, &Optimizer::momentum>);
  rows.works("nesterov", boolean("true"), "of momentum: Nesterov's form",
             set<&Trial::optimizer, &Optimizer::nesterov>)
      .own();
  rows.works("rmsprop_decay", below_one("0.9"), "of rmsprop: decay of the mean square",
             set<&Trial::optimizer, &Optimizer::rmsprop_decay>);
  rows.works("rmsprop_momentum", below_one("0.9"),
             "of rmsprop: share of the last update that is kept",
             set<&Trial::optimizer, &Optimizer::rmsprop_momentum>);
  rows.works("rmsprop_epsilon", above_zero("1.0"), "of rmsprop: added under the root",
             set<&Trial::optimizer, &Optimizer::rmsprop_epsilon>);
  rows.works("adam_beta1", below_one("0.9"), "of adam: decay of the mean",
             set<&Trial::optimizer, &Optimizer::adam_beta1>);
  rows.works("adam_beta2", below_one("0.999"), "of adam: decay of the mean square",
             set<&Trial::optimizer, &Optimizer::adam_beta2>);
  rows.works("adam_epsilon", above_zero("1e-8"), "of adam: added to the root",
             set<&Trial::optimizer, &Optimizer::adam_epsilon>);
  rows.works("weight_decay", real(""),
             "L2 of all weights but batch norm's; not set: the model's own, 4e-5 for most",
             set<&Trial::optimizer, &Optimizer::weight_decay>);
  rows.works("gradient_clip", above_zero(""), "clip every gradient to +- this value",
             set<&Trial::optimizer, &Optimizer::gradient_clip>);
  rows.works("label_smoothing", below_one(""),
             "share of the label spread over all classes; not set: the model's own",
             set<&Trial::label_smoothing>)
      .own();
}

void add_learning_rate(Rows& rows) {
  rows.group("Learning rate");
  rows.works("init_learning_rate", above_zero(""), "replaces the model's own schedule by this rate",
             set<&Trial::learning_rate, &LearningRate::initial>);
  rows.works("num_epochs_per_decay", real("0"), "epochs between two decays",
             set<&Trial::learning_rate, &LearningRate::epochs_per_decay>);
  rows.works("learning_rate_decay_factor", real("0"), "factor of each decay",
             set<&Trial::learning_rate, &LearningRate::decay_factor>);
  rows.works("minimum_learning_rate", real("0"), "where the decay ends",
             set<&Trial::learning_rate, &LearningRate::minimum>);
  rows.works("piecewise_learning_rate_schedule", text(),
             "LR0;E1;LR1;...: rate LR0 up to epoch E1, then LR1, ...", piecewise);
  rows.works("num_learning_rate_warmup_epochs", real("0"),
             "rise linearly from 0 over so many epochs",
             set<&Trial::learning_rate, &LearningRate::warmup_epochs>);
  rows.works("resnet_base_lr", above_zero(""),
             "rate at a batch of 256 in the ResNets' own schedule",
             set<&Trial::learning_rate, &LearningRate::resnet_base>);
}

template <auto field>
constexpr auto kSetEvaluation = set<&Trial::evaluation, field>;
template <auto field>
constexpr auto kSetCheckpoints = set<&Trial::checkpoints, field>;

void add_evaluation(Rows& rows) {
  rows.group("Evaluation of a training run");
  rows.works("eval_interval_secs", integer("0"),
             "with --eval: poll for new checkpoints every N seconds; 0 = evaluate once and exit",
             kSetEvaluation<&Evaluation::interval_secs>);
  rows.works("eval_during_training_every_n_steps", integer("", 1), "evaluate every n steps",
             kSetEvaluation<&Evaluation::every_steps>);
  rows.works("eval_during_training_every_n_epochs", above_zero(""), "evaluate every n epochs",
             kSetEvaluation<&Evaluation::every_epochs>);
  rows.works("eval_during_training_at_specified_steps", list(), "evaluate at these steps",
             at_steps);
  rows.works("eval_during_training_at_specified_epochs", list(), "evaluate at these epochs",
             at_epochs);
  rows.works("stop_at_top_1_accuracy", above_zero("", 1),
             "stop training once an evaluation finds this accuracy",
             kSetEvaluation<&Evaluation::stop_at_top_1>);
  rows.ignored("collect_eval_results_async", boolean(), "evaluate SSD in a second process",
               "it acts on SSD only, which is not in the zoo");
  rows.refused("eval_dir", text("/tmp/tf_cnn_benchmarks/eval"), "directory of evaluation events",
               kSummaries, kResultDir);
  rows.ignored("freeze_when_forward_only", boolean(), "turn variables into constants", kGraph);
}

template <auto field>
constexpr auto kSetData = set<&Trial::data, field>;

void add_real_data(Rows& rows) {
  rows.group("Real data");
  rows.works("data_dir", text(),
             "directory of the dataset: MNIST, CIFAR-10, TFRecords or folders of images; not set: "
             "synthetic images",
             kSetData<&Data::dir>);
  rows.works("resize_method", choice_of(ResizeMethod::bilinear),
             "how to resize images; round_robin: another way for each of a batch",
             kSetData<&Data::resize_method>);
  rows.works("distortions", boolean(), "distort boxes and colours, or, of CIFAR-10, pad and crop",
             kSetData<&Data::distortions>);
  rows.works("distort_color_in_yiq", boolean("true"), "with --distortions: distort colours in YIQ",
             kSetData<&Data::distort_color_in_yiq>);
  rows.works("ml_perf", boolean(),
             "subtract the channels' means, as MLPerf prescribes, in place of scaling to [-1, 1]",
             kSetData<&Data::subtract_channel_means>);
  rows.works("datasets_num_private_threads", integer("0"),
             "threads of each device's input; 0: one for each core without a device, or where "
             "there is none for each of the device's",
             kSetData<&Data::private_threads>);
  rows.works("datasets_use_prefetch", boolean("true"),
             "make batches ahead; false: none but the next one", kSetData<&Data::use_prefetch>);
  rows.works("datasets_prefetch_buffer_size", integer("2", 1), "batches that are ready ahead",
             kSetData<&Data::prefetch_buffer_size>);
  rows.works("batch_group_size", integer("1", 1), "batches that are ready ahead, at least",
             kSetData<&Data::batch_group_size>);
  rows.works("datasets_use_caching", boolean(), "keep the compressed images in memory",
             kSetData<&Data::use_caching>);
  rows.works("datasets_repeat_cached_sample", boolean(),
             "repeat one cached record, to measure preprocessing without I/O",
             kSetData<&Data::repeat_cached_sample>);
  rows.works("skip_corrupt", boolean(),
             "go on without damaged records, which are counted; else they are an error",
             kSetData<&Data::skip_corrupt>)
      .own();
  rows.ignored("fuse_decode_and_crop", boolean("true"), "decode only what is cropped",
               "only what is cropped is ever decoded");
  rows.refused("input_preprocessor", text("default"), "the preprocessing by name",
               "there is one preprocessing, tf_cnn_benchmarks' own", "leave it out");
  rows.ignored("use_datasets", boolean("true"), "read through tf.data", kOwnInput);
  rows.ignored("datasets_parallel_interleave_cycle_length", integer(""), "files read at once",
               kOwnInput);
  rows.ignored("datasets_sloppy_parallel_interleave", boolean(), "read in any order",
               "the order follows from --tf_random_seed alone, and costs nothing");
  rows.ignored("datasets_parallel_interleave_prefetch", integer(""), "records to read ahead",
               kOwnInput);
  rows.ignored("multi_device_iterator_max_buffer_size", integer("1"), "batches per device to hold",
               "--datasets_prefetch_buffer_size is that of each device");
}

template <auto field>
constexpr auto kSetExchange = set<&Trial::exchange, field>;
template <auto field>
constexpr auto kSetCluster = set<&Trial::cluster, field>;

void add_exchange(Rows& rows) {
  rows.group("Exchange between devices");
  rows.works(
      "variable_update", choice("parameter_server", strategy_names()),
      "gradient-exchange strategy; each works on one host or several; barrier_only waits but "
      "exchanges nothing",
      kSetExchange<&Exchange::variable_update>);
  rows.works("all_reduce_spec", text(),
             "algorithm of the all-reduce, by size: pscpu:2k:xring#2; not set: the fastest",
             kSetExchange<&Exchange::all_reduce_spec>);
  rows.works("num_ps", integer("0", 0, kMaxRanks),
             "parameter servers that do nothing else; 0: every rank serves a share",
             kSetExchange<&Exchange::num_ps>)
      .own();
  rows.works("cross_replica_sync", boolean("true"),
             "parameter_server only: false = asynchronous updates",
             kSetExchange<&Exchange::cross_replica_sync>);
  rows.works("replicas_to_aggregate", integer("0"),
             "parameter_server only: gradients to aggregate per update, later ones are dropped "
             "(backup workers); 0 = all",
             kSetExchange<&Exchange::replicas_to_aggregate>)
      .own();
  rows.works("staged_vars", boolean(),
             "of parameter_server: compute with the weights of the step before",
             kSetExchange<&Exchange::staged_vars>);
  rows.works("variable_consistency", choice_of(VariableConsistency::strong),
             "of all-reduces: relaxed lets gradients act one step late",
             kSetExchange<&Exchange::variable_consistency>);
  rows.works("fusion_threshold_mb", real(""),
             "size of a bucket of gradients in MiB; 0 = no fusion; default: automatic",
             kSetExchange<&Exchange::fusion_threshold_mb>)
      .own();
  rows.works(
      "gradient_repacking", integer("0"),
      "of all-reduces: exchange gradients in so many packs, as equal as whole gradients make "
      "them; 0: off",
      kSetExchange<&Exchange::gradient_repacking>);
  rows.works("agg_small_grads_max_bytes", integer("0", 0, kMaxExact),
             "of all-reduces: join neighbouring gradients of at most this size; 0: off",
             kSetExchange<&Exchange::agg_small_grads_max_bytes>);
  rows.works("agg_small_grads_max_group", integer("10", 1),
             "with --agg_small_grads_max_bytes: join at most so many",
             kSetExchange<&Exchange::agg_small_grads_max_group>);
  rows.works("wire_precision", choice_of(WirePrecision::fp32),
             "of what is sent between hosts; sums are kept in 32 bits",
             kSetExchange<&Exchange::wire_precision>)
      .own();
  rows.ignored("compact_gradient_transfer", boolean("true"), "send 16-bit gradients",
               "it acts with --use_fp16 only; --wire_precision=fp16 sends 16-bit gradients");
  rows.works("local_parameter_device", choice_of(LocalParameterDevice::cpu),
             "where the weights live; gpu is served by the CPUs", local_parameter_device);
  rows.ignored("horovod_device", choice("", {"", "cpu", "gpu"}), "where Horovod reduces",
               "gradients are always reduced on the CPUs");
  rows.ignored("allreduce_merge_scope", integer("1"), "gradients per name scope", kGraph);
  rows.ignored("hierarchical_copy", boolean(), "reduce along the links between GPUs", kGpu);
  rows.ignored("network_topology", choice("dgx1", {"dgx1", "gcp_v100"}),
               "links between the GPUs of a machine", kGpu);
}

void add_cluster(Rows& rows) {
  rows.group("Cluster");
  rows.works("transport", choice_of(Transport::automatic),
             "how ranks are joined: threads of one process, or processes over tcp or mpi",
             kSetCluster<&Cluster::transport>)
      .own();
  rows.works("worker_hosts", list(), "hosts of the workers, host[:port] each; ports from 2230 on",
             kSetCluster<&Cluster::worker_hosts>);
  rows.works("ps_hosts", list(), "hosts of the parameter servers; ports from 2222 on",
             kSetCluster<&Cluster::ps_hosts>);
  rows.works("controller_host", text(),
             "distributed_all_reduce only: where the controller, which prints what rank 0 prints, "
             "listens; port 2221",
             kSetCluster<&Cluster::controller_host>);
  rows.works("job_name", choice_of(JobName::none), "what this process is; not set: no cluster",
             kSetCluster<&Cluster::job_name>);
  rows.works("task_index", integer("0"), "index of this process within its job",
             kSetCluster<&Cluster::task_index>);
  rows.works("network_interface", text(),
             "network interface for traffic between hosts; default: chosen by routing",
             kSetCluster<&Cluster::network_interface>)
      .own();
  rows.works("token_file", text(),
             "file with the token that all processes share; not set: LOCKSTEP_TOKEN, or no token",
             kSetCluster<&Cluster::token_file>)
      .own();
  rows.works("start_timeout", above_zero("300"), "seconds until all processes have met",
             kSetCluster<&Cluster::start_timeout>)
      .own();
  rows.works("deadline", above_zero("60"), "seconds of silence after which a rank is lost",
             kSetCluster<&Cluster::deadline>)
      .own();
  rows.ignored("server_protocol", text("grpc"), "protocol between processes",
               "processes speak a protocol of lockstep's own: see --transport");
}

void add_precision(Rows& rows) {
  rows.group("Precision");
  rows.refused("use_fp16", boolean(), "compute with 16-bit floats",
               "the engine computes with 32-bit floats",
               "leave --use_fp16 out; --wire_precision=fp16 sends 16-bit gradients");
  rows.ignored("fp16_loss_scale", real(""), "factor of the loss", kHalf);
  rows.ignored("fp16_vars", boolean(), "keep 16-bit weights", kHalf);
  rows.ignored("fp16_enable_auto_loss_scale", boolean(), "adapt the factor of the loss", kHalf);
  rows.ignored("fp16_inc_loss_scale_every_n", integer("1000"), "steps between two rises of it",
               kHalf);
  rows.refused("trt_mode", choice("", {"", "FP32", "FP16", "INT8"}), "run through TensorRT",
               "TensorRT runs on GPUs", "leave --trt_mode out");
  rows.ignored("trt_max_workspace_size_bytes", integer("4294967296", 0, kMaxExact),
               "memory for TensorRT", kGpu);
}

void add_files(Rows& rows) {
  rows.group("Checkpoints, traces and logs");
  rows.works("train_dir", text(),
             "directory of checkpoints: training goes on from the latest and leaves one at its "
             "end, --eval evaluates it",
             kSetCheckpoints<&Checkpoints::dir>);
  rows.works("save_model_steps", integer("", 1), "steps between two checkpoints",
             kSetCheckpoints<&Checkpoints::save_steps>);
  rows.works("save_model_secs", integer("0"), "seconds between two checkpoints; 0: no clock",
             kSetCheckpoints<&Checkpoints::save_secs>);
  rows.works("max_ckpts_to_keep", integer("5"), "checkpoints to keep; 0: all",
             kSetCheckpoints<&Checkpoints::keep>);
  rows.refused("backbone_model_path", text(), "checkpoint of a trained backbone", kBackbones);
  rows.refused("summary_verbosity", integer("0", 0, 3), "how much to summarise", kSummaries,
               kResultDir);
  rows.refused("save_summaries_steps", integer("0"), "steps between two summaries", kSummaries,
               kResultDir);
  rows.refused("trace_file", text(), "file of a trace of one step", "there are no traces",
               "--result_dir writes the time of every phase of every step");
  rows.ignored("use_chrome_trace_format", boolean("true"), "Chrome's format for --trace_file",
               "there are no traces");
  rows.refused("tfprof_file", text(), "file of a TensorFlow profile", "there are no profiles",
               "--result_dir writes the time of every phase of every step");
  rows.refused("graph_file", text(), "file of the TensorFlow graph", "there is no TensorFlow graph",
               "lockstep show MODEL prints the layers");
  rows.refused("partitioned_graph_file_prefix", text(), "files of the optimised graphs",
               "there is no TensorFlow graph", "lockstep show MODEL prints the layers");
  rows.refused("benchmark_log_dir", text(), "directory of TensorFlow's benchmark logger",
               "there is no such logger", kResultDir);
  rows.ignored("benchmark_test_id", text(), "name of the run in those logs",
               "it acts with --benchmark_log_dir only");
  rows.refused("ml_perf_compliance_logging", boolean(), "print MLPerf's log lines",
               "there are no such lines", kResultDir);
  rows.refused("debugger", text(), "TensorFlow's debugger", "there is no TensorFlow graph");
}

void add_tensorflow(Rows& rows) {
  rows.group("TensorFlow and its runtime");
  rows.ignored("xla", boolean(), "compile with XLA", kGraph);
  rows.ignored("xla_compile", boolean(), "compile all of the graph with XLA", kGraph);
  rows.ignored("enable_optimizations", boolean("true"), "optimise the graph", kGraph);
  rows.ignored("rewriter_config", text(), "options of the graph's optimiser", kGraph);
  rows.ignored("use_tf_layers", boolean("true"), "build with tf.layers", kGraph);
  rows.ignored("use_resource_vars", boolean(), "use resource variables", kGraph);
  rows.ignored("single_l2_loss_op", boolean(), "one operation for all weight decay", kGraph);
  rows.ignored("compute_lr_on_cpu", boolean(), "compute the learning rate on the CPU", kGraph);
  rows.ignored("sparse_to_dense_grads", boolean(), "make sparse gradients dense",
               "no model of the zoo has sparse gradients");
  rows.ignored("num_inter_threads", integer("0"), "layers to run at once",
               "layers run one after another, each on all threads of the device");
  rows.ignored("use_numa_affinity", boolean(), "bind devices to NUMA nodes",
               "devices are always pinned to cores of their own");
  rows.ignored("use_python32_barrier", boolean(), "Python's barrier between threads",
               "there is no Python");
  rows.ignored("mkl", boolean(), "set MKL's environment variables", kMkl);
  rows.ignored("kmp_blocktime", integer("0"), "milliseconds that idle threads spin", kMkl);
  rows.ignored("kmp_affinity", text("granularity=fine,verbose,compact,1,0"),
               "places of the threads", kMkl);
  rows.ignored("kmp_settings", integer("1"), "print the runtime's settings", kMkl);
}

void add_gpu(Rows& rows) {
  rows.group("GPU");
  rows.ignored("gpu_indices", list(), "order of the GPUs in a ring", kGpu);
  rows.ignored("autotune_threshold", integer(""), "cuDNN's autotuning runs", kGpu);
  rows.ignored("gpu_thread_mode", choice("gpu_private", {"global", "gpu_private", "gpu_shared"}),
               "threads that feed GPUs", kGpu);
  rows.ignored("per_gpu_thread_count", integer("0"), "how many of them", kGpu);
  rows.ignored("gpu_memory_frac_for_testing", real("0"), "share of the GPU's memory", kGpu);
  rows.ignored("use_unified_memory", boolean(), "let GPUs use the host's memory", kGpu);
  rows.ignored("timestamped_allocator", boolean(), "time stamps in the allocator", kGpu);
  rows.ignored("gpu_kt_max_interval", integer("0"), "kernels between tracking events", kGpu);
  rows.ignored("gpu_kt_max_bytes", integer("0", 0, kMaxExact), "bytes between tracking events",
               kGpu);
  rows.ignored("gpu_kt_max_pending", integer("0"), "tracking events at once", kGpu);
  rows.ignored("allow_growth", boolean(), "take GPU memory step by step", kGpu);
  rows.ignored("force_gpu_compatible", boolean(), "pin all host memory for GPUs", kGpu);
  rows.ignored("batchnorm_persistent", boolean("true"), "cuDNN's persistent batch norm", kGpu);
  rows.ignored("sync_on_finish", boolean(), "wait for the GPUs after every step", kGpu);
}

std::vector<Flag> table() {
  Rows rows;
  add_what_to_run(rows);
  add_measurement(rows);
  add_output(rows);
  add_device(rows);
  add_exchange(rows);
  add_cluster(rows);
  add_optimizer(rows);
  add_learning_rate(rows);
  add_evaluation(rows);
  add_real_data(rows);
  add_precision(rows);
  add_files(rows);
  add_tensorflow(rows);
  add_gpu(rows);
  return rows.take();
}

}  // namespace

std::span<const Flag> flags() {
  static const std::vector<Flag> rows = table();
  return rows;
}

}  // namespace lockstep::spec
