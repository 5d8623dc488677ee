#include "report/device_text.h"

#include <gtest/gtest.h>

#include "report/report_for_test.h"

namespace lockstep::report {
namespace {

result::SweepResults with_threads(const std::string& id, int threads) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 2}};
  sweep.devices = {1};
  sweep.ceiling = false;
  sweep.threads_per_device = threads;
  result::SweepResults report = report_of(sweep, {measured(8)});
  report.id = id;
  return report;
}

TEST(DeviceText, SaysWhatWasMeasured) {
  EXPECT_EQ(device_text(with_threads("a", 1)), "1 CPU thread");
  EXPECT_EQ(device_text(with_threads("a", 4)), "4 CPU threads");
  EXPECT_EQ(device_text(with_threads("a", 0)), "");
  result::SweepResults imported = with_threads("a", 0);
  imported.records[0].launches[0]->imported = true;
  imported.records[0].launches[0]->program = "Horovod";
  EXPECT_EQ(device_text(imported), "as Horovod counts them");
}

TEST(DeviceSentence, NamesResultsOnlyWhereTheirDevicesDiffer) {
  const std::vector<result::SweepResults> same = {with_threads("a", 2), with_threads("b", 2)};
  EXPECT_EQ(device_sentence(same), "A device: 2 CPU threads.");
  const std::vector<result::SweepResults> other = {with_threads("a", 2), with_threads("b", 4)};
  EXPECT_EQ(device_sentence(other), "A device: 2 CPU threads in a, 4 CPU threads in b.");
  EXPECT_EQ(device_sentence({}), "");
}

}  // namespace
}  // namespace lockstep::report
