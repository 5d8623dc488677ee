#include "report/import/imported_json.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "report/import/fixtures_for_test.h"
#include "result/run_file.h"
#include "spec/trial.h"
#include "tests/golden.h"

namespace lockstep::report {
namespace {

const ImportInfo kInfo{
    .version = "0.1.0", .argv = {"lockstep", "import", "horovod.log"}, .written = 1'700'000'000};

TEST(ImportedRunJson, SaysWhatIsKnownAndWhereItIsFrom) {
  const Imported imported = import_sources({fixture("horovod.log")}, {});
  expect_golden("src/report/golden/imported_run.json",
                imported_run_json(kInfo, imported.runs.at(0)));
}

TEST(ImportedRunJson, IsReadLikeAnyOther) {
  const Imported imported = import_sources({fixture("tf_cnn_local.log")}, {});
  const std::string text = imported_run_json(kInfo, imported.runs.at(0));
  const auto launch = std::get<stats::Launch>(result::read_run_json(text));
  EXPECT_TRUE(launch.imported);
  EXPECT_EQ(launch.program, "TensorFlow 2.14");
  EXPECT_DOUBLE_EQ(launch.images_per_second, 546.52);
  EXPECT_EQ(launch.dataset, "imagenet");
  EXPECT_EQ(launch.mode, "training");
  const spec::Trial trial = spec::trial_from_json(nlohmann::json::parse(text).at("config").dump());
  EXPECT_EQ(trial.model, "resnet50");
  EXPECT_EQ(trial.devices, 2);
  EXPECT_EQ(trial.exchange.variable_update, "replicated");
}

TEST(ImportedCommJson, IsADocumentOfComm) {
  const Imported imported = import_sources({fixture("nccl_all_reduce.log")}, {});
  expect_golden("src/report/golden/imported_comm.json",
                imported_comm_json(kInfo, imported.collectives.at(0)));
}

}  // namespace
}  // namespace lockstep::report
