#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "machine/environment.h"
#include "spec/trial.h"
#include "stats/input.h"
#include "stats/ranks.h"
#include "stats/summary.h"

namespace lockstep::result {

// What a run took, beside its samples.
struct Usage {
  std::int64_t warmup_steps = 0;
  double seconds_to_first_step = 0;  // from the start of the program to the begin of step 0
  std::int64_t peak_rss_bytes = 0;
  double gflops = 0;                  // arithmetic of the model at the measured speed
  std::optional<double> peak_gflops;  // of the machine, measured in the same run
  std::optional<double> joules = {};  // of all hosts, over the timed steps
  std::optional<double> joules_per_image = {};
  std::optional<double> cost_per_million_images = {};
};

// 10^9 floating-point operations per second: 2 per multiply-add of the forward pass, and when
// training twice as many again for the gradients of the data and of the weights.
double gflops(double macs_per_image, double images_per_second, spec::Mode mode);

// How good the network was.
struct Evaluation {
  std::int64_t step = 0;  // of training, behind which it was looked at
  double top_1 = 0, top_5 = 0;
  std::int64_t images = 0;
  double seconds = 0;           // from the first step of the run on
  double training_seconds = 0;  // the same without evaluations and checkpoints
  bool reached = false;         // what --stop_at_top_1_accuracy asks for
};

// What all hosts took, where each of so many hosts tells.
std::optional<double> joules(std::span<const stats::RankSamples> ranks, std::size_t hosts);

double cost_per_million_images(double price_per_hour, std::size_t hosts, double images_per_second);

struct Measured {
  stats::Summary summary;
  Usage usage;
  std::vector<stats::RankSummary> ranks = {};      // that train
  std::vector<stats::ServerSummary> servers = {};  // that do not
  std::optional<stats::Straggler> straggler = {};
  std::optional<stats::InputSummary> input = {};
  std::vector<Evaluation> evaluations = {};
  // Which all-reduces exchanged the buckets, each once: "direct", "tree+ring". Empty: none did.
  std::string all_reduce = {};
  // What --conv_algorithm=auto took where there was a choice: names of algorithms by shape.
  std::map<std::string, std::string> convolutions = {};
};

struct Failure {
  ExitCode code = ExitCode::ok;
  std::string message;
  std::string hint;
};

// A trial with what came of it: numbers or an error, never both.
struct Result {
  spec::Trial trial;
  machine::Environment environment;
  std::vector<std::string> warnings;
  std::variant<Measured, Failure> outcome;

  const Measured* measured() const { return std::get_if<Measured>(&outcome); }
  const Failure* failure() const { return std::get_if<Failure>(&outcome); }
};

// The summary's own warnings follow those given.
Result measured_result(spec::Trial trial, machine::Environment environment,
                       std::vector<std::string> warnings, Measured measured);
Result failed_result(spec::Trial trial, machine::Environment environment,
                     std::vector<std::string> warnings, const Error& error);

}  // namespace lockstep::result
