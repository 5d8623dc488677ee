#pragma once

#include <cstdint>
#include <string_view>

#include "cli/job.h"
#include "comm/tcp/controller.h"
#include "record/sample.h"
#include "report/console.h"
#include "report/progress.h"
#include "stats/summary.h"
#include "train/worker.h"

namespace lockstep::cli {

// What a run says while it goes on: tf_cnn_benchmarks' lines on stdout, progress on stderr.
class RunLog {
 public:
  // The controller, unless it is null, gets the lines of stdout as well.
  RunLog(const Job& job, comm::tcp::ControllerLink* controller);

  void header();
  void warm_up();
  void timed();
  void step(const record::Sample& sample, std::int64_t timed_step);  // 0: warm-up
  void evaluation_start(std::int64_t step, bool last);
  void evaluated(const train::Evaluated& evaluated, bool last);
  void finish(const stats::Summary& summary, const train::Outcome& outcome);

 private:
  void say(std::string_view text);

  const Job& job_;
  comm::tcp::ControllerLink* controller_;
  report::StepLog lines_;
  report::Progress progress_;
  double window_begin_ = 0;  // evaluation's lines speak of the steps since the last one
};

}  // namespace lockstep::cli
