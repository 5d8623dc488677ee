#include "report/import/readers.h"

#include <gmock/gmock.h>

#include "report/import/fixtures_for_test.h"
#include "report/import/lines.h"
#include "report/import/survive_for_test.h"

namespace lockstep::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LogLines, LoseTheTagsOfLaunchers) {
  const auto lines = log_lines("[1,3]<stdout>:Model: a\r\n[2]<stderr>:b\n 7: c\nd: e\n[x] f\rg");
  ASSERT_EQ(lines.size(), 6);
  EXPECT_EQ(lines[0].text, "Model: a");
  EXPECT_EQ(lines[0].rank, 3);
  EXPECT_EQ(lines[1].text, "b");
  EXPECT_EQ(lines[1].rank, 2);
  EXPECT_EQ(lines[2].text, "c");
  EXPECT_EQ(lines[2].rank, 7);
  EXPECT_EQ(lines[3].text, "d: e");
  EXPECT_FALSE(lines[3].rank);
  EXPECT_EQ(lines[4].text, "[x] f");
  EXPECT_EQ(lines[5].text, "g");
  EXPECT_EQ(lines[5].number, 5);
}

// Its +- looks like an interval of the mean and is none.
TEST(HorovodLog, KeepsItsSpreadAsWhatItIs) {
  const Imported imported = import_sources({fixture("horovod.log")}, {});
  ASSERT_EQ(imported.runs.size(), 1);
  const ImportedRun& run = imported.runs[0];
  EXPECT_DOUBLE_EQ(run.images_per_second, 1007.6);
  EXPECT_EQ(run.figure, "rank 0's mean speed over 5 iterations, times 4");
  EXPECT_DOUBLE_EQ(run.spread.value().images_per_second, 7.5);
  EXPECT_THAT(run.spread->meaning, HasSubstr("1.96 standard deviations"));
  EXPECT_FALSE(run.standard_error);
  EXPECT_EQ(run.setup.model, "ResNet50");
  EXPECT_EQ(run.setup.batch_size, 32);
  EXPECT_EQ(run.setup.devices, 4);
  EXPECT_EQ(run.setup.strategy, "horovod");
}

TEST(HorovodLog, SaysWhatIsWrongWithIt) {
  const std::string log = fixture("horovod.log").text;
  EXPECT_EQ(refusal({{"h.log", log.substr(0, log.find("Total"))}}),
            "2 h.log:1: no line 'Total img/sec on N GPU(s): SPEED' follows | is the log whole?");
  EXPECT_THAT(refusal({{"h.log", "Total img/sec on 4 GPU(s): fast\n"}}), HasSubstr("h.log:1: "));
}

TEST(NcclTable, HasARowForEachSizeAndPlace) {
  const Imported imported = import_sources({fixture("nccl_all_reduce.log")}, {});
  ASSERT_EQ(imported.collectives.size(), 1);
  const ImportedCollectives& table = imported.collectives[0];
  EXPECT_EQ(table.operation, "all_reduce");
  EXPECT_EQ(table.ranks, 4);
  EXPECT_EQ(table.hosts, 2);
  EXPECT_EQ(table.operations, 20);
  ASSERT_EQ(table.rows.size(), 5);  // the last size was not measured in place
  EXPECT_EQ(table.rows[1].bytes, 1048576);
  EXPECT_EQ(table.rows[1].elements, 262144);
  EXPECT_EQ(table.rows[1].algorithm, "in_place");
  EXPECT_DOUBLE_EQ(table.rows[1].time_us, 62.5);
  EXPECT_DOUBLE_EQ(table.rows[1].algbw, 16.78);
  EXPECT_DOUBLE_EQ(table.rows[4].busbw, 41.94);
  EXPECT_EQ(table.rows[4].wrong, 0);
}

TEST(NcclTable, OfEarlierVersionsHasErrorsAndNoName) {
  const std::string old =
      "# nThread 1 nGpus 2 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 7\n"
      "#   Rank  0 Pid 1 on a device 0\n#   Rank  1 Pid 1 on a device 1\n"
      "#  out-of-place in-place\n"
      "# size count type redop time algbw busbw error time algbw busbw error\n"
      "8 2 float sum 10.0 0.01 0.02 0e+00 11.0 0.01 0.02 0e+00\n";
  EXPECT_THAT(refusal({{"old", old}}), HasSubstr("--operation=NAME says it"));
  const Imported imported = import_sources({{"old", old}}, {.operation = "all_gather"});
  EXPECT_EQ(imported.collectives[0].operation, "all_gather");
  EXPECT_EQ(imported.collectives[0].operations, 7);
  EXPECT_FALSE(imported.collectives[0].rows[0].wrong);
}

TEST(NcclTable, OfProcessesThatDoNotKnowEachOtherIsRefused) {
  std::string log = fixture("nccl_all_reduce.log").text;
  log.replace(log.find("Rank  1"), 7, "Rank  0");
  EXPECT_THAT(refusal({{"n", log}}), HasSubstr("n:7: a rank that is there twice"));
}

TEST(Curve, IsNamedByItsFile) {
  const Imported imported =
      import_sources({{"out/csv_tf/inceptionv3_b32.csv", "1,30.550\n2,57.45\n"}}, {});
  ASSERT_EQ(imported.runs.size(), 2);
  EXPECT_EQ(imported.runs[1].setup.model, "inception3_aux");  // that of those tests
  EXPECT_EQ(imported.runs[1].setup.batch_size, 32);
  EXPECT_EQ(imported.runs[1].setup.devices, 2);
  EXPECT_EQ(imported.runs[1].setup.strategy, "parameter_server");
  EXPECT_DOUBLE_EQ(imported.runs[1].images_per_second, 57.45);
  EXPECT_EQ(imported.runs[1].framework, "TensorFlow");
}

TEST(Curve, MayHaveNamesAboveItsColumns) {
  const std::vector<Source> mxnet = {
      {"csv_mxnet/resnet.csv", "num_gpus,img_processed_per_sec\n1,40\n"}};
  EXPECT_THAT(refusal(mxnet), HasSubstr("--batch_size=N says it"));
  const Imported imported = import_sources(mxnet, {.given = {.batch_size = 16}});
  EXPECT_EQ(imported.runs.at(0).setup.model, "resnet");
  EXPECT_EQ(imported.runs.at(0).framework, "MXNet");
}

TEST(Curve, SaysWhichLineIsWrong) {
  EXPECT_THAT(refusal({{"a_b1.csv", "1,2\n2,fast\n"}}),
              HasSubstr("a_b1.csv:2: expected 'devices,images per second', found '2,fast'"));
  EXPECT_THAT(refusal({{"a_b1.csv", "1,2\n1,3\n"}}), HasSubstr("a_b1.csv:2: 1 device again"));
  EXPECT_THAT(refusal({{"a_b1.csv", "1,2\n2,0\n"}}), HasSubstr("a_b1.csv:2: "));
  EXPECT_THAT(refusal({{"a_b1.csv.ideal", "1,2\n"}}), HasSubstr("computed, not measured"));
}

TEST(Tsv, HasARunInEachLine) {
  const Imported imported = import_sources({fixture("measurements.tsv")}, {});
  ASSERT_EQ(imported.runs.size(), 2);
  EXPECT_EQ(imported.runs[1].setup, (RunSetup{.model = "inception3",
                                              .mode = "training",
                                              .strategy = "parameter_server",
                                              .data_format = "NCHW",
                                              .batch_size = 64,
                                              .devices = 2}));
  EXPECT_DOUBLE_EQ(imported.runs[1].images_per_second, 93.1);
}

ImportOptions by_pattern(Compute compute, const std::string& pattern = "at ([0-9.]+)/s") {
  return {.given = {.model = "net", .strategy = "replicated", .batch_size = 8, .devices = 2},
          .pattern = pattern,
          .compute = compute,
          .scale = 2};
}

TEST(Pattern, ComputesWhatWasAskedFor) {
  const std::string log = "at 10/s\nwarm\nat 40/s\nat 20/s\nat 30.0/s\nat 50/s\n";
  const auto speed = [&](Compute compute) {
    return import_sources({{"any", log}}, by_pattern(compute)).runs.at(0).images_per_second;
  };
  EXPECT_DOUBLE_EQ(speed(Compute::average), 60);
  EXPECT_DOUBLE_EQ(speed(Compute::p50), 60);
  EXPECT_DOUBLE_EQ(speed(Compute::p90), 92);
  EXPECT_DOUBLE_EQ(speed(Compute::last), 100);
  EXPECT_DOUBLE_EQ(speed(Compute::total), 300);
}

TEST(Pattern, SaysWhatIsWrongWithIt) {
  const std::vector<Source> log = {{"any", "at 10/s\nat once/s\n"}};
  EXPECT_THAT(refusal(log, by_pattern(Compute::last, "at (.*)/s")),
              HasSubstr("any:2: --pattern finds 'once', which is not a number"));
  EXPECT_THAT(refusal(log, by_pattern(Compute::last, "at (")), HasSubstr("2 --pattern=at (: "));
  EXPECT_THAT(refusal(log, by_pattern(Compute::last, "at")), HasSubstr("has no group"));
  EXPECT_THAT(refusal(log, by_pattern(Compute::last, "no (x)")), HasSubstr("finds nothing"));
  EXPECT_THAT(refusal(log, {.format = "pattern"}), HasSubstr("needs --pattern"));
}

TEST(Pattern, UnderstandsThousandsSeparators) {
  const auto speed = [](const std::string& line, const std::string& pattern) {
    ImportOptions options = by_pattern(Compute::last, pattern);
    options.scale = 1;
    return import_sources({{"any", line + "\n"}}, options).runs.at(0).images_per_second;
  };
  const std::string before = "speed: ([0-9.]+)";
  const std::string after = "([0-9.]+) images/s";
  EXPECT_DOUBLE_EQ(speed("speed: 2,510.0 images/s", before), 2510);
  EXPECT_DOUBLE_EQ(speed("speed: 2,510.0 images/s", after), 2510);
  EXPECT_DOUBLE_EQ(speed("speed: 2,510.0 images/s", "speed: ([0-9.,]+)"), 2510);
  EXPECT_DOUBLE_EQ(speed("speed: 1,002,510.5, loss 1", before), 1002510.5);
  EXPECT_DOUBLE_EQ(speed("speed: 2'510.", before), 2510);
  EXPECT_DOUBLE_EQ(speed("speed: 2.510,5 images/s", before), 2510.5);
  EXPECT_DOUBLE_EQ(speed("speed: 2.510 images/s", before), 2.51);
  EXPECT_DOUBLE_EQ(speed("speed: 25,10 images/s", before), 25);  // two numbers
  // The expression says itself that the comma is between two cells.
  EXPECT_DOUBLE_EQ(speed("4,510.0", "^[0-9]+,([0-9.]+)"), 510);
  EXPECT_THAT(refusal({{"any", "speed: 251,5\n"}}, by_pattern(Compute::last, "speed: ([0-9.,]+)")),
              HasSubstr("any:1: --pattern finds '251,5', which is not a number | decimals follow a "
                        "point"));
}

TEST(Pattern, WarnsOfHalfANumberAndOfOutliers) {
  const ImportOptions cells = by_pattern(Compute::last, "^[0-9]+,([0-9.]+)");
  EXPECT_THAT(import_sources({{"any", "4,510.0\n"}}, cells).runs.at(0).warnings,
              ElementsAre("line 1: --pattern takes 510.0 out of 4,510.0"));
  const std::string log = "at 3/s\nat 100/s\nat 101/s\nat 99/s\nat 250/s\n";
  const ImportedRun run = import_sources({{"any", log}}, by_pattern(Compute::average)).runs.at(0);
  EXPECT_EQ(run.figure,
            "average of 5 numbers that 'at ([0-9.]+)/s' finds: minimum 3, median 100, maximum 250; "
            "times 2");
  EXPECT_THAT(run.warnings,
              ElementsAre("2 of 5 numbers are more than twice or less than half of the median, "
                          "100; the first is 3 in line 1"));
}

TEST(Pattern, MakesACurveOfWhatGroupsSay) {
  const ImportOptions by_name{.given = {.model = "net", .strategy = "replicated"},
                              .pattern = "batch (?P<batch_size>[0-9]+)|at (?<speed>[0-9.]+)",
                              .file_pattern = "(?<devices>[0-9]+)[(]?gpu"};
  const Imported curve = import_sources(
      {{"8gpu.log", "batch 32\nat 700\nat 702\n"}, {"4gpu.log", "at 400\nbatch 32\n"}}, by_name);
  ASSERT_EQ(curve.runs.size(), 2);
  EXPECT_EQ(curve.runs[0].setup.devices, 8);
  EXPECT_EQ(curve.runs[0].setup.batch_size, 32);
  EXPECT_DOUBLE_EQ(curve.runs[0].images_per_second, 701);
  EXPECT_EQ(curve.runs[1].setup.devices, 4);
  EXPECT_EQ(curve.runs[1].setup.batch_size, 32);

  const ImportOptions by_line{.given = {.strategy = "replicated", .batch_size = 8},
                              .pattern = "(?<model>[a-z]+) (?<devices>[0-9]+) (.*)"};
  const Imported table = import_sources({{"t", "a 1 10\nb 1 30\na 2 18\na 1 12\n"}}, by_line);
  ASSERT_EQ(table.runs.size(), 3);
  EXPECT_EQ(table.runs[0].setup.model, "a");
  EXPECT_DOUBLE_EQ(table.runs[0].images_per_second, 11);
  EXPECT_DOUBLE_EQ(table.runs[1].images_per_second, 30);
  EXPECT_EQ(table.runs[2].setup.devices, 2);
}

TEST(Pattern, SaysWhatIsWrongWithItsGroups) {
  const auto why = [](const std::string& pattern, const std::string& file_pattern) {
    return refusal({{"4x.log", "at 3/s\n"}}, {.pattern = pattern, .file_pattern = file_pattern});
  };
  EXPECT_THAT(why("(?<gpus>a)t (.*)/s", ""),
              HasSubstr("--pattern: a group cannot be called 'gpus' | known names: speed, model"));
  EXPECT_THAT(why("(?<devices>a)t (.*)/s", ""), HasSubstr("4x.log:1: --pattern: 'a' cannot be "));
  EXPECT_THAT(why("(?<speed>a(?<speed>t))", ""), HasSubstr("two groups are called speed"));
  EXPECT_THAT(why("(?<speed", ""), HasSubstr("a name has no end"));
  EXPECT_THAT(why("at (.*)/s", "4"), HasSubstr("has no named group"));
  EXPECT_THAT(why("at (.*)/s", "(?<devices>[a-z])"), HasSubstr("--file_pattern: 4x.log: 'x' ca"));
  EXPECT_THAT(why("at (.*)/s", "(?<devices>[0-9]+)gpu"), HasSubstr("finds nothing in the name 4x"));
  // All at once.
  EXPECT_EQ(why("at (.*)/s", "(?<devices>[0-9]+)x"),
            "2 4x.log:1: nothing says which model this is, how large the batch of a device is, how "
            "gradients were exchanged | --model=NAME, --batch_size=N, --strategy=NAME say it, or "
            "groups of --pattern or --file_pattern that are called so: (?<devices>[0-9]+)");
}

// The library's usual way would try 2^500 ways of reading such a line.
TEST(Pattern, TakesLongLinesAndAnyExpression) {
  const std::string line = std::string(500, 'a') + " at 5/s\n";
  const ImportOptions options = by_pattern(Compute::last, "(?:a*)*b|at ([0-9]+)/s");
  EXPECT_DOUBLE_EQ(import_sources({{"any", line}}, options).runs.at(0).images_per_second, 10);
}

TEST(Formats, AreToldApartByWhatFilesLookLike) {
  const auto looks = [](const Source& source) {
    std::vector<std::string_view> names;
    for (const ImportFormat& format : import_formats()) {
      if (format.looks_like != nullptr && format.looks_like(source)) names.push_back(format.name);
    }
    return names;
  };
  EXPECT_THAT(looks(fixture("tf_cnn_horovod_tagged.log")), ElementsAre("tf_cnn_benchmarks"));
  EXPECT_THAT(looks(fixture("horovod.log")), ElementsAre("horovod"));
  EXPECT_THAT(looks(fixture("nccl_all_reduce.log")), ElementsAre("nccl-tests"));
  EXPECT_THAT(looks(fixture("measurements.tsv")), ElementsAre("tsv"));
  EXPECT_THAT(looks({"a_b1.csv", "1,2\n"}), ElementsAre("curve"));
  EXPECT_THAT(looks({"x", "a text, of 1 line\n"}), ElementsAre());
  EXPECT_THAT(refusal({{"x", ""}}), HasSubstr("x looks like none of the formats"));
  EXPECT_THAT(refusal({{"x", ""}}, {.format = "nccl"}), HasSubstr("unknown format 'nccl'"));
}

TEST(Formats, SurviveDamagedFiles) {
  for (const char* name : {"tf_cnn_horovod_tagged.log", "tf_cnn_worker0.log", "horovod.log",
                           "nccl_all_reduce.log", "measurements.tsv"}) {
    const std::string whole = fixture(name).text;
    for (std::size_t at = 0; at < whole.size(); at += 101) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(at * 37);
      for (const std::string& text : {whole.substr(0, at), whole.substr(at), damaged}) {
        survive_import(text);
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::report
