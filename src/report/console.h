#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/sample.h"
#include "report/running_speed.h"
#include "spec/trial.h"
#include "stats/speed.h"

namespace lockstep::report {

// What `run` prints on stdout: tf_cnn_benchmarks' lines, byte for byte, so that whatever reads
// those reads ours. Every function returns whole lines.

struct Header {
  std::string version;  // ours, where tf_cnn_benchmarks has TensorFlow's
  std::string model;
  std::string dataset;  // "imagenet (synthetic)"
  std::string mode;     // "training", "forward only", "evaluation"
  int global_batch = 0;
  int device_batch = 0;
  std::int64_t num_batches = 0;
  double num_epochs = 0;
  std::vector<std::string> devices;  // "/cpu:0"
  std::string data_format;
  std::string optimizer;
  std::string variables;
  // Lines that only some runs have, behind "Variables": {"AllReduce", "ring"}.
  std::vector<std::pair<std::string, std::string>> more;
};
std::string header_block(const Header& header);

inline constexpr std::string_view kGeneratingTraining = "Generating training model\n";
inline constexpr std::string_view kGeneratingEvaluation = "Generating evaluation model\n";
inline constexpr std::string_view kInitializing = "Initializing graph\n";
inline constexpr std::string_view kRunningWarmup = "Running warm up\n";
inline constexpr std::string_view kDoneWarmup = "Done warm up\n";

inline constexpr std::string_view kDoneTraining = "Done with training\n";
inline constexpr std::string_view kResumingTraining = "Resuming training\n";

struct Accuracies {
  double top_1 = 0;
  double top_5 = 0;
};
std::string step_header(spec::LossToReport loss, bool with_accuracies);
std::string step_line(std::int64_t step, const stats::Speed& speed, double loss,
                      const std::optional<Accuracies>& accuracies = {});
std::string total_block(double images_per_second);

std::string evaluation_line(std::int64_t step, double examples_per_second);
std::string accuracy_line(const Accuracies& accuracies, std::int64_t examples);

// Around evaluations during training; `last`: behind the last step.
std::string running_evaluation(std::int64_t step, bool last);
std::string stopping(double top_1);

// Turns timed steps into lines: the first step and every `display_every`th has one, and it speaks
// of all steps so far, not of those since the last line.
class StepLog {
 public:
  StepLog(const spec::Trial& trial, int global_batch);

  std::string header() const;
  // The line of this step, when it has one.
  std::optional<std::string> add(const record::Sample& timed);

 private:
  int display_every_;
  spec::LossToReport loss_;
  bool with_accuracies_;
  RunningSpeed speed_;
};

}  // namespace lockstep::report
