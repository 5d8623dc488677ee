#include "report/console.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep::report {
namespace {

const std::string kRule = std::string(64, '-') + '\n';

// Python writes every not-a-number alike, C++ shows its sign.
std::string fixed(double value, int digits) {
  return std::isnan(value) ? "nan" : fmt::format("{:.{}f}", value, digits);
}

// Labels are padded to column 14.
std::string labelled(std::string_view label, std::string_view value) {
  return fmt::format("{:<13}{}\n", label, value);
}

std::string python_list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items)
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", item);
  return "[" + text + "]";
}

}  // namespace

std::string header_block(const Header& header) {
  std::string text = labelled("lockstep:", header.version);
  text += labelled("Model:", header.model);
  text += labelled("Dataset:", header.dataset);
  text += labelled("Mode:", header.mode);
  text += labelled("SingleSess:", "False");
  text += labelled("Batch size:", fmt::format("{} global", header.global_batch));
  text += labelled("", fmt::format("{} per device", header.device_batch));
  text += labelled("Num batches:", fmt::format("{}", header.num_batches));
  text += labelled("Num epochs:", fixed(header.num_epochs, 2));
  text += labelled("Devices:", python_list(header.devices));
  text += labelled("NUMA bind:", "False");
  text += labelled("Data format:", header.data_format);
  text += labelled("Optimizer:", header.optimizer);
  text += labelled("Variables:", header.variables);
  for (const auto& [label, value] : header.more) text += labelled(label + ":", value);
  return text + "==========\n";
}

std::string step_header(spec::LossToReport loss, bool with_accuracies) {
  return fmt::format("Step\tImg/sec\t{}{}\n",
                     loss == spec::LossToReport::total ? "total_loss" : "base_loss",
                     with_accuracies ? "\ttop_1_accuracy\ttop_5_accuracy" : "");
}

std::string step_line(std::int64_t step, const stats::Speed& speed, double loss,
                      const std::optional<Accuracies>& accuracies) {
  std::string line =
      fmt::format("{}\timages/sec: {} +/- {} (jitter = {})\t{}", step, fixed(speed.mean, 1),
                  fixed(speed.standard_error, 1), fixed(speed.jitter, 1), fixed(loss, 3));
  if (accuracies) {
    line += fmt::format("\t{}\t{}", fixed(accuracies->top_1, 3), fixed(accuracies->top_5, 3));
  }
  return line + '\n';
}

std::string total_block(double images_per_second) {
  return fmt::format("{}total images/sec: {}\n{}", kRule, fixed(images_per_second, 2), kRule);
}

std::string evaluation_line(std::int64_t step, double examples_per_second) {
  return fmt::format("{}\t{} examples/sec\n", step, fixed(examples_per_second, 1));
}

std::string running_evaluation(std::int64_t step, bool last) {
  return fmt::format("Running {}evaluation at global_step {}\n", last ? "final " : "", step);
}

std::string stopping(double top_1) {
  return fmt::format("Stopping, as eval accuracy at least {} was reached\n", top_1);
}

std::string accuracy_line(const Accuracies& accuracies, std::int64_t examples) {
  return fmt::format("Accuracy @ 1 = {} Accuracy @ 5 = {} [{} examples]\n",
                     fixed(accuracies.top_1, 4), fixed(accuracies.top_5, 4), examples);
}

StepLog::StepLog(const spec::Trial& trial, int global_batch)
    : display_every_(trial.display_every),
      loss_(trial.loss_to_report),
      with_accuracies_(trial.print_training_accuracy || trial.mode == spec::Mode::forward_only),
      speed_(global_batch, trial.display_perf_ewma) {}

std::string StepLog::header() const {
  return step_header(loss_, with_accuracies_);
}

std::optional<std::string> StepLog::add(const record::Sample& timed) {
  speed_.add(timed.end - timed.begin);
  const std::int64_t step = speed_.steps();
  if (step != 1 && step % display_every_ != 0) return std::nullopt;
  std::optional<Accuracies> accuracies;
  if (with_accuracies_) accuracies = {timed.top_1, timed.top_5};
  const float loss = loss_ == spec::LossToReport::total ? timed.loss : timed.base_loss;
  return step_line(step, speed_.speed(), loss, accuracies);
}

}  // namespace lockstep::report
