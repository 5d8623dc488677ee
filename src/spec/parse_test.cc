#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "spec/flags.h"

namespace lockstep::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Variables = std::map<std::string, std::string>;

Parsed parse(const std::vector<std::string>& args, const Variables& variables = {}) {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables) names.push_back(name);
  return parse_run(
      args,
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      names);
}

// "message | hint"
std::string parse_error_of(const std::vector<std::string>& args, const Variables& variables = {}) {
  try {
    parse(args, variables);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return fmt::format("{} | {}", error.what(), error.hint());
  }
  return "no error";
}

bool accuracy(const std::vector<std::string>& args) {
  return parse(args).trial.print_training_accuracy;
}

// --- Grammar ------------------------------------------------------------------------------------

TEST(Grammar, TakesTheValueBehindAnEqualsSignOrASpace) {
  EXPECT_EQ(parse({"--batch_size=8"}).trial.batch_size, 8);
  EXPECT_EQ(parse({"--batch_size", "8"}).trial.batch_size, 8);
  EXPECT_EQ(parse({"--model", "vgg16", "--batch_size", "8"}).trial.model, "vgg16");
}

TEST(Grammar, TakesDashesForUnderscores) {
  EXPECT_EQ(parse({"--num-batches=8"}).trial.num_batches, 8);
  EXPECT_EQ(parse({"--num-intra_threads", "2"}).trial.threads_per_device, 2);
}

TEST(Grammar, TakesOneDashForTwo) {
  EXPECT_EQ(parse({"-num_batches=8"}).trial.num_batches, 8);
}

TEST(Grammar, KnowsAliases) {
  EXPECT_EQ(parse({"-m", "vgg16"}).trial.model, "vgg16");
  EXPECT_EQ(parse({"-b", "8"}).trial.batch_size, 8);
  EXPECT_EQ(parse({"--seed=9"}).trial.seed, 9U);
  EXPECT_EQ(parse({"--devices=1"}).trial.devices, 1);
}

TEST(Grammar, TakesBooleansInAllSpellings) {
  for (const char* on :
       {"--print_training_accuracy", "--print-training-accuracy", "--print_training_accuracy=true",
        "--print_training_accuracy=True", "--print_training_accuracy=1",
        "--print_training_accuracy=yes", "--print_training_accuracy=t"}) {
    EXPECT_TRUE(accuracy({on})) << on;
  }
  for (const char* off : {"--noprint_training_accuracy", "--no-print-training-accuracy",
                          "--no_print_training_accuracy", "--print_training_accuracy=False",
                          "--print_training_accuracy=false", "--print_training_accuracy=0",
                          "--print_training_accuracy=no", "--print_training_accuracy=f"}) {
    EXPECT_FALSE(accuracy({"--print_training_accuracy", off})) << off;
  }
}

TEST(Grammar, LetsTheLastOfAFlagWin) {
  EXPECT_EQ(parse({"--batch_size=8", "-b=9"}).trial.batch_size, 9);
  EXPECT_TRUE(accuracy({"--noprint_training_accuracy", "--print_training_accuracy"}));
  EXPECT_EQ(parse({"--data_dir=/imagenet", "--data_dir="}).trial, Trial());
}

TEST(Grammar, TakesChoicesInAnyLetterCase) {
  EXPECT_EQ(parse({"--device=CPU", "--data_format=nhwc"}).trial.data_format, DataFormat::nhwc);
  EXPECT_EQ(parse({"--optimizer=Adam"}).trial.optimizer.kind, OptimizerKind::adam);
}

TEST(Grammar, KeepsValuesWithEqualsSignsAndDashes) {
  EXPECT_EQ(parse({"--result_dir=a=b"}).trial.result_dir, "a=b");
  EXPECT_EQ(parse({"--result_dir=--x"}).trial.result_dir, "--x");
  EXPECT_EQ(parse({"--result_dir", "-x"}).trial.result_dir, "-x");
}

TEST(Grammar, GivesTheDefaultsForNothing) {
  const Parsed parsed = parse({});
  EXPECT_EQ(parsed.trial, Trial());
  EXPECT_FALSE(parsed.print_config);
  EXPECT_THAT(parsed.warnings, IsEmpty());
  EXPECT_THAT(parsed.notes, IsEmpty());
}

// --- What is wrong ------------------------------------------------------------------------------

TEST(UsageError, NamesTheClosestFlag) {
  EXPECT_EQ(parse_error_of({"--batchsize=8"}),
            "unknown flag --batchsize | did you mean --batch_size? "
            "lockstep run --helpfull shows all flags");
  EXPECT_THAT(parse_error_of({"--num-batch=8"}), HasSubstr("did you mean --num_batches?"));
  EXPECT_EQ(parse_error_of({"--qqqqqqqqqq"}),
            "unknown flag --qqqqqqqqqq | lockstep run --helpfull shows all flags");
  EXPECT_THAT(parse_error_of({"-x=1"}), HasSubstr("unknown flag -x |"));
  EXPECT_THAT(parse_error_of({"-batchsize=8"}),
              HasSubstr("unknown flag -batchsize | did you mean --batch_size?"));
  EXPECT_THAT(parse_error_of({"--nomodel"}), HasSubstr("unknown flag --nomodel"));
}

TEST(UsageError, ListsAllUnknownFlagsAndEveryOtherMistakeOfTheCommandLine) {
  EXPECT_EQ(parse_error_of({"--batchsize=8", "--modle", "vgg16", "--batch_size=4", "--qqqqqqqqqq",
                            "--noxla=1", "x", "--model"}),
            "6 arguments cannot be used:\n"
            "  unknown flag --batchsize\n"
            "      did you mean --batch_size?\n"
            "  unknown flag --modle\n"
            "      did you mean --model?\n"
            "  unknown flag --qqqqqqqqqq\n"
            "  --noxla=1: --noxla takes no value\n"
            "  unexpected argument x\n"
            "      every option of run is a flag: --name=value\n"
            "  --model needs a value: text | lockstep run --helpfull shows all flags");
  EXPECT_THAT(parse_error_of({"--modle", "vgg16"}),
              HasSubstr("unknown flag --modle | did you mean --model?"));
}

TEST(UsageError, RefusesPositionalArguments) {
  EXPECT_EQ(parse_error_of({"resnet50"}),
            "unexpected argument resnet50 | every option of run is a flag: --name=value");
  EXPECT_EQ(parse_error_of({"--distortions", "False"}),
            "unexpected argument False | write --distortions=False");
  EXPECT_THAT(parse_error_of({"--xla", "--model=trivial", "x"}), HasSubstr("every option of run"));
  EXPECT_THAT(parse_error_of({"--"}), HasSubstr("unexpected argument --"));
  EXPECT_THAT(parse_error_of({"-"}), HasSubstr("unexpected argument -"));
  EXPECT_THAT(parse_error_of({""}), HasSubstr("unexpected argument"));
}

TEST(UsageError, NamesTheFlagTheValueAndWhatIsExpected) {
  EXPECT_EQ(parse_error_of({"--batch_size=many"}),
            "--batch_size=many: expected an integer from 0 to 2147483647 | ");
  EXPECT_EQ(parse_error_of({"--batch_size", "-1"}),
            "--batch_size=-1: expected an integer from 0 to 2147483647 | ");
  EXPECT_EQ(parse_error_of({"--batch_size=3000000000"}),
            "--batch_size=3000000000: expected an integer from 0 to 2147483647 | ");
  EXPECT_EQ(parse_error_of({"--num_warmup_batches=-1"}),
            "--num_warmup_batches=-1: expected an integer from 0 to 2147483647 | ");
  EXPECT_EQ(parse_error_of({"--display_every=0"}),
            "--display_every=0: expected an integer from 1 to 2147483647 | ");
  EXPECT_EQ(parse_error_of({"--num_batches=1.5"}),
            "--num_batches=1.5: expected an integer from 1 to 2147483647 | ");
  EXPECT_EQ(parse_error_of({"--num_epochs=0"}), "--num_epochs=0: expected a number above 0 | ");
  EXPECT_EQ(parse_error_of({"--weight_decay=nan"}),
            "--weight_decay=nan: expected a number of at least 0 | ");
  EXPECT_EQ(parse_error_of({"--weight_decay=inf"}),
            "--weight_decay=inf: expected a number of at least 0 | ");
  EXPECT_EQ(parse_error_of({"--momentum=1"}),
            "--momentum=1: expected a number from 0 to 1, 1 excluded | ");
  EXPECT_EQ(parse_error_of({"--target_precision=0"}),
            "--target_precision=0: expected a number from 0 to 1, 0 excluded | ");
  EXPECT_EQ(parse_error_of({"--display_perf_ewma=2"}),
            "--display_perf_ewma=2: expected a number from 0 to 1 | ");
  EXPECT_EQ(parse_error_of({"--eval=maybe"}), "--eval=maybe: expected true or false | ");
  EXPECT_EQ(parse_error_of({"--optimizer=adan"}),
            "--optimizer=adan: expected one of sgd, momentum, rmsprop or adam | "
            "did you mean adam?");
  EXPECT_THAT(parse_error_of({"--variable_update=mystery"}),
              HasSubstr("expected one of parameter_server, distributed_replicated, replicated, "));
  EXPECT_EQ(parse_error_of({"--xla=maybe"}), "--xla=maybe: expected true or false | ");
}

TEST(UsageError, AsksForAMissingValue) {
  EXPECT_EQ(parse_error_of({"--batch_size"}),
            "--batch_size needs a value: an integer from 0 to 2147483647 | ");
  EXPECT_THAT(parse_error_of({"--model", "--eval"}), HasSubstr("--model needs a value: text"));
  EXPECT_EQ(parse_error_of({"--noxla=1"}), "--noxla=1: --noxla takes no value | ");
}

TEST(UsageError, SaysWhatIsWrongWithAPiecewiseSchedule) {
  EXPECT_EQ(parse_error_of({"--piecewise_learning_rate_schedule=0.1;10"}),
            "the piecewise learning-rate schedule '0.1;10' ends in an epoch without a rate | "
            "write rates and the epochs where they change in turn: 0.1;30;0.01;60;0.001");
}

// --- Values with a meaning of their own ---------------------------------------------------------

TEST(Device, RefusesGpusAndTakesTheCpu) {
  EXPECT_EQ(parse_error_of({"--device=gpu"}),
            "--device=gpu is not supported in this version: there is no engine for GPUs | "
            "use --device=cpu");
  EXPECT_EQ(parse({"--device=cpu"}).trial, Trial());
}

TEST(UsageError, ListsAllFlagsThatCannotBeUsedEachWithItsWayOut) {
  EXPECT_EQ(
      parse_error_of({"--use_fp16", "--device=gpu", "--batch_size=4", "--batch_size=x",
                      "--trace_file=t", "--xla"}),
      "4 flags cannot be used:\n"
      "  --batch_size=x: expected an integer from 0 to 2147483647\n"
      "  --device=gpu is not supported in this version: there is no engine for GPUs\n"
      "      use --device=cpu\n"
      "  --use_fp16 is not supported in this version: the engine computes with 32-bit floats\n"
      "      leave --use_fp16 out; --wire_precision=fp16 sends 16-bit gradients\n"
      "  --trace_file=t is not supported in this version: there are no traces\n"
      "      --result_dir writes the time of every phase of every step | ");
}

TEST(NumGpus, SaysOnceThatDevicesAreCores) {
  EXPECT_THAT(parse({"--num_gpus=1", "--num-gpus=2"}).notes,
              ElementsAre("--num_gpus counts devices, which are groups of CPU cores here"));
  EXPECT_THAT(parse({"--devices=2"}).notes, IsEmpty());
}

TEST(NumGpus, CountsDevicesOfAnyKind) {
  EXPECT_EQ(parse({"--num_gpus=2"}).trial.devices, 2);
  EXPECT_EQ(parse({"--devices=64"}).trial.devices, 64);
  EXPECT_THAT(parse_error_of({"--num_gpus=0"}), HasSubstr("expected an integer from 1"));
}

TEST(LocalParameterDevice, SaysThatTheCpusServeGpus) {
  EXPECT_THAT(parse({"--local_parameter_device=gpu"}).notes,
              ElementsAre(HasSubstr("--local_parameter_device=gpu is served by the CPUs")));
  EXPECT_THAT(parse({"--local_parameter_device=cpu"}).notes, IsEmpty());
}

TEST(PrintConfig, IsNoPartOfTheTrial) {
  const Parsed parsed = parse({"--print-config"});
  EXPECT_TRUE(parsed.print_config);
  EXPECT_EQ(parsed.trial, Trial());
}

TEST(DataFormat, ServesNchwByTheBlockedLayoutAndSaysSoOnce) {
  const Parsed parsed = parse({"--data_format=NCHW", "--data_format=NCHW"});
  EXPECT_EQ(parsed.trial.data_format, DataFormat::nchw);
  EXPECT_THAT(to_json(parsed.trial), HasSubstr("\"data_format\": \"NCHW\""));
  EXPECT_THAT(parsed.notes, ElementsAre(HasSubstr("--data_format=NCHW is served by the blocked")));
  EXPECT_EQ(parse({"--data_format=plain_nchw"}).trial.data_format, DataFormat::plain_nchw);
  EXPECT_THAT(parse({"--data_format=auto"}).notes, IsEmpty());
}

TEST(Evaluation, SaysWhatItIsNotOf) {
  EXPECT_THAT(parse({"--eval"}).notes,
              ElementsAre(HasSubstr("untrained network on synthetic images")));
  EXPECT_THAT(parse({"--eval", "--data_dir=d"}).notes,
              ElementsAre(HasSubstr("untrained network:")));
  EXPECT_THAT(parse({"--eval", "--train_dir=t"}).notes, ElementsAre(HasSubstr("synthetic images")));
  EXPECT_THAT(parse({"--eval", "--train_dir=t", "--data_dir=d"}).notes, IsEmpty());
}

TEST(Evaluation, OfADatasetIsOfEveryImageOnceUnlessAskedOtherwise) {
  const Trial whole = parse({"--eval", "--data_dir=d"}).trial;
  EXPECT_EQ(whole.num_epochs, 1);
  EXPECT_EQ(whole.num_warmup_batches, 0);
  const Trial part = parse({"--eval", "--data_dir=d", "--num_eval_batches=5"}).trial;
  EXPECT_EQ(part.num_epochs, std::nullopt);
  EXPECT_EQ(part.num_batches, 5);
}

TEST(Evaluation, WantsStepsAndEpochsThatAreNumbers) {
  const std::string steps = "--eval_during_training_at_specified_steps=";
  EXPECT_THAT(parse_error_of({"--data_dir=d", steps + "10,x"}),
              HasSubstr("'x' where a number above 0"));
  EXPECT_THAT(parse_error_of({"--data_dir=d", steps + "1.5"}), HasSubstr("1.5 is no step"));
  EXPECT_THAT(parse_error_of({"--data_dir=d", "--eval_during_training_at_specified_epochs=0"}),
              HasSubstr("above 0"));
}

// --- Combinations -------------------------------------------------------------------------------

TEST(Combinations, RefusesFlagsThatExcludeEachOther) {
  EXPECT_EQ(parse_error_of({"--num_batches=100", "--num_epochs=1"}),
            "--num_batches=100 and --num_epochs=1 exclude each other | "
            "give --num_batches or --num_epochs");
  EXPECT_THAT(parse_error_of({"--eval", "--num_eval_batches=1", "--num_eval_epochs=1"}),
              HasSubstr("exclude each other"));
  EXPECT_THAT(parse_error_of({"--forward_only", "--eval"}),
              HasSubstr("--eval and --forward_only exclude each other"));
  for (const char* other : {"--init_learning_rate=1", "--num_epochs_per_decay=1",
                            "--learning_rate_decay_factor=1", "--minimum_learning_rate=1"}) {
    EXPECT_THAT(parse_error_of({"--piecewise_learning_rate_schedule=0.1", other}),
                HasSubstr(fmt::format("{} exclude each other", other)));
  }
}

TEST(Combinations, PacksGradientsInOneWay) {
  const std::string replicated = "--variable_update=replicated";
  EXPECT_EQ(parse_error_of({replicated, "--gradient_repacking=4", "--fusion_threshold_mb=16"}),
            "--gradient_repacking=4 and --fusion_threshold_mb=16 exclude each other | "
            "give --gradient_repacking or --fusion_threshold_mb");
  EXPECT_THAT(
      parse_error_of({replicated, "--gradient_repacking=4", "--agg_small_grads_max_bytes=64"}),
      HasSubstr("exclude each other"));
  EXPECT_THAT(
      parse_error_of({replicated, "--fusion_threshold_mb=1", "--agg_small_grads_max_bytes=64"}),
      HasSubstr("exclude each other"));
  // Fusion that is off leaves room for another way.
  EXPECT_EQ(parse_error_of({replicated, "--gradient_repacking=4", "--fusion_threshold_mb=0"}),
            "no error");
}

TEST(Combinations, AreCheckedOverTheWholeTrial) {
  EXPECT_THAT(parse_error_of({"--staged_vars", "--variable_update=replicated"}),
              HasSubstr("--staged_vars works with --variable_update=parameter_server only"));
  EXPECT_THAT(parse_error_of({"--job_name=worker"}, {{"LOCKSTEP_WORKER_HOSTS", "a,b:x"}}),
              HasSubstr("host 'b:x': expected a port"));
}

TEST(Combinations, AcceptsAnExcludedFlagThatIsOff) {
  EXPECT_EQ(parse({"--forward_only", "--eval=False"}).trial.mode, Mode::forward_only);
  EXPECT_EQ(parse({"--eval", "--noforward_only"}).trial.mode, Mode::evaluation);
  EXPECT_EQ(parse({"--piecewise_learning_rate_schedule=1", "--minimum_learning_rate=0"})
                .trial.learning_rate.piecewise,
            "1");
  EXPECT_EQ(parse({"--num_batches=5", "--num_epochs="}).trial.num_batches, 5);
}

TEST(Combinations, WarnsOfFlagsThatLackTheirPartner) {
  const std::pair<const char*, const char*> lacking[] = {
      {"--eval_batch_size=8", "--eval or evaluation during training"},
      {"--eval_interval_secs=8", "--eval and --train_dir"},
      {"--eval_during_training_every_n_steps=8", "training and --data_dir"},
      {"--stop_at_top_1_accuracy=0.5", "evaluation during training"},
      {"--save_model_steps=8", "--train_dir in training"},
      {"--num_eval_batches=8", "--eval"},
      {"--num_eval_epochs=8", "--eval"},
      {"--distortions", "--data_dir"},
      {"--skip_corrupt", "--data_dir"},
      {"--momentum=0.5", "--optimizer=momentum"},
      {"--nonesterov", "--optimizer=momentum"},
      {"--rmsprop_decay=0.5", "--optimizer=rmsprop"},
      {"--rmsprop_momentum=0.5", "--optimizer=rmsprop"},
      {"--rmsprop_epsilon=0.5", "--optimizer=rmsprop"},
      {"--adam_beta1=0.5", "--optimizer=adam"},
      {"--adam_beta2=0.5", "--optimizer=adam"},
      {"--adam_epsilon=0.5", "--optimizer=adam"},
      {"--num_epochs_per_decay=1",
       "--init_learning_rate, --num_epochs_per_decay and --learning_rate_decay_factor"},
      {"--learning_rate_decay_factor=0.5",
       "--init_learning_rate, --num_epochs_per_decay and --learning_rate_decay_factor"},
      {"--minimum_learning_rate=0.5",
       "--init_learning_rate, --num_epochs_per_decay and --learning_rate_decay_factor"},
      {"--num_learning_rate_warmup_epochs=1",
       "--init_learning_rate or --piecewise_learning_rate_schedule"},
      {"--agg_small_grads_max_group=5", "--agg_small_grads_max_bytes"},
  };
  for (const auto& [arg, partner] : lacking) {
    EXPECT_THAT(parse({arg}).warnings,
                ElementsAre(fmt::format("{} has no effect: it acts with {} only", arg, partner)));
  }
  EXPECT_THAT(parse({"--resnet_base_lr=1", "--init_learning_rate=1"}).warnings,
              ElementsAre("--resnet_base_lr=1 has no effect: it acts with the model's own "
                          "learning rate only"));
  for (const char* update : {"--variable_update=independent", "--variable_update=barrier_only"}) {
    for (const char* arg : {"--fusion_threshold_mb=1", "--wire_precision=fp16"}) {
      EXPECT_THAT(parse({update, arg}).warnings,
                  ElementsAre(fmt::format("{} has no effect: it acts with a --variable_update that "
                                          "exchanges something only",
                                          arg)));
    }
  }
  for (const char* arg : {"--network_interface=eth0", "--start_timeout=1", "--token_file=a"}) {
    EXPECT_THAT(
        parse({"--transport=threads", arg}).warnings,
        ElementsAre(fmt::format("{} has no effect: it acts with several processes only", arg)));
  }
  EXPECT_THAT(parse({"--momentum=0.9", "--nesterov"}).warnings, IsEmpty());
}

TEST(Combinations, WarnsOfUpdatesWhereNothingIsTrained) {
  for (const char* mode : {"--forward_only", "--eval"}) {
    for (const char* arg : {"--optimizer=adam",
                            "--momentum=0.5",
                            "--nonesterov",
                            "--rmsprop_decay=0.5",
                            "--rmsprop_momentum=0.5",
                            "--rmsprop_epsilon=0.5",
                            "--adam_beta1=0.5",
                            "--adam_beta2=0.5",
                            "--adam_epsilon=0.5",
                            "--gradient_clip=1",
                            "--init_learning_rate=1",
                            "--num_epochs_per_decay=1",
                            "--learning_rate_decay_factor=0.5",
                            "--minimum_learning_rate=0.5",
                            "--piecewise_learning_rate_schedule=1",
                            "--num_learning_rate_warmup_epochs=1",
                            "--resnet_base_lr=1",
                            "--nocross_replica_sync",
                            "--replicas_to_aggregate=1",
                            "--staged_vars",
                            "--fusion_threshold_mb=1",
                            "--wire_precision=fp16",
                            "--agg_small_grads_max_group=5"}) {
      EXPECT_THAT(parse({mode, arg}).warnings,
                  ElementsAre(fmt::format("{} has no effect: it acts in training only", arg)));
    }
    for (const char* arg : {"--all_reduce_spec=xring", "--variable_consistency=relaxed",
                            "--gradient_repacking=2", "--agg_small_grads_max_bytes=8"}) {
      EXPECT_THAT(parse({mode, "--variable_update=replicated", arg}).warnings,
                  ElementsAre(fmt::format("{} has no effect: it acts in training only", arg)));
    }
    EXPECT_THAT(parse({mode, "--weight_decay=0", "--label_smoothing=0.1"}).warnings, IsEmpty());
    EXPECT_THAT(parse({mode, "--optimizer=sgd", "--momentum=0.9"}).warnings, IsEmpty());
  }
}

TEST(Combinations, LetsEvaluationFallBackOnTheTrainingFlags) {
  const Trial trial = parse({"--eval", "--batch_size=4", "--num_batches=7"}).trial;
  EXPECT_EQ(trial.batch_size, 4);
  EXPECT_EQ(trial.num_batches, 7);
  EXPECT_EQ(parse({"--eval_batch_size=8", "--batch_size=4"}).trial.batch_size, 4);
}

// --- Environment --------------------------------------------------------------------------------

TEST(Environment, StandsBelowTheCommandLine) {
  const Variables variables = {{"LOCKSTEP_BATCH_SIZE", "16"}, {"LOCKSTEP_MODEL", "lenet"}};
  const Trial trial = parse({"--batch_size=8"}, variables).trial;
  EXPECT_EQ(trial.batch_size, 8);
  EXPECT_EQ(trial.model, "lenet");
}

TEST(Environment, KnowsLongAliasesAndBooleans) {
  const Trial trial = parse({}, {{"LOCKSTEP_SEED", "5"}, {"LOCKSTEP_STRICT", "1"}}).trial;
  EXPECT_EQ(trial.seed, 5U);
  EXPECT_TRUE(trial.strict);
}

TEST(Environment, CountsAnEmptyVariableAsUnset) {
  EXPECT_EQ(parse({}, {{"LOCKSTEP_BATCH_SIZE", ""}}).trial, Trial());
}

TEST(Environment, IsNamedInMessages) {
  EXPECT_EQ(parse_error_of({}, {{"LOCKSTEP_BATCH_SIZE", "x"}}),
            "LOCKSTEP_BATCH_SIZE=x: expected an integer from 0 to 2147483647 | ");
  EXPECT_THAT(parse({}, {{"LOCKSTEP_XLA", "true"}}).warnings,
              ElementsAre(HasSubstr("LOCKSTEP_XLA=true has no effect")));
}

TEST(Environment, IsSearchedForMisspeltVariables) {
  EXPECT_THAT(parse({}, {{"LOCKSTEP_BATCHSIZE", "8"}}).warnings,
              ElementsAre("LOCKSTEP_BATCHSIZE has no effect: it stands for no flag; did you mean "
                          "LOCKSTEP_BATCH_SIZE?"));
  EXPECT_THAT(parse({}, {{"LOCKSTEP_batch_size", "8"}}).warnings,
              ElementsAre(HasSubstr("did you mean LOCKSTEP_BATCH_SIZE?")));
  EXPECT_THAT(parse({}, {{"LOCKSTEP_B", "8"}}).warnings,
              ElementsAre(HasSubstr("LOCKSTEP_B has no effect")));
  EXPECT_THAT(parse({}, {{"LOCKSTEP_QQQQQQQQQQ", "8"}}).warnings,
              ElementsAre("LOCKSTEP_QQQQQQQQQQ has no effect: it stands for no flag"));
}

TEST(Environment, MayHoldVariablesOfOthersOfLaunchersAndOfOurTests) {
  EXPECT_THAT(parse({}, {{"BATCHSIZE", "8"},
                         {"LOCKSTEP_BENCH_PYTHON", "python3"},
                         {"LOCKSTEP_UPDATE_GOLDEN", "1"},
                         {"LOCKSTEP_RANK", "0"},
                         {"LOCKSTEP_WORLD_SIZE", "2"},
                         {"LOCKSTEP_LOCAL_RANK", "0"},
                         {"LOCKSTEP_LOCAL_WORLD_SIZE", "2"},
                         {"LOCKSTEP_COORDINATOR", "a:2221"},
                         {"LOCKSTEP_SEED", "1"},
                         {"LOCKSTEP_BATCH_SIZE", "1"}})
                  .warnings,
              IsEmpty());
}

TEST(Environment, GivesWayToAFlagThatItExcludes) {
  const Trial batches = parse({"--num_batches=5"}, {{"LOCKSTEP_NUM_EPOCHS", "1"}}).trial;
  EXPECT_EQ(batches.num_batches, 5);
  EXPECT_EQ(batches.num_epochs, std::nullopt);
  const Trial epochs = parse({"--num_epochs=1"}, {{"LOCKSTEP_NUM_BATCHES", "5"}}).trial;
  EXPECT_EQ(epochs.num_batches, Trial().num_batches);
  EXPECT_EQ(epochs.num_epochs, 1);
  const Variables decay = {{"LOCKSTEP_INIT_LEARNING_RATE", "1"},
                           {"LOCKSTEP_NUM_EPOCHS_PER_DECAY", "2"},
                           {"LOCKSTEP_LEARNING_RATE_DECAY_FACTOR", "0.5"}};
  const Parsed piecewise = parse({"--piecewise_learning_rate_schedule=0.1"}, decay);
  EXPECT_EQ(piecewise.trial, parse({"--piecewise_learning_rate_schedule=0.1"}).trial);
  EXPECT_THAT(piecewise.warnings, IsEmpty());
}

TEST(Environment, DoesNotExcludeWhatItContains) {
  EXPECT_THAT(parse_error_of({}, {{"LOCKSTEP_NUM_BATCHES", "5"}, {"LOCKSTEP_NUM_EPOCHS", "1"}}),
              HasSubstr("LOCKSTEP_NUM_BATCHES=5 and LOCKSTEP_NUM_EPOCHS=1 exclude each other"));
}

}  // namespace
}  // namespace lockstep::spec
