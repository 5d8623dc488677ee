#include "cli/command_line.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "cli/compare.h"
#include "cli/data_options.h"
#include "cli/doctor_options.h"
#include "cli/flag_listing.h"
#include "cli/gate_options.h"
#include "cli/help.h"
#include "cli/import_options.h"
#include "cli/report.h"
#include "cli/sweep.h"
#include "cli/watch.h"
#include "comm/collective.h"
#include "data/formats.h"
#include "engine/engine.h"
#include "launch/launchers.h"
#include "report/import/formats.h"
#include "spec/flags.h"
#include "spec/names.h"
#include "spec/strategies.h"
#include "spec/transports.h"
#include "tests/golden.h"

namespace lockstep::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Output {
  ExitCode code;
  std::string out;
  std::string err;
};

Output lockstep(const std::vector<std::string>& arguments) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const ExitCode code = command_line(arguments, comm::transports());
  return {code, ::testing::internal::GetCapturedStdout(), ::testing::internal::GetCapturedStderr()};
}

TEST(CommandLine, TeachesOnHelp) {
  for (const char* word : {"--help", "-h", "help", "--helpfull"}) {
    const Output output = lockstep({word});
    EXPECT_EQ(output.code, ExitCode::ok);
    EXPECT_EQ(output.out, program_help());
    EXPECT_THAT(output.err, IsEmpty());
  }
}

TEST(CommandLine, TeachesOnStderrWhenNothingIsAsked) {
  const Output output = lockstep({});
  EXPECT_EQ(output.code, ExitCode::usage);
  EXPECT_THAT(output.out, IsEmpty());
  EXPECT_EQ(output.err, program_help());
}

TEST(CommandLine, ExplainsEachVerbInTwoWays) {
  for (const Verb& verb : verbs()) {
    const std::string name(verb.name);
    const Output output = lockstep({name, "--help"});
    EXPECT_EQ(output.code, ExitCode::ok);
    EXPECT_THAT(output.out, StartsWith("usage: lockstep " + name));
    EXPECT_EQ(lockstep({"help", name}).out, output.out);
    EXPECT_THAT(program_help(), HasSubstr(verb.summary));
  }
}

TEST(CommandLine, ExplainsOneVerbAtATime) {
  const Output output = lockstep({"help", "run", "extra"});
  EXPECT_EQ(output.code, ExitCode::usage);
  EXPECT_THAT(output.err, HasSubstr("unexpected argument extra\n"));
}

TEST(CommandLine, NamesTheClosestVerb) {
  const Output output = lockstep({"rum"});
  EXPECT_EQ(output.code, ExitCode::usage);
  EXPECT_THAT(output.out, IsEmpty());
  EXPECT_THAT(output.err, HasSubstr("error: unknown verb rum\n"));
  EXPECT_THAT(output.err, HasSubstr("hint: did you mean lockstep run? lockstep knows run, "));
}

TEST(CommandLine, PrintsTheVersion) {
  EXPECT_EQ(lockstep({"--version"}).out, lockstep({"version"}).out);
  EXPECT_THAT(lockstep({"--version"}).out, ::testing::MatchesRegex("lockstep [0-9.]+\n"));
  const auto json = nlohmann::json::parse(lockstep({"--version", "--json"}).out);
  EXPECT_EQ("lockstep " + json.at("version").get<std::string>() + "\n", lockstep({"version"}).out);
  EXPECT_EQ(lockstep({"version", "--xml"}).code, ExitCode::usage);
}

TEST(CommandLine, ColoursErrorsOnlyWhereAskedTo) {
  setenv("CLICOLOR_FORCE", "1", 1);
  const std::string coloured = lockstep({"rum"}).err;
  unsetenv("CLICOLOR_FORCE");
  EXPECT_THAT(coloured, HasSubstr("\x1b[1;31merror:\x1b[0m unknown verb"));
  EXPECT_THAT(lockstep({"rum"}).err, Not(HasSubstr("\x1b")));
}

std::pair<ExitCode, std::string> reported(const std::function<void()>& fails) {
  ::testing::internal::CaptureStderr();
  const ExitCode code = report_errors([&] {
    fails();
    return ExitCode::ok;
  });
  return {code, ::testing::internal::GetCapturedStderr()};
}

TEST(ReportErrors, TurnsExceptionsIntoMessagesAndExitCodes) {
  using Reported = std::pair<ExitCode, std::string>;
  EXPECT_EQ(reported([] {}), Reported(ExitCode::ok, ""));
  EXPECT_EQ(reported([] { throw Error(ExitCode::launch, "no host", "look"); }),
            Reported(ExitCode::launch, "error: no host\nhint: look\n"));
  EXPECT_EQ(reported([] { throw Error(ExitCode::usage, "bad"); }),
            Reported(ExitCode::usage, "error: bad\n"));
  EXPECT_EQ(reported([] { throw std::bad_alloc(); }),
            Reported(ExitCode::environment, "error: out of memory\n"));
  EXPECT_EQ(reported([] { throw std::out_of_range("index"); }),
            Reported(ExitCode::rank_failed, "error: unexpected: index\n"));
  EXPECT_EQ(
      reported([] { std::ignore = std::filesystem::file_size("/nowhere"); }),
      Reported(ExitCode::environment, "error: cannot use /nowhere: No such file or directory\n"));
  EXPECT_EQ(reported([] { std::ignore = nlohmann::json("\xff").dump(); }),
            Reported(ExitCode::usage,
                     "error: a name that is not valid UTF-8 cannot be written as JSON\n"));
  EXPECT_EQ(reported([] { std::ignore = nlohmann::json::parse("{"); }),
            Reported(ExitCode::usage,
                     "error: a JSON document is damaged, or not what was expected there\n"));
}

TEST(CommandLine, RefusesBytesThatNoResultCouldRepeat) {
  const Output output = lockstep({"run", "--result_dir=/tmp/\xff\xfe"});
  EXPECT_EQ(output.code, ExitCode::usage);
  EXPECT_THAT(output.err, HasSubstr("error: --result_dir=/tmp/"));
  EXPECT_THAT(output.err, HasSubstr(" is not valid UTF-8\n"));
  EXPECT_THAT(output.out, IsEmpty());
}

TEST(CommandLine, SaysWhenItsOutputIsLost) {
  std::fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  const int full = open("/dev/full", O_WRONLY);
  ASSERT_GE(dup2(full, STDOUT_FILENO), 0);
  ::testing::internal::CaptureStderr();
  const ExitCode code = command_line(std::vector<std::string>{"version"}, {});
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(full);
  EXPECT_EQ(code, ExitCode::environment);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "error: cannot write to standard output: No space left on device\n");
}

TEST(Run, PrintsTheResolvedConfigurationWithWarningsAside) {
  const Output output = lockstep({"run", "--batch-size", "8", "--xla", "--print-config"});
  EXPECT_EQ(output.code, ExitCode::ok);
  EXPECT_EQ(spec::trial_from_json(output.out).batch_size, 8);
  EXPECT_THAT(output.err, StartsWith("warning: --xla has no effect: "));
}

TEST(Run, PrintsAConfigurationWithNothingLeftToResolve) {
  const auto config = nlohmann::json::parse(
      lockstep({"run", "--model=lenet", "--num_epochs=2", "--batch_size=1000", "--print-config"})
          .out);
  EXPECT_EQ(config["num_batches"], 2563);  // 2 x 1,281,167 images
  EXPECT_GE(config["threads_per_device"], 1);
  EXPECT_EQ(config["dataset"], "imagenet");
}

TEST(Run, ExitsWithUsageForAnUnknownFlag) {
  const Output output = lockstep({"run", "--batchsize=8"});
  EXPECT_EQ(output.code, ExitCode::usage);
  EXPECT_THAT(output.err, HasSubstr("error: unknown flag --batchsize\nhint: did you mean"));
}

TEST(Help, OfAPartOfAVerbIsItsOwn) {
  EXPECT_EQ(lockstep({"data", "make", "--help"}).out, data_part_help("make"));
  EXPECT_EQ(lockstep({"data", "--help"}).out, data_help(false));
  EXPECT_EQ(lockstep({"data", "bake", "--help"}).out, data_help(false));
}

TEST(Help, IsAsCommitted) {
  expect_golden("tests/golden/help.txt", program_help());
  expect_golden("tests/golden/run_help.txt", run_help(false));
  expect_golden("tests/golden/sweep_help.txt", sweep_help(false));
  expect_golden("tests/golden/doctor_help.txt", doctor_help(false));
  expect_golden("tests/golden/compare_help.txt", compare_help(false));
  expect_golden("tests/golden/gate_help.txt", gate_help(false));
  expect_golden("tests/golden/data_help.txt", data_help(false));
  expect_golden("tests/golden/report_help.txt", report_help(false));
  expect_golden("tests/golden/import_help.txt", import_help(false));
  expect_golden("tests/golden/watch_help.txt", watch_help(false));
}

TEST(RunHelp, ShowsOnlyWorkingFlagsUnlessAskedForAll) {
  const std::string brief = lockstep({"run", "--help"}).out;
  const std::string full = lockstep({"run", "--helpfull"}).out;
  const auto shows = [](const std::string& text, const spec::Flag& flag) {
    const bool negatable = flag.type.kind == spec::Kind::boolean;
    const std::string name = fmt::format("--{}{}", negatable ? "[no]" : "", flag.name);
    return text.find(name + (negatable ? " " : "=")) != std::string::npos ||
           text.find(name + "\n") != std::string::npos;
  };
  for (const spec::Flag& flag : spec::flags()) {
    EXPECT_TRUE(shows(full, flag)) << flag.name;
    EXPECT_EQ(shows(brief, flag), flag.status == spec::Status::works) << flag.name;
  }
  EXPECT_THAT(full, HasSubstr("compile with XLA [false] (no effect: "));
  EXPECT_THAT(full, HasSubstr("file of a trace of one step (refused: "));
}

TEST(RunHelp, FitsIntoAHundredColumns) {
  std::size_t column = 0;
  for (const char c : run_help(true)) {
    column = c == '\n' ? 0 : column + 1;
    ASSERT_LE(column, 100U);
  }
}

TEST(List, PrintsEveryFlagInEveryFormat) {
  const std::string text = lockstep({"list", "flags"}).out;
  const std::string markdown = lockstep({"list", "flags", "--markdown"}).out;
  const auto json = nlohmann::json::parse(lockstep({"list", "flags", "--json"}).out);
  ASSERT_EQ(json.size(), spec::flags().size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const spec::Flag& flag = spec::flags()[i];
    EXPECT_EQ(json[i].at("name"), flag.name);
    EXPECT_THAT(text, HasSubstr(fmt::format("--{} ", flag.name)));
    EXPECT_THAT(markdown, HasSubstr(fmt::format("| `--{}`", flag.name)));
  }
}

TEST(List, NamesWhatItCanList) {
  const std::string known = lockstep({"list"}).err;
  for (const char* thing : {"models", "strategies", "algorithms", "transports", "launchers",
                            "engines", "formats", "datasets", "flags"}) {
    EXPECT_THAT(known, HasSubstr(thing));
    EXPECT_THAT(lockstep({"list", "--help"}).out, HasSubstr(fmt::format("\n  {} ", thing)));
  }
  const Output output = lockstep({"list", "flag"});
  EXPECT_EQ(output.code, ExitCode::usage);
  EXPECT_THAT(output.err, HasSubstr("unknown listing 'flag'\nhint: did you mean flags? known: "));
  EXPECT_EQ(lockstep({"list", "flags", "--yaml"}).code, ExitCode::usage);
}

TEST(List, PrintsTheModels) {
  EXPECT_THAT(lockstep({"list", "models"}).out, HasSubstr("resnet50_v1.5"));
  EXPECT_FALSE(nlohmann::json::parse(lockstep({"list", "models", "--json"}).out).empty());
  EXPECT_EQ(lockstep({"list", "models", "--markdown"}).code, ExitCode::usage);
}

// Each row of a table, by its name at the beginning of a line and as an object of JSON.
void expect_listed(const std::string& thing, const std::vector<std::string>& names) {
  SCOPED_TRACE(thing);
  const std::string text = lockstep({"list", thing}).out;
  const auto json = nlohmann::json::parse(lockstep({"list", thing, "--json"}).out);
  ASSERT_EQ(json.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_THAT(text, HasSubstr(fmt::format("\n{} ", names[i])));
    EXPECT_EQ(json[i].at("name"), names[i]);
  }
}

TEST(List, PrintsEveryTable) {
  const auto names = [](const auto& rows) {
    std::vector<std::string> all;
    for (const auto& row : rows) all.emplace_back(row.name);
    return all;
  };
  std::vector<std::string> strategies;
  for (const spec::StrategyRow& row : spec::strategies()) strategies.push_back(title(row));
  expect_listed("strategies", strategies);
  expect_listed("algorithms", names(comm::algorithms()));
  expect_listed("transports", names(spec::transports()));
  expect_listed("launchers", names(launch::launchers()));
  expect_listed("engines", names(engine::engines()));
  expect_listed("formats", names(report::import_formats()));
  expect_listed("datasets", names(data::formats()));
}

TEST(List, TellsStrategiesByTheirTraits) {
  const auto rows = nlohmann::json::parse(lockstep({"list", "strategies", "--json"}).out);
  EXPECT_EQ(rows[1], (nlohmann::json{{"name", "parameter_server (asynchronous)"},
                                     {"averages_gradients", true},
                                     {"in_step", false},
                                     {"servers", true},
                                     {"summary",
                                      "the same, but servers do not wait for all "
                                      "workers"}}));
  EXPECT_THAT(lockstep({"list", "strategies"}).out, HasSubstr("\nindependent "));
}

// `mpi` is in another program.
TEST(List, KnowsTheTransportsThatRanksAreConnectedBy) {
  for (const comm::TransportRow& row : comm::transports()) {
    EXPECT_EQ(std::ranges::count(spec::transports(), row.name, &spec::TransportRow::name), 1);
  }
  EXPECT_EQ(spec::transports().size() + 1, spec::kNames<spec::Transport>.size());  // auto
}

TEST(Show, PrintsTheLayersOfTheModelThatIsMeant) {
  EXPECT_EQ(lockstep({"show", "alexnet", "--data-name=cifar10"}).out,
            lockstep({"show", "alexnet_cifar"}).out);
  const auto layers = [](const std::vector<std::string>& arguments) {
    return nlohmann::json::parse(lockstep(arguments).out);
  };
  EXPECT_NE(layers({"show", "lenet", "--json"}),
            layers({"show", "lenet", "--json", "--num_classes=7"}));
}

TEST(Show, NamesTheClosestModel) {
  EXPECT_EQ(lockstep({"show"}).code, ExitCode::usage);
  const Output output = lockstep({"show", "resnet5"});
  EXPECT_EQ(output.code, ExitCode::usage);
  EXPECT_THAT(output.err, HasSubstr("resnet50"));
}

TEST(Documentation, OfFlagsIsTheTable) {
  expect_golden("docs/flags.md", list_flags_markdown());
}

}  // namespace
}  // namespace lockstep::cli
