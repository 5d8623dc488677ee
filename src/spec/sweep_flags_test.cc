#include "spec/sweep_flags.h"

#include <gmock/gmock.h>

#include <map>

#include "base/error.h"

namespace lockstep::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

struct World {
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> files;

  ParsedSweep parse(const std::vector<std::string>& args) const {
    std::vector<std::string> variables;
    for (const auto& [name, value] : environment) variables.push_back(name);
    return parse_sweep(
        args,
        [&](const char* name) {
          const auto found = environment.find(name);
          return found == environment.end() ? nullptr : found->second.c_str();
        },
        variables,
        [&](const std::string& path) {
          const auto found = files.find(path);
          if (found == files.end()) throw Error(ExitCode::usage, "cannot read " + path);
          return found->second;
        });
  }

  std::string error(const std::vector<std::string>& args) const {
    try {
      parse(args);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.hint().empty() ? error.what()
                                  : fmt::format("{} | {}", error.what(), error.hint());
    }
    return "no error";
  }
};

std::string yaml_error(const std::string& text) {
  return World{.environment = {}, .files = {{"s.yaml", text}}}.error({"--spec=s.yaml"});
}

TEST(ParseSweep, WithoutArgumentsLeavesTheMachineToDecide) {
  EXPECT_EQ(World().parse({}).sweep, Sweep());
}

TEST(ParseSweep, ReadsAListPerOption) {
  const Sweep sweep =
      World()
          .parse({"--models", "Inceptionv3:32,Alexnet:512,trivial", "--batch_size=4",
                  "--devices=4,1,2", "--strategies=replicated,parameter_server", "--num_ps=0,1",
                  "--data_formats=NCHW,NHWC", "--scaling=both", "--repeats=5", "--noceiling",
                  "--threads-per-device=2"})
          .sweep;
  EXPECT_THAT(sweep.models, ElementsAre(ModelBatch{"Inceptionv3", 32}, ModelBatch{"Alexnet", 512},
                                        ModelBatch{"trivial", 0}));
  EXPECT_EQ(sweep.batch_size, 4);
  EXPECT_THAT(sweep.devices, ElementsAre(1, 2, 4));
  EXPECT_THAT(sweep.strategies, ElementsAre("replicated", "parameter_server"));
  EXPECT_THAT(sweep.num_ps, ElementsAre(0, 1));
  EXPECT_THAT(sweep.data_formats, ElementsAre("NCHW", "NHWC"));
  EXPECT_THAT(sweep.scaling, ElementsAre(Scaling::weak, Scaling::strong));
  EXPECT_EQ(sweep.repeats, 5);
  EXPECT_FALSE(sweep.ceiling);
  EXPECT_EQ(sweep.threads_per_device, 2);
}

TEST(ParseSweep, TakesRunsWordsForItsLists) {
  const Sweep sweep =
      World()
          .parse({"-m", "lenet", "-b", "8", "--num_gpus=1:3", "--variable_update=horovod"})
          .sweep;
  EXPECT_THAT(sweep.models, ElementsAre(ModelBatch{"lenet", 0}));
  EXPECT_EQ(sweep.batch_size, 8);
  EXPECT_THAT(sweep.devices, ElementsAre(1, 2, 3));
  EXPECT_THAT(sweep.strategies, ElementsAre("horovod"));
}

TEST(ParseSweep, PassesRunsOtherFlagsToAllPoints) {
  const Sweep sweep =
      World().parse({"--optimizer=momentum", "--nonesterov", "--num-batches", "7"}).sweep;
  EXPECT_THAT(sweep.run_flags, ElementsAre(Pair("nesterov", "false"), Pair("num_batches", "7"),
                                           Pair("optimizer", "momentum")));
}

TEST(ParseSweep, LetsTheCommandLineWinOverTheEnvironmentAndThatOverTheFile) {
  const World world{.environment = {{"LOCKSTEP_REPEATS", "4"}, {"LOCKSTEP_RETRIES", "4"}},
                    .files = {{"s.yaml",
                               "repeats: 5\nretries: 5\nmodels: [lenet:5, trivial]\n"
                               "num_batches: 5\n"}}};
  const ParsedSweep parsed = world.parse({"--spec", "s.yaml", "--repeats=3"});
  EXPECT_EQ(parsed.sweep.repeats, 3);
  EXPECT_EQ(parsed.sweep.retries, 4);
  EXPECT_THAT(parsed.sweep.models, ElementsAre(ModelBatch{"lenet", 5}, ModelBatch{"trivial", 0}));
  EXPECT_THAT(parsed.sweep.run_flags, ElementsAre(Pair("num_batches", "5")));
  EXPECT_THAT(parsed.variables, ElementsAre("LOCKSTEP_REPEATS", "LOCKSTEP_RETRIES"));
}

TEST(ParseSweep, LetsOneNameOfAFlagWinOverTheOther) {
  const World world{.environment = {}, .files = {{"s.yaml", "model: trivial\n"}}};
  EXPECT_EQ(world.parse({"--spec=s.yaml", "-m", "lenet"}).sweep.models[0].model, "lenet");
}

TEST(ParseSweep, ReadsBackWhatToJsonWrites) {
  Sweep sweep;
  sweep.models = {{"alexnet", 32}, {"lenet", 0}};
  sweep.devices = {1, 3};
  sweep.strategies = {"horovod", "parameter_server"};
  sweep.num_ps = {1, 2};
  sweep.data_formats = {"NHWC"};
  sweep.inputs = {InputKind::synthetic, InputKind::real};
  sweep.scaling = {Scaling::weak, Scaling::strong};
  sweep.ceiling = false;
  sweep.threads_per_device = 2;
  sweep.repeats = 4;
  sweep.target_precision = 0.01;
  sweep.max_time = 1.0 / 3;
  sweep.launch_time = 2.5;
  sweep.retries = 0;
  sweep.point_time_limit = 100;
  sweep.run_flags = {{"data_dir", "/d"},
                     {"optimizer", "momentum"},
                     {"piecewise_learning_rate_schedule", "0.1;3;0.01"}};
  const World world{.environment = {}, .files = {{"sweep.json", to_json(sweep)}}};
  EXPECT_EQ(world.parse({"--spec=sweep.json"}).sweep, sweep);
}

TEST(ParseSweep, ResumesWithTheSweepOfTheDirectory) {
  const World world{.environment = {}, .files = {{"out/sweep.json", R"({"repeats": 7})"}}};
  const ParsedSweep parsed = world.parse({"--resume", "--result_dir=out"});
  EXPECT_TRUE(parsed.resume);
  EXPECT_EQ(parsed.sweep.repeats, 7);
  EXPECT_EQ(world.error({"--resume"}),
            "--resume needs --result_dir | name the directory of the sweep to go on with");
}

TEST(ParseSweep, WarnsOfVariablesThatStandForNothing) {
  const World world{.environment = {{"LOCKSTEP_MODELLS", "x"}, {"LOCKSTEP_RANK", "0"}},
                    .files = {}};
  EXPECT_THAT(world.parse({}).warnings,
              ElementsAre("LOCKSTEP_MODELLS has no effect: it stands for no flag; did you mean "
                          "LOCKSTEP_MODELS?"));
  EXPECT_THAT(world.parse({}).variables, IsEmpty());
}

TEST(ParseSweep, WarnsOfServersThatNoStrategyHas) {
  const World world;
  EXPECT_THAT(world.parse({"--num_ps=0,1", "--strategies=replicated,horovod"}).warnings,
              ElementsAre("--num_ps=0,1 has no effect: none of --strategies=replicated,horovod has "
                          "parameter servers"));
  EXPECT_THAT(world.parse({"--num_ps=1", "--strategies=replicated,parameter_server"}).warnings,
              IsEmpty());
  EXPECT_THAT(world.parse({"--num_ps=0"}).warnings, IsEmpty());
}

TEST(ParseSweep, RefusesWhatIsWrong) {
  const World world;
  EXPECT_EQ(world.error({"--modells=lenet"}),
            "unknown flag --modells | did you mean --models? lockstep sweep --helpfull shows all "
            "flags");
  EXPECT_THAT(world.error({"--modells=lenet", "--devises", "2"}),
              HasSubstr("2 arguments cannot be used:\n"
                        "  unknown flag --modells\n      did you mean --models?\n"
                        "  unknown flag --devises\n      did you mean --devices? | "));
  EXPECT_THAT(world.error({"--devices=0"}),
              HasSubstr("--devices=0: '0' is not a number of devices"));
  for (const char* devices : {"--devices=65537", "--devices=2000000", "--devices=1:2147483647"}) {
    EXPECT_THAT(world.error({devices}), HasSubstr("at most 65536"));
  }
  for (const char* servers : {"--num_ps=100000", "--num_ps=0,2147483647"}) {
    EXPECT_THAT(world.error({servers}), HasSubstr("expected an integer from 0 to 65536"));
  }
  EXPECT_THAT(world.error({"--devices=8:1"}), HasSubstr("the first count is above the last"));
  EXPECT_THAT(world.error({"--devices=1,1"}), HasSubstr("1 is there twice"));
  EXPECT_THAT(world.error({"--models=lenet:"}), HasSubstr("no batch size behind its colon"));
  EXPECT_THAT(world.error({"--models=:3"}), HasSubstr(":3 has no name"));
  EXPECT_THAT(world.error({"--models=lenet,,trivial"}), HasSubstr("one of the values is empty"));
  EXPECT_THAT(world.error({"--strategies=ring"}), HasSubstr("--strategies=ring: ring: expected"));
  EXPECT_THAT(world.error({"--strategies=replicatd"}), HasSubstr("did you mean replicated?"));
  EXPECT_THAT(world.error({"--num_ps=-1"}), HasSubstr("expected an integer"));
  EXPECT_THAT(world.error({"--worker_hosts=a,b"}), HasSubstr("a sweep's launcher decides that"));
  EXPECT_THAT(world.error({"--repeats=0"}), HasSubstr("--repeats=0: expected an integer"));
  EXPECT_THAT(world.error({"--momentum=x"}), HasSubstr("--momentum=x: expected a number"));
  EXPECT_THAT(world.error({"--inputs=fake"}), HasSubstr("unknown input 'fake' | known: synth"));
  EXPECT_THAT(world.error({"--inputs=synthetic,real"}), HasSubstr("need --data_dir"));
  EXPECT_THAT(world.error({"--inputs=real", "--data_dir=d", "--datasets_repeat_cached_sample"}),
              HasSubstr("exclude each other"));
  EXPECT_THAT(world.error({"--spec=gone.yaml"}), HasSubstr("cannot read gone.yaml"));
}

TEST(SweepYaml, NamesTheLineOfAMistakeAndTheClosestKey) {
  EXPECT_EQ(yaml_error("repeats: 3\n\nmodells: lenet\n"),
            "s.yaml:3: unknown key modells | did you mean models?");
  EXPECT_EQ(yaml_error("repeats: none\n"),
            "s.yaml:1: repeats=none: expected an integer from 1 to 2147483647");
  EXPECT_EQ(yaml_error("repeats: 3\nrepeats: 4\n"), "s.yaml:2: repeats is set in line 1 already");
  EXPECT_EQ(yaml_error("models:\n  lenet: 4\n"), "s.yaml:2: models is no single value");
  EXPECT_THAT(yaml_error("models: [a\nb: }"), HasSubstr("s.yaml:2: not YAML: "));
  EXPECT_THAT(yaml_error("- 1\n"), HasSubstr("s.yaml:1: expected flags and their values"));
  EXPECT_THAT(yaml_error(""), HasSubstr("s.yaml:1: expected flags and their values"));
}

TEST(SweepYaml, RefusesWhatItWouldHaveToIgnore) {
  EXPECT_EQ(yaml_error("---\nrepeats: 3\n---\ndevices: 2\n"),
            "s.yaml:4: a second document begins here | write one file for each sweep");
  EXPECT_EQ(yaml_error("repeats: 3\nspec: other.yaml\n"),
            "s.yaml:2: a file of --spec cannot name another one | write all flags into this file");
}

TEST(SweepYaml, RefusesOtherDocumentsAndVersions) {
  EXPECT_EQ(yaml_error(R"({"schema": {"name": "lockstep-run", "version": 1}})"),
            "s.yaml:1: this is no sweep of lockstep's");
  EXPECT_EQ(yaml_error(R"({"schema": {"name": "lockstep-sweep", "version": 2}})"),
            "s.yaml:1: a sweep of version 2; this lockstep reads version 1");
}

}  // namespace
}  // namespace lockstep::spec
