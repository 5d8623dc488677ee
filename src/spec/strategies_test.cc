#include "spec/strategies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "spec/flags.h"

namespace lockstep::spec {
namespace {

using ::testing::HasSubstr;

TEST(StrategyTable, IsFoundByNameAndByWhetherServersWait) {
  for (const StrategyRow& row : strategies()) {
    EXPECT_EQ(&find_strategy(row.name, row.asynchronous), &row);
  }
  EXPECT_EQ(strategy_named("no such"), nullptr);
  EXPECT_EQ(strategy_named("replicated", true), nullptr);
}

TEST(StrategyTable, HelpsThoseWhoMistype) {
  try {
    find_strategy("replicatd");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.hint(), HasSubstr("did you mean replicated?"));
    EXPECT_THAT(error.hint(), HasSubstr("barrier_only"));
  }
}

TEST(StrategyTable, IsWhatTheFlagChoosesFrom) {
  EXPECT_EQ(find_flag("variable_update")->type.choices, strategy_names());
}

// Traits that would contradict each other or the way that gradients take.
TEST(StrategyTable, HasRowsThatAgreeWithThemselves) {
  int ceilings = 0;
  for (const StrategyRow& row : strategies()) {
    SCOPED_TRACE(title(row));
    EXPECT_EQ(row.averages, row.route != Route::none);
    EXPECT_EQ(row.reduces, row.route == Route::all_reduce);
    EXPECT_EQ(row.served, row.averages && !row.reduces);
    EXPECT_EQ(row.asynchronous, row.route == Route::each_server);
    EXPECT_EQ(row.can_lag, strategy_named(row.name, true) != nullptr);
    EXPECT_TRUE(!row.asynchronous || (row.can_lag && !row.in_step));
    EXPECT_TRUE(!row.ceiling || (!row.averages && !row.in_step));
    EXPECT_TRUE(row.reduces || !(row.collective_only || row.controlled));
    EXPECT_TRUE(row.reduces || row.automatic == "auto");
    EXPECT_FALSE(row.summary.empty());
    ceilings += row.ceiling ? 1 : 0;
  }
  EXPECT_EQ(ceilings, 1);
}

TEST(StrategyTable, TellsATraitByNameAndNoneOfAnUnknownOne) {
  EXPECT_TRUE(has_trait("horovod", &StrategyRow::needs_launcher));
  EXPECT_FALSE(has_trait("replicated", &StrategyRow::needs_launcher));
  EXPECT_FALSE(has_trait("no such", &StrategyRow::averages));
  EXPECT_TRUE(is_ceiling(ceiling_strategy()));
}

TEST(StrategyTable, NamesThoseThatHaveATrait) {
  EXPECT_EQ(strategies_with(&StrategyRow::can_lag), "parameter_server");
  EXPECT_EQ(strategies_with(&StrategyRow::served), "parameter_server or distributed_replicated");
  EXPECT_THAT(strategies_with(&StrategyRow::reduces), HasSubstr("replicated, "));
}

}  // namespace
}  // namespace lockstep::spec
