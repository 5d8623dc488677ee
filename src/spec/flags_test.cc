#include "spec/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/text.h"

namespace lockstep::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* empty_environment(const char*) {
  return nullptr;
}

Parsed parse_flags(const std::vector<std::string>& args) {
  return parse_run(args, empty_environment);
}

using Fields = std::map<std::string, std::string>;

// The fields of a trial as text: {"optimizer.momentum": "0.9"}.
Fields fields(const Trial& trial) {
  Fields result;
  const nlohmann::json flat = nlohmann::json::parse(to_json(trial)).flatten();
  for (const auto& [path, value] : flat.items()) {
    std::string dotted = path.substr(1);
    std::replace(dotted.begin(), dotted.end(), '/', '.');
    result[dotted] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return result;
}

// What differs from the trial of an empty command line.
Fields changes(const Trial& trial) {
  const Fields before = fields(Trial());
  Fields changed;
  for (const auto& [path, value] : fields(trial)) {
    if (before.at(path) != value) changed[path] = value;
  }
  return changed;
}

// The name of every flag of tf_cnn_benchmarks.
constexpr std::string_view kTfCnnBenchmarks =
    "adam_beta1 adam_beta2 adam_epsilon agg_small_grads_max_bytes agg_small_grads_max_group "
    "all_reduce_spec allow_growth allreduce_merge_scope autotune_threshold backbone_model_path "
    "batch_group_size batch_size batchnorm_persistent benchmark_log_dir benchmark_test_id "
    "collect_eval_results_async compact_gradient_transfer compute_lr_on_cpu controller_host "
    "cross_replica_sync data_dir data_format data_name datasets_num_private_threads "
    "datasets_parallel_interleave_cycle_length datasets_parallel_interleave_prefetch "
    "datasets_prefetch_buffer_size datasets_repeat_cached_sample "
    "datasets_sloppy_parallel_interleave datasets_use_caching datasets_use_prefetch debugger "
    "device display_every display_perf_ewma distort_color_in_yiq distortions enable_optimizations "
    "eval eval_batch_size eval_dir eval_during_training_at_specified_epochs "
    "eval_during_training_at_specified_steps eval_during_training_every_n_epochs "
    "eval_during_training_every_n_steps eval_interval_secs force_gpu_compatible forward_only "
    "fp16_enable_auto_loss_scale fp16_inc_loss_scale_every_n fp16_loss_scale fp16_vars "
    "freeze_when_forward_only fuse_decode_and_crop gpu_indices gpu_kt_max_bytes "
    "gpu_kt_max_interval gpu_kt_max_pending gpu_memory_frac_for_testing gpu_thread_mode "
    "gradient_clip gradient_repacking graph_file hierarchical_copy horovod_device "
    "init_learning_rate input_preprocessor job_name kmp_affinity kmp_blocktime kmp_settings "
    "learning_rate_decay_factor local_parameter_device loss_type_to_report max_ckpts_to_keep "
    "minimum_learning_rate mkl ml_perf ml_perf_compliance_logging model momentum "
    "multi_device_iterator_max_buffer_size network_topology num_batches num_epochs "
    "num_epochs_per_decay num_eval_batches num_eval_epochs num_gpus num_inter_threads "
    "num_intra_threads num_learning_rate_warmup_epochs num_warmup_batches optimizer "
    "partitioned_graph_file_prefix per_gpu_thread_count piecewise_learning_rate_schedule "
    "print_training_accuracy ps_hosts resize_method resnet_base_lr rewriter_config rmsprop_decay "
    "rmsprop_epsilon rmsprop_momentum save_model_secs save_model_steps save_summaries_steps "
    "server_protocol single_l2_loss_op sparse_to_dense_grads staged_vars stop_at_top_1_accuracy "
    "summary_verbosity sync_on_finish task_index tf_random_seed tfprof_file timestamped_allocator "
    "trace_file train_dir trt_max_workspace_size_bytes trt_mode use_chrome_trace_format "
    "use_datasets use_fp16 use_numa_affinity use_python32_barrier use_resource_vars use_tf_layers "
    "use_unified_memory variable_consistency variable_update weight_decay winograd_nonfused "
    "worker_hosts xla xla_compile ";

// Each working flag, a command line that uses it, and all that this changes.
struct Effect {
  std::string_view flag;
  std::vector<std::string> args;
  Fields changes;
};

const std::vector<Effect>& effects() {
  static const std::vector<Effect> rows = {
      {"model", {"--model=resnet50"}, {{"model", "resnet50"}}},
      {"data_name", {"--data_name=cifar10"}, {{"dataset", "cifar10"}}},
      {"image_size", {"--image_size=96"}, {{"image_size", "96"}}},
      {"num_classes", {"--num_classes=10"}, {{"num_classes", "10"}}},
      {"batch_size", {"--batch_size=64"}, {{"batch_size", "64"}}},
      {"forward_only", {"--forward_only"}, {{"mode", "forward_only"}}},
      {"eval", {"--eval"}, {{"mode", "evaluation"}}},
      {"eval_batch_size",
       {"--eval_batch_size=8", "--batch_size=64", "--eval"},
       {{"mode", "evaluation"}, {"batch_size", "8"}}},
      {"tf_random_seed", {"--tf_random_seed=7"}, {{"seed", "7"}}},
      {"num_batches", {"--num_batches=20"}, {{"num_batches", "20"}}},
      {"num_epochs", {"--num_epochs=0.5"}, {{"num_epochs", "0.5"}}},
      {"num_eval_batches",
       {"--num_eval_batches=5", "--num_epochs=2", "--eval"},
       {{"mode", "evaluation"}, {"num_batches", "5"}}},
      {"num_eval_epochs",
       {"--num_eval_epochs=3", "--num_epochs=2", "--eval"},
       {{"mode", "evaluation"}, {"num_epochs", "3.0"}}},
      {"num_warmup_batches", {"--num_warmup_batches=0"}, {{"num_warmup_batches", "0"}}},
      {"target_precision", {"--target_precision=0.01"}, {{"target_precision", "0.01"}}},
      {"max_time", {"--max_time=2.5"}, {{"max_time", "2.5"}}},
      {"strict", {"--strict"}, {{"strict", "true"}}},
      {"display_every", {"--display_every=1"}, {{"display_every", "1"}}},
      {"display_perf_ewma", {"--display_perf_ewma=0.2"}, {{"display_perf_ewma", "0.2"}}},
      {"print_training_accuracy",
       {"--print_training_accuracy"},
       {{"print_training_accuracy", "true"}}},
      {"loss_type_to_report",
       {"--loss_type_to_report=base_loss"},
       {{"loss_to_report", "base_loss"}}},
      {"result_dir", {"--result_dir=out"}, {{"result_dir", "out"}}},
      {"price_per_hour", {"--price_per_hour=2.5"}, {{"price_per_hour", "2.5"}}},
      {"num_intra_threads", {"--num_intra_threads=2"}, {{"threads_per_device", "2"}}},
      {"data_format", {"--data_format=NHWC"}, {{"data_format", "NHWC"}}},
      {"winograd_nonfused", {"--nowinograd_nonfused"}, {{"conv_algorithm", "direct"}}},
      {"conv_algorithm",
       {"--conv_algorithm=winograd", "--nowinograd_nonfused"},
       {{"conv_algorithm", "winograd"}}},
      {"workspace_mb", {"--workspace_mb=64"}, {{"workspace_mb", "64"}}},
      {"num_gpus", {"--num_gpus=8"}, {{"devices", "8"}}},
      {"oversubscribe", {"--oversubscribe"}, {{"oversubscribe", "true"}}},
      {"variable_update", {"--variable_update=horovod"}, {{"exchange.variable_update", "horovod"}}},
      {"all_reduce_spec",
       {"--variable_update=replicated", "--all_reduce_spec=pscpu:2k:xring"},
       {{"exchange.variable_update", "replicated"},
        {"exchange.all_reduce_spec", "pscpu:2k:xring"}}},
      {"num_ps", {"--num_ps=2"}, {{"exchange.num_ps", "2"}}},
      {"cross_replica_sync",
       {"--nocross_replica_sync"},
       {{"exchange.cross_replica_sync", "false"}}},
      {"replicas_to_aggregate",
       {"--replicas_to_aggregate=3"},
       {{"exchange.replicas_to_aggregate", "3"}}},
      {"staged_vars", {"--staged_vars"}, {{"exchange.staged_vars", "true"}}},
      {"variable_consistency",
       {"--variable_update=replicated", "--variable_consistency=relaxed"},
       {{"exchange.variable_update", "replicated"}, {"exchange.variable_consistency", "relaxed"}}},
      {"fusion_threshold_mb",
       {"--fusion_threshold_mb=0"},
       {{"exchange.fusion_threshold_mb", "0.0"}}},
      {"gradient_repacking",
       {"--variable_update=replicated", "--gradient_repacking=8"},
       {{"exchange.variable_update", "replicated"}, {"exchange.gradient_repacking", "8"}}},
      {"agg_small_grads_max_bytes",
       {"--variable_update=horovod", "--agg_small_grads_max_bytes=4096"},
       {{"exchange.variable_update", "horovod"}, {"exchange.agg_small_grads_max_bytes", "4096"}}},
      {"agg_small_grads_max_group",
       {"--variable_update=horovod", "--agg_small_grads_max_bytes=64",
        "--agg_small_grads_max_group=5"},
       {{"exchange.variable_update", "horovod"},
        {"exchange.agg_small_grads_max_bytes", "64"},
        {"exchange.agg_small_grads_max_group", "5"}}},
      {"wire_precision", {"--wire_precision=bf16"}, {{"exchange.wire_precision", "bf16"}}},
      {"local_parameter_device",
       {"--local_parameter_device=gpu"},
       {{"exchange.local_parameter_device", "gpu"}}},
      {"transport", {"--transport=mpi"}, {{"cluster.transport", "mpi"}}},
      {"worker_hosts",
       {"--job_name=worker", "--worker_hosts=a:2222,b"},
       {{"cluster.job_name", "worker"}, {"cluster.worker_hosts", "a:2222,b"}}},
      {"ps_hosts",
       {"--job_name=ps", "--worker_hosts=a", "--ps_hosts=b,c"},
       {{"cluster.job_name", "ps"}, {"cluster.worker_hosts", "a"}, {"cluster.ps_hosts", "b,c"}}},
      {"controller_host",
       {"--variable_update=distributed_all_reduce", "--job_name=controller", "--worker_hosts=a",
        "--controller_host=b:1"},
       {{"exchange.variable_update", "distributed_all_reduce"},
        {"cluster.job_name", "controller"},
        {"cluster.worker_hosts", "a"},
        {"cluster.controller_host", "b:1"}}},
      {"job_name",
       {"--job_name=worker", "--worker_hosts=a"},
       {{"cluster.job_name", "worker"}, {"cluster.worker_hosts", "a"}}},
      {"task_index",
       {"--job_name=worker", "--worker_hosts=a,b", "--task_index=1"},
       {{"cluster.job_name", "worker"},
        {"cluster.worker_hosts", "a,b"},
        {"cluster.task_index", "1"}}},
      {"network_interface", {"--network_interface=eth1"}, {{"cluster.network_interface", "eth1"}}},
      {"start_timeout", {"--start_timeout=20"}, {{"cluster.start_timeout", "20.0"}}},
      {"token_file", {"--token_file=/run/token"}, {{"cluster.token_file", "/run/token"}}},
      {"deadline", {"--deadline=2.5"}, {{"cluster.deadline", "2.5"}}},
      {"optimizer", {"--optimizer=adam"}, {{"optimizer.kind", "adam"}}},
      {"momentum",
       {"--optimizer=momentum", "--momentum=0.8"},
       {{"optimizer.kind", "momentum"}, {"optimizer.momentum", "0.8"}}},
      {"nesterov",
       {"--optimizer=momentum", "--nonesterov"},
       {{"optimizer.kind", "momentum"}, {"optimizer.nesterov", "false"}}},
      {"rmsprop_decay",
       {"--optimizer=rmsprop", "--rmsprop_decay=0.8"},
       {{"optimizer.kind", "rmsprop"}, {"optimizer.rmsprop_decay", "0.8"}}},
      {"rmsprop_momentum",
       {"--optimizer=rmsprop", "--rmsprop_momentum=0"},
       {{"optimizer.kind", "rmsprop"}, {"optimizer.rmsprop_momentum", "0.0"}}},
      {"rmsprop_epsilon",
       {"--optimizer=rmsprop", "--rmsprop_epsilon=0.1"},
       {{"optimizer.kind", "rmsprop"}, {"optimizer.rmsprop_epsilon", "0.1"}}},
      {"adam_beta1",
       {"--optimizer=adam", "--adam_beta1=0.8"},
       {{"optimizer.kind", "adam"}, {"optimizer.adam_beta1", "0.8"}}},
      {"adam_beta2",
       {"--optimizer=adam", "--adam_beta2=0.99"},
       {{"optimizer.kind", "adam"}, {"optimizer.adam_beta2", "0.99"}}},
      {"adam_epsilon",
       {"--optimizer=adam", "--adam_epsilon=1e-6"},
       {{"optimizer.kind", "adam"}, {"optimizer.adam_epsilon", "1e-06"}}},
      {"weight_decay", {"--weight_decay=0"}, {{"optimizer.weight_decay", "0.0"}}},
      {"gradient_clip", {"--gradient_clip=5"}, {{"optimizer.gradient_clip", "5.0"}}},
      {"label_smoothing", {"--label_smoothing=0.1"}, {{"label_smoothing", "0.1"}}},
      {"init_learning_rate", {"--init_learning_rate=0.1"}, {{"learning_rate.initial", "0.1"}}},
      {"num_epochs_per_decay",
       {"--init_learning_rate=1", "--num_epochs_per_decay=2", "--learning_rate_decay_factor=0.5"},
       {{"learning_rate.initial", "1.0"},
        {"learning_rate.epochs_per_decay", "2.0"},
        {"learning_rate.decay_factor", "0.5"}}},
      {"learning_rate_decay_factor",
       {"--init_learning_rate=1", "--num_epochs_per_decay=3", "--learning_rate_decay_factor=0.9"},
       {{"learning_rate.initial", "1.0"},
        {"learning_rate.epochs_per_decay", "3.0"},
        {"learning_rate.decay_factor", "0.9"}}},
      {"minimum_learning_rate",
       {"--init_learning_rate=1", "--num_epochs_per_decay=2", "--learning_rate_decay_factor=0.5",
        "--minimum_learning_rate=0.01"},
       {{"learning_rate.initial", "1.0"},
        {"learning_rate.epochs_per_decay", "2.0"},
        {"learning_rate.decay_factor", "0.5"},
        {"learning_rate.minimum", "0.01"}}},
      {"piecewise_learning_rate_schedule",
       {"--piecewise_learning_rate_schedule=0.3;10;0.2;25;0.1"},
       {{"learning_rate.piecewise", "0.3;10;0.2;25;0.1"}}},
      {"num_learning_rate_warmup_epochs",
       {"--init_learning_rate=1", "--num_learning_rate_warmup_epochs=5"},
       {{"learning_rate.initial", "1.0"}, {"learning_rate.warmup_epochs", "5.0"}}},
      {"data_dir", {"--data_dir=/mnist"}, {{"data.dir", "/mnist"}}},
      {"resize_method",
       {"--data_dir=d", "--resize_method=round_robin"},
       {{"data.dir", "d"}, {"data.resize_method", "round_robin"}}},
      {"distortions",
       {"--data_dir=d", "--distortions"},
       {{"data.dir", "d"}, {"data.distortions", "true"}}},
      {"distort_color_in_yiq",
       {"--data_dir=d", "--distortions", "--nodistort_color_in_yiq"},
       {{"data.dir", "d"}, {"data.distortions", "true"}, {"data.distort_color_in_yiq", "false"}}},
      {"ml_perf",
       {"--data_dir=d", "--ml_perf"},
       {{"data.dir", "d"}, {"data.subtract_channel_means", "true"}}},
      {"datasets_num_private_threads",
       {"--data_dir=d", "--datasets_num_private_threads=3"},
       {{"data.dir", "d"}, {"data.private_threads", "3"}}},
      {"datasets_use_prefetch",
       {"--data_dir=d", "--nodatasets_use_prefetch"},
       {{"data.dir", "d"}, {"data.use_prefetch", "false"}}},
      {"datasets_prefetch_buffer_size",
       {"--data_dir=d", "--datasets_prefetch_buffer_size=4"},
       {{"data.dir", "d"}, {"data.prefetch_buffer_size", "4"}}},
      {"batch_group_size",
       {"--data_dir=d", "--batch_group_size=8"},
       {{"data.dir", "d"}, {"data.batch_group_size", "8"}}},
      {"datasets_use_caching",
       {"--data_dir=d", "--datasets_use_caching"},
       {{"data.dir", "d"}, {"data.use_caching", "true"}}},
      {"datasets_repeat_cached_sample",
       {"--data_dir=d", "--datasets_repeat_cached_sample"},
       {{"data.dir", "d"}, {"data.repeat_cached_sample", "true"}}},
      {"skip_corrupt",
       {"--data_dir=d", "--skip_corrupt"},
       {{"data.dir", "d"}, {"data.skip_corrupt", "true"}}},
      {"train_dir", {"--train_dir=t"}, {{"checkpoints.dir", "t"}}},
      {"save_model_steps",
       {"--train_dir=t", "--save_model_steps=10"},
       {{"checkpoints.dir", "t"}, {"checkpoints.save_steps", "10"}}},
      {"save_model_secs",
       {"--train_dir=t", "--save_model_secs=60"},
       {{"checkpoints.dir", "t"}, {"checkpoints.save_secs", "60"}}},
      {"max_ckpts_to_keep",
       {"--train_dir=t", "--max_ckpts_to_keep=0"},
       {{"checkpoints.dir", "t"}, {"checkpoints.keep", "0"}}},
      {"eval_interval_secs",
       {"--eval", "--train_dir=t", "--eval_interval_secs=5"},
       {{"mode", "evaluation"}, {"checkpoints.dir", "t"}, {"evaluation.interval_secs", "5"}}},
      {"eval_during_training_every_n_steps",
       {"--data_dir=d", "--eval_during_training_every_n_steps=100"},
       {{"data.dir", "d"}, {"evaluation.every_steps", "100"}}},
      {"eval_during_training_every_n_epochs",
       {"--data_dir=d", "--eval_during_training_every_n_epochs=0.5"},
       {{"data.dir", "d"}, {"evaluation.every_epochs", "0.5"}}},
      {"eval_during_training_at_specified_steps",
       {"--data_dir=d", "--eval_during_training_at_specified_steps=10,20"},
       {{"data.dir", "d"}, {"evaluation.at_steps", "10,20"}}},
      {"eval_during_training_at_specified_epochs",
       {"--data_dir=d", "--eval_during_training_at_specified_epochs=1,2.5"},
       {{"data.dir", "d"}, {"evaluation.at_epochs", "1,2.5"}}},
      {"stop_at_top_1_accuracy",
       {"--data_dir=d", "--eval_during_training_every_n_steps=5", "--stop_at_top_1_accuracy=0.75"},
       {{"data.dir", "d"}, {"evaluation.every_steps", "5"}, {"evaluation.stop_at_top_1", "0.75"}}},
      {"resnet_base_lr", {"--resnet_base_lr=0.2"}, {{"learning_rate.resnet_base", "0.2"}}},
  };
  return rows;
}

// These work without touching the trial; a test below each observes how.
const std::set<std::string_view> kObservedOtherwise = {"device", "print_config"};

// A value that the flag has not got by itself and that is not "off".
std::string another_value(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return type.default_text == "true" ? "false" : "true";
    case Kind::integer:
      return type.default_text == "2" ? "3" : "2";
    case Kind::real:
      return "0.25";
    case Kind::choice:
      for (const std::string_view choice : type.choices) {
        if (choice != type.default_text) return std::string(choice);
      }
      return "";
    case Kind::text:
    case Kind::list:
      return "some,words";
  }
  return "";
}

std::string given(const Flag& flag, std::string_view value) {
  return fmt::format("--{}={}", flag.name, value);
}

TEST(FlagTable, HasAllFlagsOfTfCnnBenchmarksAndNoOthersUnderItsName) {
  std::set<std::string> expected;
  for (const std::string& name : split(trim(kTfCnnBenchmarks), ' ')) expected.insert(name);
  EXPECT_EQ(expected.size(), 138U);
  std::set<std::string> actual;
  for (const Flag& flag : flags()) {
    if (!flag.own) actual.emplace(flag.name);
  }
  EXPECT_EQ(actual, expected);
}

TEST(FlagTable, NamesEachFlagOnce) {
  std::set<std::string_view> names;
  for (const Flag& flag : flags()) {
    EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
    EXPECT_TRUE(flag.alias.empty() || names.insert(flag.alias).second) << flag.alias;
  }
}

TEST(FlagTable, ExplainsEveryRow) {
  for (const Flag& flag : flags()) {
    SCOPED_TRACE(flag.name);
    EXPECT_FALSE(flag.group.empty());
    EXPECT_FALSE(flag.help.empty());
    EXPECT_EQ(flag.help.find('\n'), std::string_view::npos);
    EXPECT_EQ(flag.status == Status::works, flag.apply != nullptr);
    EXPECT_EQ(flag.status == Status::works, flag.reason.empty());
  }
}

TEST(FlagTable, HasAnObservedEffectForEveryWorkingFlag) {
  std::set<std::string_view> observed = kObservedOtherwise;
  for (const Effect& effect : effects()) observed.insert(effect.flag);
  std::set<std::string_view> working;
  for (const Flag& flag : flags()) {
    if (flag.status == Status::works) working.insert(flag.name);
  }
  EXPECT_EQ(observed, working);
}

class WorkingFlag : public ::testing::TestWithParam<Effect> {};

TEST_P(WorkingFlag, ChangesItsFieldAndNothingElse) {
  const Effect& effect = GetParam();
  const Parsed parsed = parse_flags(effect.args);
  EXPECT_EQ(changes(parsed.trial), effect.changes);
  EXPECT_THAT(parsed.warnings, IsEmpty());
  EXPECT_FALSE(parsed.print_config);
}

TEST_P(WorkingFlag, HasTheDefaultThatTheTableStates) {
  const Flag& flag = *find_flag(GetParam().flag);
  if (flag.type.default_text.empty()) {
    EXPECT_THAT(parse_flags({given(flag, "")}).warnings, IsEmpty());
    return;
  }
  Parsed parsed;
  flag.apply(parsed, parse_value(flag.type, flag.type.default_text, flag.name));
  EXPECT_EQ(changes(parsed.trial), Fields());
}

INSTANTIATE_TEST_SUITE_P(Table, WorkingFlag, ::testing::ValuesIn(effects()),
                         [](const auto& row) { return std::string(row.param.flag); });

std::vector<std::string_view> names_with(Status status) {
  std::vector<std::string_view> names;
  for (const Flag& flag : flags()) {
    if (flag.status == status) names.push_back(flag.name);
  }
  return names;
}

class IgnoredFlag : public ::testing::TestWithParam<std::string_view> {};

TEST_P(IgnoredFlag, WarnsWithItsReasonAndChangesNothing) {
  const Flag& flag = *find_flag(GetParam());
  const std::string arg = given(flag, another_value(flag.type));
  const Parsed parsed = parse_flags({arg});
  EXPECT_THAT(parsed.warnings, ElementsAre(fmt::format("{} has no effect: {}", arg, flag.reason)));
  EXPECT_EQ(parsed.trial, Trial());
}

TEST_P(IgnoredFlag, IsSilentAboutItsDefault) {
  const Flag& flag = *find_flag(GetParam());
  EXPECT_THAT(parse_flags({given(flag, flag.type.default_text)}).warnings, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Table, IgnoredFlag, ::testing::ValuesIn(names_with(Status::ignored)),
                         [](const auto& row) { return std::string(row.param); });

class RefusedFlag : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RefusedFlag, EndsTheRunWithItsReasonAndAWayOut) {
  const Flag& flag = *find_flag(GetParam());
  const std::string arg = given(flag, another_value(flag.type));
  try {
    parse_flags({arg});
    FAIL() << "accepted " << arg;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_EQ(error.what(),
              fmt::format("{} is not supported in this version: {}", arg, flag.reason));
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST_P(RefusedFlag, AcceptsItsDefaultAndWhatTurnsItOff) {
  const Flag& flag = *find_flag(GetParam());
  std::vector<std::string> args = {given(flag, flag.type.default_text)};
  if (flag.type.kind == Kind::boolean) args.push_back(fmt::format("--no{}", flag.name));
  if (flag.type.kind == Kind::text || flag.type.kind == Kind::list) args.push_back(given(flag, ""));
  if (flag.type.kind == Kind::integer && flag.type.low == 0) args.push_back(given(flag, "0"));
  for (const std::string& arg : args) {
    SCOPED_TRACE(arg);
    const Parsed parsed = parse_flags({arg});
    EXPECT_THAT(parsed.warnings, IsEmpty());
    EXPECT_EQ(parsed.trial, Trial());
  }
}

INSTANTIATE_TEST_SUITE_P(Table, RefusedFlag, ::testing::ValuesIn(names_with(Status::refused)),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace lockstep::spec
