#include "cli/run_log.h"

#include <array>
#include <cerrno>
#include <csignal>

#include "base/streams.h"
#include "cli/interrupt.h"
#include "spec/names.h"

namespace lockstep::cli {
namespace {

report::Header header_of(const Job& job) {
  constexpr std::array kModes = {"training", "forward only", "evaluation"};
  const bool synthetic = job.trial.data.dir.empty();
  const spec::Trial& trial = job.trial;
  report::Header header;
  header.version = LOCKSTEP_VERSION;
  header.model = trial.model;
  header.dataset = trial.dataset + (synthetic ? " (synthetic)" : "");
  header.mode = job.evaluates_during_training() ? "training + evaluation"
                                                : kModes[static_cast<std::size_t>(trial.mode)];
  header.global_batch = static_cast<int>(job.global_batch());
  header.device_batch = trial.batch_size;
  header.num_batches = job.batches;
  header.num_epochs = double(job.batches) * double(job.global_batch()) / double(job.examples);
  for (int d = 0; d < trial.devices; ++d) header.devices.push_back(fmt::format("/cpu:{}", d));
  header.data_format = spec::name(trial.data_format);
  header.optimizer = spec::name(trial.optimizer.kind);
  header.variables = trial.exchange.variable_update;
  if (!trial.exchange.all_reduce_spec.empty()) {
    header.more.emplace_back("AllReduce", trial.exchange.all_reduce_spec);
  }
  if (trial.cluster.job_name != spec::JobName::none) {
    header.more.emplace_back("Sync", trial.exchange.cross_replica_sync ? "True" : "False");
  }
  if (trial.exchange.staged_vars) header.more.emplace_back("Staged vars", "True");
  return header;
}

report::Accuracies accuracies(const train::Score& score) {
  return {score.top_1(), score.top_5()};
}

}  // namespace

RunLog::RunLog(const Job& job, comm::tcp::ControllerLink* controller)
    : job_(job),
      controller_(controller),
      lines_(job.trial, static_cast<int>(job.global_batch())),
      progress_(job.batches, report::Progress::standard_error()) {}

// At once, also through a pipe: somebody may be waiting for the line.
void RunLog::say(std::string_view text) {
  write_output(text);
  flush_output();
  if (output_error() == EPIPE) Interrupt::ask(SIGPIPE);  // nobody waits for the rest
  if (controller_ != nullptr) controller_->print(text);
}

void RunLog::header() {
  say(report::header_block(header_of(job_)));
  say(job_.training() ? report::kGeneratingTraining : report::kGeneratingEvaluation);
  say(report::kInitializing);
}

void RunLog::warm_up() {
  say(report::kRunningWarmup);
  progress_.announce("warming up");
}

void RunLog::timed() {
  progress_.hide();
  say(report::kDoneWarmup);
  if (job_.trial.mode != spec::Mode::evaluation) say(lines_.header());
  progress_.start();
}

void RunLog::step(const record::Sample& sample, std::int64_t timed_step) {
  if (timed_step == 0) {
    window_begin_ = sample.end;
    return;
  }
  const int every = job_.trial.display_every;
  std::optional<std::string> line;
  if (job_.trial.mode != spec::Mode::evaluation) {
    line = lines_.add(sample);
  } else if (timed_step % every == 0) {
    line = report::evaluation_line(
        timed_step, every * double(job_.global_batch()) / (sample.end - window_begin_));
    window_begin_ = sample.end;
  }
  if (line) {
    progress_.hide();
    say(*line);
  }
  progress_.update(timed_step);
}

void RunLog::evaluation_start(std::int64_t step, bool last) {
  progress_.hide();
  if (last) say(report::kDoneTraining);
  say(report::running_evaluation(step, last));
}

void RunLog::evaluated(const train::Evaluated& evaluated, bool last) {
  say(report::accuracy_line(accuracies(evaluated.score), evaluated.score.images));
  if (last) return;
  say(evaluated.reached ? report::stopping(*job_.trial.evaluation.stop_at_top_1)
                        : std::string(report::kResumingTraining));
}

void RunLog::finish(const stats::Summary& summary, const train::Outcome& outcome) {
  progress_.hide();
  if (job_.trial.mode == spec::Mode::evaluation) {
    const train::Score score = score_of(job_, outcome);
    say(report::accuracy_line(accuracies(score), score.images));
  }
  say(report::total_block(summary.images_per_second));
}

}  // namespace lockstep::cli
