#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "spec/combinations.h"
#include "spec/flags.h"
#include "spec/strategies.h"
#include "spec/vocabulary.h"

namespace lockstep::spec {
namespace {

// A flag as the user gave it.
struct Setting {
  std::string text;   // of the value
  std::string shown;  // "--batch_size=64", "LOCKSTEP_BATCH_SIZE=64"
  bool from_environment = false;
};
using Settings = std::map<const Flag*, Setting>;

bool is_default(const Flag& flag, const Setting& setting) {
  const std::string_view text = flag.type.default_text;
  if (setting.text == text) return true;
  if (text.empty()) return false;
  return parse_value(flag.type, setting.text, setting.shown) == parse_value(flag.type, text, text);
}

// --- Sources ------------------------------------------------------------------------------------

const Vocabulary& run_vocabulary() {
  static const Vocabulary words = [] {
    std::vector<const Flag*> all;
    for (const Flag& flag : flags()) all.push_back(&flag);
    return Vocabulary("run", std::move(all));
  }();
  return words;
}

// --- Effects ------------------------------------------------------------------------------------

// Nothing was asked for: false, 0 or the empty text.
bool is_off(const Value& value) {
  return std::visit([](const auto& v) { return v == std::decay_t<decltype(v)>(); }, value);
}

void apply(const Flag& flag, const Setting& setting, Parsed& parsed) {
  if (is_default(flag, setting)) return;
  const Value value = parse_value(flag.type, setting.text, setting.shown);
  switch (flag.status) {
    case Status::works:
      flag.apply(parsed, value);
      return;
    case Status::ignored:
      parsed.warnings.push_back(fmt::format("{} has no effect: {}", setting.shown, flag.reason));
      return;
    case Status::refused:
      if (is_off(value)) return;
      throw Error(
          ExitCode::usage,
          fmt::format("{} is not supported in this version: {}", setting.shown, flag.reason),
          flag.instead.empty() ? fmt::format("leave --{} out", flag.name)
                               : std::string(flag.instead));
  }
}

// Whether it was called by the name that speaks of GPUs.
bool speaks_of_gpus(const Settings& settings) {
  const auto devices = settings.find(find_flag("num_gpus"));
  return devices != settings.end() &&
         lower(devices->second.shown).find("gpus") != std::string::npos;
}

// --- Combinations -------------------------------------------------------------------------------

// Working flags that act only together with others.
struct Needs {
  std::string_view flag;
  bool (*met)(const Trial&);
  std::string_view what;
};

template <OptimizerKind kind>
bool uses(const Trial& trial) {
  return trial.optimizer.kind == kind;
}
bool evaluates(const Trial& trial) {
  return trial.mode == Mode::evaluation;
}
bool decays(const Trial& trial) {
  const LearningRate& rate = trial.learning_rate;
  return rate.initial && rate.epochs_per_decay > 0 && rate.decay_factor > 0;
}
bool has_own_schedule(const Trial& trial) {
  return !trial.learning_rate.initial && trial.learning_rate.piecewise.empty();
}
bool exchanges(const Trial& trial) {
  return find_strategy(trial.exchange.variable_update).averages;
}
bool joins_small_gradients(const Trial& trial) {
  return trial.exchange.agg_small_grads_max_bytes > 0;
}
bool has_data(const Trial& trial) {
  return !trial.data.dir.empty();
}
bool distorts(const Trial& trial) {
  return has_data(trial) && trial.data.distortions;
}
bool keeps_checkpoints(const Trial& trial) {
  return trial.mode == Mode::training && !trial.checkpoints.dir.empty();
}
bool may_evaluate_during_training(const Trial& trial) {
  return trial.mode == Mode::training && has_data(trial);
}
bool evaluates_during_training(const Trial& trial) {
  return may_evaluate_during_training(trial) && trial.evaluation.during_training();
}
bool watches(const Trial& trial) {
  return evaluates(trial) && !trial.checkpoints.dir.empty();
}
bool may_have_processes(const Trial& trial) {
  return trial.cluster.transport != Transport::threads;
}

constexpr std::string_view kExchanging = "a --variable_update that exchanges something";
constexpr std::string_view kDecay =
    "--init_learning_rate, --num_epochs_per_decay and --learning_rate_decay_factor";
constexpr std::string_view kTrainingOnData = "training and --data_dir";
constexpr Needs kNeeds[] = {
    {"eval_batch_size",
     [](const Trial& trial) { return evaluates(trial) || evaluates_during_training(trial); },
     "--eval or evaluation during training"},
    {"num_eval_batches", evaluates, "--eval"},
    {"num_eval_epochs", evaluates, "--eval"},
    {"momentum", uses<OptimizerKind::momentum>, "--optimizer=momentum"},
    {"nesterov", uses<OptimizerKind::momentum>, "--optimizer=momentum"},
    {"rmsprop_decay", uses<OptimizerKind::rmsprop>, "--optimizer=rmsprop"},
    {"rmsprop_momentum", uses<OptimizerKind::rmsprop>, "--optimizer=rmsprop"},
    {"rmsprop_epsilon", uses<OptimizerKind::rmsprop>, "--optimizer=rmsprop"},
    {"adam_beta1", uses<OptimizerKind::adam>, "--optimizer=adam"},
    {"adam_beta2", uses<OptimizerKind::adam>, "--optimizer=adam"},
    {"adam_epsilon", uses<OptimizerKind::adam>, "--optimizer=adam"},
    {"num_epochs_per_decay", decays, kDecay},
    {"learning_rate_decay_factor", decays, kDecay},
    {"minimum_learning_rate", decays, kDecay},
    {"num_learning_rate_warmup_epochs", [](const Trial& trial) { return !has_own_schedule(trial); },
     "--init_learning_rate or --piecewise_learning_rate_schedule"},
    {"resnet_base_lr", has_own_schedule, "the model's own learning rate"},
    {"agg_small_grads_max_group", joins_small_gradients, "--agg_small_grads_max_bytes"},
    {"fusion_threshold_mb", exchanges, kExchanging},
    {"wire_precision", exchanges, kExchanging},
    {"eval_interval_secs", watches, "--eval and --train_dir"},
    {"eval_during_training_every_n_steps", may_evaluate_during_training, kTrainingOnData},
    {"eval_during_training_every_n_epochs", may_evaluate_during_training, kTrainingOnData},
    {"eval_during_training_at_specified_steps", may_evaluate_during_training, kTrainingOnData},
    {"eval_during_training_at_specified_epochs", may_evaluate_during_training, kTrainingOnData},
    {"stop_at_top_1_accuracy", evaluates_during_training, "evaluation during training"},
    {"save_model_steps", keeps_checkpoints, "--train_dir in training"},
    {"save_model_secs", keeps_checkpoints, "--train_dir in training"},
    {"max_ckpts_to_keep", keeps_checkpoints, "--train_dir in training"},
    {"resize_method", has_data, "--data_dir"},
    {"distortions", has_data, "--data_dir"},
    {"distort_color_in_yiq", distorts, "--data_dir and --distortions"},
    {"ml_perf", has_data, "--data_dir"},
    {"datasets_num_private_threads", has_data, "--data_dir"},
    {"datasets_use_prefetch", has_data, "--data_dir"},
    {"datasets_prefetch_buffer_size", has_data, "--data_dir"},
    {"batch_group_size", has_data, "--data_dir"},
    {"datasets_use_caching", has_data, "--data_dir"},
    {"datasets_repeat_cached_sample", has_data, "--data_dir"},
    {"skip_corrupt", has_data, "--data_dir"},
    {"num_warmup_batches",
     [](const Trial& trial) { return !(evaluates(trial) && has_data(trial)); },
     "training or made-up images"},
    {"network_interface", may_have_processes, "several processes"},
    {"start_timeout", may_have_processes, "several processes"},
    {"token_file", may_have_processes, "several processes"},
};

// Flags of what follows a gradient, exchange and update: nothing else reads them. Weight decay and
// label smoothing are not among them, because they are terms of the loss.
constexpr std::string_view kOfUpdates[] = {"optimizer",
                                           "momentum",
                                           "nesterov",
                                           "rmsprop_decay",
                                           "rmsprop_momentum",
                                           "rmsprop_epsilon",
                                           "adam_beta1",
                                           "adam_beta2",
                                           "adam_epsilon",
                                           "gradient_clip",
                                           "init_learning_rate",
                                           "num_epochs_per_decay",
                                           "learning_rate_decay_factor",
                                           "minimum_learning_rate",
                                           "piecewise_learning_rate_schedule",
                                           "num_learning_rate_warmup_epochs",
                                           "resnet_base_lr",
                                           "all_reduce_spec",
                                           "cross_replica_sync",
                                           "replicas_to_aggregate",
                                           "variable_consistency",
                                           "staged_vars",
                                           "gradient_repacking",
                                           "agg_small_grads_max_bytes",
                                           "agg_small_grads_max_group",
                                           "fusion_threshold_mb",
                                           "wire_precision"};

constexpr std::pair<std::string_view, std::string_view> kExclusive[] = {
    {"num_batches", "num_epochs"},
    {"num_eval_batches", "num_eval_epochs"},
    {"eval", "forward_only"},
    {"piecewise_learning_rate_schedule", "init_learning_rate"},
    {"piecewise_learning_rate_schedule", "num_epochs_per_decay"},
    {"piecewise_learning_rate_schedule", "learning_rate_decay_factor"},
    {"piecewise_learning_rate_schedule", "minimum_learning_rate"},
    {"eval_during_training_every_n_steps", "eval_during_training_every_n_epochs"},
    {"eval_during_training_every_n_steps", "eval_during_training_at_specified_steps"},
    {"eval_during_training_every_n_steps", "eval_during_training_at_specified_epochs"},
    {"eval_during_training_every_n_epochs", "eval_during_training_at_specified_steps"},
    {"eval_during_training_every_n_epochs", "eval_during_training_at_specified_epochs"},
    {"eval_during_training_at_specified_steps", "eval_during_training_at_specified_epochs"},
    {"gradient_repacking", "fusion_threshold_mb"},
    {"gradient_repacking", "agg_small_grads_max_bytes"},
    {"fusion_threshold_mb", "agg_small_grads_max_bytes"},
};

// The command line wins over the environment, also where they exclude each other.
void settle_exclusions(Settings& settings) {
  const auto asked_for = [&](std::string_view name) -> const Setting* {
    const auto found = settings.find(find_flag(name));
    if (found == settings.end() || found->second.text.empty()) return nullptr;
    const auto& [flag, setting] = *found;
    return is_off(parse_value(flag->type, setting.text, setting.shown)) ? nullptr : &setting;
  };
  for (const auto& [one, other] : kExclusive) {
    const Setting* a = asked_for(one);
    const Setting* b = asked_for(other);
    if (a == nullptr || b == nullptr) continue;
    if (a->from_environment == b->from_environment) {
      throw Error(ExitCode::usage, fmt::format("{} and {} exclude each other", a->shown, b->shown),
                  fmt::format("give --{} or --{}", one, other));
    }
    settings.erase(find_flag(a->from_environment ? one : other));
  }
}

void warn_of_flags_without_effect(const Settings& settings, Parsed& parsed) {
  const auto warn = [&](std::string_view name, std::string_view when) {
    const auto found = settings.find(find_flag(name));
    if (found == settings.end() || is_default(*found->first, found->second)) return;
    parsed.warnings.push_back(
        fmt::format("{} has no effect: it acts {} only", found->second.shown, when));
  };
  const bool updates = parsed.trial.mode == Mode::training;
  if (!updates) {
    for (const std::string_view name : kOfUpdates) warn(name, "in training");
  }
  for (const Needs& needs : kNeeds) {
    const bool warned = !updates && std::ranges::count(kOfUpdates, needs.flag) > 0;
    if (!warned && !needs.met(parsed.trial)) warn(needs.flag, fmt::format("with {}", needs.what));
  }
}

// What an evaluation is of, and how long it takes where nothing says so.
void settle_evaluation(const Settings& settings, Parsed& parsed) {
  Trial& trial = parsed.trial;
  if (trial.mode != Mode::evaluation) return;
  const bool trained = !trial.checkpoints.dir.empty();
  if (!trained) {
    parsed.notes.push_back(fmt::format(
        "--eval evaluates the untrained network{}: it measures speed, and its accuracy is that of "
        "chance",
        has_data(trial) ? "" : " on synthetic images"));
  } else if (!has_data(trial)) {
    parsed.notes.emplace_back("--eval without --data_dir evaluates synthetic images");
  }
  if (!has_data(trial)) return;
  // Every image once, beginning with the first.
  trial.num_warmup_batches = 0;
  const auto given = [&](std::string_view name) { return settings.contains(find_flag(name)); };
  if (!given("num_batches") && !given("num_epochs") && !given("num_eval_batches") &&
      !given("num_eval_epochs")) {
    trial.num_epochs = 1;
  }
}

}  // namespace

Parsed parse_run(std::span<const std::string> args, const Getenv& getenv,
                 std::span<const std::string> variables) {
  Settings settings;
  for (const Given& given : run_vocabulary().read_environment(getenv)) {
    settings[given.flag] = {given.text, given.shown, true};
  }
  for (const Given& given : run_vocabulary().read_arguments(args)) {
    settings[given.flag] = {given.text, given.shown};
  }
  settle_exclusions(settings);
  Parsed parsed;
  parsed.warnings = run_vocabulary().unknown_variables(variables);
  std::vector<Error> refusals;
  for (const Flag& flag : flags()) {
    const auto found = settings.find(&flag);
    if (found == settings.end()) continue;
    try {
      apply(flag, found->second, parsed);
    } catch (const Error& refusal) {
      refusals.push_back(refusal);
    }
  }
  if (!refusals.empty()) throw one_of_all("flags", refusals);
  if (speaks_of_gpus(settings)) {
    parsed.notes.emplace_back("--num_gpus counts devices, which are groups of CPU cores here");
  }
  settle_evaluation(settings, parsed);
  check_combinations(parsed.trial);
  warn_of_flags_without_effect(settings, parsed);
  return parsed;
}

}  // namespace lockstep::spec
