#include <gmock/gmock.h>

#include "report/import/fixtures_for_test.h"

namespace lockstep::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ImportedRun only_run(std::vector<Source> sources, const ImportOptions& options = {}) {
  const Imported imported = import_sources(std::move(sources), options);
  EXPECT_EQ(imported.runs.size(), 1);
  return imported.runs.at(0);
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), by);
}

TEST(TfCnnLog, OfOneProcessTellsSpeedSpreadAndConfiguration) {
  const ImportedRun run = only_run({fixture("tf_cnn_local.log")});
  EXPECT_EQ(run.format, "tf_cnn_benchmarks");
  EXPECT_EQ(run.framework, "TensorFlow 2.14");
  EXPECT_EQ(run.line, 2);
  EXPECT_DOUBLE_EQ(run.images_per_second, 546.52);
  EXPECT_DOUBLE_EQ(run.standard_error.value(), 0.6);
  EXPECT_DOUBLE_EQ(run.jitter.value(), 4.4);
  EXPECT_EQ(run.steps_measured, 100);
  EXPECT_DOUBLE_EQ(run.step_seconds.value(), 128 / 546.52);
  EXPECT_EQ(run.setup, (RunSetup{.model = "resnet50",
                                 .dataset = "imagenet",
                                 .mode = "training",
                                 .strategy = "replicated",
                                 .data_format = "NCHW",
                                 .optimizer = "sgd",
                                 .batch_size = 64,
                                 .devices = 2}));
  EXPECT_THAT(run.warnings, IsEmpty());
}

// Each rank's total is of the whole cluster already: neither their sum nor one of them alone.
TEST(TfCnnLog, OfHorovodRanksIsOneFigureOfTheCluster) {
  const ImportedRun mixed = only_run({fixture("tf_cnn_horovod.log")});
  EXPECT_DOUBLE_EQ(mixed.images_per_second, (301.40 + 301.80) / 2);
  EXPECT_EQ(mixed.setup.devices, 2);
  EXPECT_EQ(mixed.figure, "mean of the totals of 2 ranks");
  EXPECT_FALSE(mixed.standard_error);  // its lines speak of one rank each
  const ImportedRun tagged = only_run({fixture("tf_cnn_horovod_tagged.log")});
  EXPECT_DOUBLE_EQ(tagged.images_per_second, 241.5);
  EXPECT_EQ(tagged.setup.devices, 4);
  EXPECT_THAT(tagged.warnings, IsEmpty());
}

TEST(TfCnnLog, OfWorkersInFilesOfTheirOwnIsOneRun) {
  const ImportedRun run = only_run({fixture("tf_cnn_worker0.log"), fixture("tf_cnn_worker1.log")});
  EXPECT_DOUBLE_EQ(run.images_per_second, (1018.18 + 1016.02) / 2);
  EXPECT_EQ(run.setup.devices, 4);
  EXPECT_EQ(run.setup.strategy, "distributed_replicated");
  EXPECT_THAT(run.files, ElementsAre("tf_cnn_worker0.log", "tf_cnn_worker1.log"));
}

TEST(TfCnnLog, OfOneRankOfSeveralSaysThatTheOthersAreMissing) {
  EXPECT_THAT(only_run({fixture("tf_cnn_worker1.log")}).warnings,
              ElementsAre("the totals of 1 of 2 ranks are known"));
}

TEST(TfCnnLog, RunsBehindEachOtherAreLaunches) {
  const Source log = fixture("tf_cnn_local.log");
  const Imported twice = import_sources({{"loop.log", log.text + log.text}, log}, {});
  EXPECT_EQ(twice.runs.size(), 3);
  // The workers of two launches: the first of each make a run, and the second.
  const Source w0 = fixture("tf_cnn_worker0.log"), w1 = fixture("tf_cnn_worker1.log");
  const Imported workers =
      import_sources({{"w0", w0.text + w0.text}, {"w1", w1.text + w1.text}}, {});
  ASSERT_EQ(workers.runs.size(), 2);
  EXPECT_DOUBLE_EQ(workers.runs[1].images_per_second, (1018.18 + 1016.02) / 2);
}

TEST(TfCnnLog, OfRanksWithoutNamesIsOneRunWhenThatIsSaid) {
  std::string log = fixture("tf_cnn_local.log").text;
  log = replaced(log, "['/gpu:0', '/gpu:1']", "['horovod/gpu:0', 'horovod/gpu:1']");
  log = replaced(log, "Variables:   replicated", "Variables:   horovod");
  const std::vector<Source> files = {{"a.log", log}, {"b.log", replaced(log, "546.52", "540.52")}};
  EXPECT_DOUBLE_EQ(only_run(files, {.one_run = true}).images_per_second, 543.52);
  EXPECT_EQ(import_sources(files, {}).runs.size(), 2);
  EXPECT_EQ(
      import_sources({{"out/rank.0/stdout", log}, {"out/rank.1/stdout", log}}, {}).runs.size(), 1);
}

TEST(TfCnnLog, OfLockstepItselfIsReadToo) {
  const std::string log =
      replaced(fixture("tf_cnn_local.log").text, "TensorFlow:  2.14", "lockstep:    0.1.0");
  EXPECT_EQ(only_run({{"own.log", log}}).framework, "lockstep 0.1.0");
}

TEST(TfCnnLog, WithoutATotalIsRefusedAndOneAmongOthersLeftOut) {
  const std::string log = fixture("tf_cnn_local.log").text;
  const std::string cut = log.substr(0, log.find("total images/sec"));
  EXPECT_EQ(refusal({{"cut.log", cut}}),
            "2 cut.log:27: no run ends in a line 'total images/sec: SPEED' | is the log whole?");
  const Imported both = import_sources({{"both.log", log + cut}}, {});
  EXPECT_EQ(both.runs.size(), 1);
  EXPECT_THAT(both.warnings, ElementsAre(HasSubstr("a run that printed no total is left out")));
}

TEST(TfCnnLog, SaysWhatIsWrongWithIt) {
  const std::string log = fixture("tf_cnn_local.log").text;
  EXPECT_THAT(refusal({{"f", replaced(log, "546.52", "nan")}}),
              HasSubstr("f:27: expected a speed behind 'total images/sec:', found 'nan'"));
  EXPECT_THAT(refusal({{"f", replaced(log, "64 per device", "60 per device")}}),
              HasSubstr("a batch of 128 in all cannot be 60 per device"));
  EXPECT_THAT(refusal({{"f", replaced(log, "Model:       resnet50\n", "")}}),
              HasSubstr("nothing says which model this is | --model=NAME says it"));
  // Early versions printed a worker's own batch: nobody can tell how many workers there were.
  EXPECT_THAT(
      refusal({{"f", replaced(fixture("tf_cnn_worker0.log").text, "256 global", "128 global")}}),
      HasSubstr("--devices=N says how many devices took part"));
}

}  // namespace
}  // namespace lockstep::report
