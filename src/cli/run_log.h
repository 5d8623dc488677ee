#pragma once

#include <cstdint>

#include "cli/job.h"
#include "record/sample.h"
#include "report/console.h"
#include "report/progress.h"
#include "stats/summary.h"
#include "train/worker.h"

namespace lockstep::cli {

// What a run says while it goes on: tf_cnn_benchmarks' lines on stdout, progress on stderr.
class RunLog {
 public:
  explicit RunLog(const Job& job);

  void header();
  void warm_up();
  void timed();
  void step(const record::Sample& sample, std::int64_t timed_step);  // 0: warm-up
  void evaluation_start(std::int64_t step, bool last);
  void evaluated(const train::Evaluated& evaluated, bool last);
  void finish(const stats::Summary& summary, const train::Outcome& outcome);

 private:
  const Job& job_;
  report::StepLog lines_;
  report::Progress progress_;
  double window_begin_ = 0;  // evaluation's lines speak of the steps since the last one
};

}  // namespace lockstep::cli
