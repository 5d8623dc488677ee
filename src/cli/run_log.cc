#include "cli/run_log.h"

#include <array>
#include <cstdio>

#include "spec/names.h"
#include "train/epochs.h"

namespace lockstep::cli {
namespace {

// At once, also through a pipe: somebody may be waiting for the line.
void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

report::Header header_of(const Job& job) {
  constexpr std::array kModes = {"training", "forward only", "evaluation"};
  const spec::Trial& trial = job.trial;
  report::Header header;
  header.version = LOCKSTEP_VERSION;
  header.model = trial.model;
  header.dataset = trial.dataset + " (synthetic)";
  header.mode = kModes[static_cast<std::size_t>(trial.mode)];
  header.global_batch = static_cast<int>(job.global_batch());
  header.device_batch = trial.batch_size;
  header.num_batches = job.batches;
  header.num_epochs = double(job.batches) * double(job.global_batch()) /
                      double(train::examples_per_epoch(trial, *job.model));
  for (int d = 0; d < trial.devices; ++d) header.devices.push_back(fmt::format("/cpu:{}", d));
  header.data_format = spec::name(trial.data_format);
  header.optimizer = spec::name(trial.optimizer.kind);
  header.variables = trial.exchange.variable_update;
  return header;
}

report::Accuracies mean_accuracies(std::span<const record::Sample> samples) {
  report::Accuracies mean;
  for (const record::Sample& sample : samples) {
    mean.top_1 += sample.top_1 / double(samples.size());
    mean.top_5 += sample.top_5 / double(samples.size());
  }
  return mean;
}

}  // namespace

RunLog::RunLog(const Job& job)
    : job_(job),
      lines_(job.trial, static_cast<int>(job.global_batch())),
      progress_(job.batches, report::Progress::standard_error()) {}

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

void RunLog::finish(const stats::Summary& summary, const train::Outcome& outcome) {
  progress_.hide();
  const auto timed =
      std::span(outcome.samples).subspan(static_cast<std::size_t>(outcome.warm_up_steps));
  if (job_.trial.mode == spec::Mode::evaluation) {
    say(report::accuracy_line(mean_accuracies(timed),
                              static_cast<std::int64_t>(timed.size()) * job_.global_batch()));
  }
  say(report::total_block(summary.images_per_second));
}

}  // namespace lockstep::cli
