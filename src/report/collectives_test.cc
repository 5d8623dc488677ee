#include "report/collectives.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/files.h"
#include "base/text.h"

namespace lockstep::report {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kDocument = R"({
  "schema": {"name": "lockstep-comm", "version": 1},
  "configuration": {"operation": "all_reduce", "transport": "threads", "ranks": 2, "hosts": 1},
  "rows": [
    {"bytes": 2048, "buckets": 1, "algorithm": "ring", "busbw_GBps": 2.5, "wrong": null},
    {"bytes": 1024, "buckets": 3, "algorithm": "ring", "busbw_GBps": 1.5, "wrong": 0},
    {"bytes": 4096, "buckets": 1, "algorithm": "tree", "busbw_GBps": 9.5, "wrong": 7}]})";

TEST(Collectives, AreReadWhereTheirSumsAreRight) {
  const fs::path directory = fs::path(testing::TempDir()) / "collectives";
  fs::create_directories(directory);
  write_file(directory / "comm.json", kDocument);
  write_file(directory / "comm_cut_off.json", std::string(kDocument).substr(0, 200));
  write_file(directory / "comm_other.json",
             R"({"schema": {"name": "lockstep-run", "version": 1}})");
  std::vector<std::string> problems;
  const std::vector<Collectives> all = read_collectives(directory, problems);
  fs::remove_all(directory);

  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].operation, "all_reduce");
  std::vector<std::string> rows;
  for (const Collectives::Row& row : all[0].rows) {
    rows.push_back(fmt::format("{}: {} of {}", row.algorithm, row.bus_bandwidth, row.bytes));
  }
  EXPECT_THAT(rows, ElementsAre("ring, 3 buckets at once: 1.5 of 1024", "ring: 2.5 of 2048"));
  EXPECT_THAT(problems, ElementsAre(HasSubstr("comm.json: 1 row left out, with wrong sums"),
                                    HasSubstr("comm_cut_off.json is left out"),
                                    HasSubstr("its schema is {\"name\":\"lockstep-run\"")));
}

TEST(Collectives, OfOthersNeedNotNameTheirTransport) {
  const fs::path directory = fs::path(testing::TempDir()) / "imported_collectives";
  fs::create_directories(directory);
  write_file(directory / "comm.json",
             read_file(fs::path(LOCKSTEP_SOURCE_DIR) / "src/report/golden/imported_comm.json"));
  std::vector<std::string> problems;
  const Figure figure = collectives_figure(read_collectives(directory, problems));
  fs::remove_all(directory);
  EXPECT_THAT(problems, IsEmpty());
  ASSERT_EQ(figure.panels.size(), 1);
  EXPECT_EQ(figure.panels[0].label,
            "all_reduce: 4 ranks on 2 hosts; nccl-tests, " + directory.string());
}

Collectives measured_by(const std::string& program, const std::string& operation,
                        std::vector<Collectives::Row> rows) {
  return {.operation = operation,
          .transport = "",
          .program = program,
          .directory = "results/" + program,
          .ranks = 4,
          .hosts = 2,
          .rows = std::move(rows)};
}

TEST(CollectivesComparison, HasOnePanelForAnOperationWithALineForEachProgram) {
  const std::vector<Collectives> all = {
      measured_by("nccl-tests", "all_reduce", {{"in_place", 1024, 8}, {"in_place", 2048, 16}}),
      measured_by("lockstep", "all_reduce", {{"ring", 1024, 0}, {"ring", 2048, 2}}),
      measured_by("lockstep", "broadcast", {{"tree", 1024, 1}})};
  const Figure figure = collectives_comparison(all);
  ASSERT_EQ(figure.panels.size(), 2);
  EXPECT_EQ(figure.panels[0].label, "all_reduce");
  const std::string svg = svg_file(figure, "");
  EXPECT_THAT(svg,
              HasSubstr(">nccl-tests, results/nccl-tests: in_place, 4 ranks on 2 hosts</text>"));
  EXPECT_THAT(svg, HasSubstr(">lockstep, results/lockstep: ring, 4 ranks on 2 hosts</text>"));
  EXPECT_THAT(svg, HasSubstr(">bus bandwidth, GB/s (log scale)</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));  // the bandwidth of 0

  const std::string table = collectives_table(all);
  EXPECT_THAT(table, ContainsRegex("all_reduce +2.00 KiB +results/lockstep +lockstep +4 +2 +ring "
                                   "+2 +0.125\n"));
  EXPECT_THAT(table, ContainsRegex("broadcast +1.00 KiB .*tree +1 +-\n"));
  const std::string narrow = collectives_table(all, 80);
  for (const std::string& line : split(narrow, '\n')) EXPECT_LE(line.size(), 80) << line;
  EXPECT_THAT(narrow, HasSubstr("left out in this narrow terminal: hosts"));
  EXPECT_THAT(narrow, ContainsRegex("2.00 KiB +results/lockstep .*ring +2 +0.125\n"));
}

}  // namespace
}  // namespace lockstep::report
