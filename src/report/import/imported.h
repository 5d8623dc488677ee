#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::report {

// A file that others wrote.
struct Source {
  std::string path;
  std::string text;
};

// What was measured, as far as a log says it, or whoever imports it.
struct RunSetup {
  std::optional<std::string> model = {};
  std::optional<std::string> dataset = {};   // "imagenet"
  std::optional<std::string> mode = {};      // as in run.json: "training"
  std::optional<std::string> strategy = {};  // as --variable_update spells it
  std::optional<std::string> data_format = {};
  std::optional<std::string> optimizer = {};
  std::optional<int> batch_size = {};  // per device
  std::optional<int> devices = {};     // all of them
  std::optional<int> num_ps = {};

  bool operator==(const RunSetup&) const = default;
};

// How far a speed spreads, in the words of the program that printed it: others mean other things
// by "+-" than a 95 % interval.
struct Spread {
  double images_per_second = 0;
  std::string meaning;
};

// One run of another program. What is not known is not there.
struct ImportedRun {
  std::string format;              // name of the reader
  std::string framework;           // "TensorFlow 2.14"
  std::vector<std::string> files;  // where its figures stand
  int line = 0;                    // of the first file, where the run begins
  RunSetup setup = {};
  // Labels and values as the log has them.
  std::vector<std::pair<std::string, std::string>> header = {};

  double images_per_second = 0;  // of all devices
  std::string figure;            // what that is: "mean of the totals of 4 ranks"
  std::optional<double> standard_error = {}, jitter = {};  // as in run.json
  std::optional<Spread> spread = {};
  std::optional<std::int64_t> steps_measured = {};
  std::optional<double> step_seconds = {};
  std::vector<std::string> warnings = {};
};

// Collectives that were timed alone.
struct ImportedCollectives {
  struct Row {
    std::int64_t bytes = 0, elements = 0;
    std::string algorithm;
    double time_us = 0, algbw = 0, busbw = 0;
    std::optional<std::int64_t> wrong = {};
  };
  std::string format;
  std::string framework;
  std::string file;
  std::string operation;  // "all_reduce"
  std::string type;       // of an element: "float"
  int ranks = 0;
  int hosts = 0;
  std::optional<std::int64_t> operations = {};  // timed per row
  std::vector<Row> rows = {};
};

struct Imported {
  std::vector<ImportedRun> runs = {};
  std::vector<ImportedCollectives> collectives = {};
  std::vector<std::string> warnings = {};  // of what was left out
};

}  // namespace lockstep::report
