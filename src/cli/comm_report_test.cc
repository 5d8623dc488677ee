#include "cli/comm_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const CommRow kRing{.bytes = 4000, .algorithm = "ring", .seconds = 1e-6, .wrong = 0};
const CommRow kTaken{
    .bytes = 4000, .algorithm = "auto", .taken = "tree", .seconds = 1e-6, .wrong = 0};

CommReport report_of(CommFormat format, std::vector<std::string> algorithms) {
  CommOptions options;
  options.sizes = {4000};
  options.algorithms = std::move(algorithms);
  options.format = format;
  return {options, 2};
}

TEST(CommReport, SaysWhatAutoTookBehindItsRows) {
  const CommReport table = report_of(CommFormat::table, {"auto", "ring"});
  EXPECT_THAT(table.header(), HasSubstr("wrong  taken\n"));
  EXPECT_THAT(table.row(kTaken), EndsWith("       0  tree\n"));
  EXPECT_THAT(table.row(kRing), EndsWith("       0\n"));
  EXPECT_THAT(report_of(CommFormat::table, {}).header(), Not(HasSubstr("taken")));

  const CommReport csv = report_of(CommFormat::csv, {"auto", "ring"});
  EXPECT_THAT(csv.header(), EndsWith(",wrong,taken\n"));
  EXPECT_THAT(csv.row(kTaken), EndsWith(",0,tree\n"));
  EXPECT_THAT(csv.row(kRing), EndsWith(",0,\n"));
}

TEST(CommReport, ClosesItsDocumentWithTheRowsThatThereAreAndTheError) {
  const CommReport report = report_of(CommFormat::json, {"auto", "ring"});
  const auto whole = nlohmann::json::parse(report.footer({kTaken, kRing}, {}, {}, std::nullopt));
  EXPECT_EQ(whole["rows"][0]["algorithm"], "auto");
  EXPECT_EQ(whole["rows"][0]["taken"], "tree");
  EXPECT_FALSE(whole["rows"][1].contains("taken"));
  EXPECT_FALSE(whole.contains("error"));

  const Error lost(ExitCode::rank_failed, "rank 1 is lost", "look there");
  const auto part = nlohmann::json::parse(report.footer({kRing}, {}, {}, lost));
  EXPECT_EQ(part["rows"].size(), 1U);
  EXPECT_EQ(
      part["error"],
      nlohmann::json({{"exit_code", 5}, {"message", "rank 1 is lost"}, {"hint", "look there"}}));
}

}  // namespace
}  // namespace lockstep::cli
