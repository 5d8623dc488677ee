#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/getenv.h"
#include "spec/flags.h"
#include "spec/sweep.h"

namespace lockstep::spec {

// What a command line of `lockstep sweep` comes to.
struct ParsedSweep {
  Sweep sweep;
  std::string result_dir;  // empty: not said
  std::string curves_dir;  // where the files of earlier scalability tests go; empty: nowhere
  bool resume = false;
  bool dry_run = false;
  bool print_config = false;
  bool live = false;                   // show what the ranks print
  std::vector<std::string> warnings;   // what was asked for and has no effect
  std::vector<std::string> variables;  // of the environment that are in the sweep now
};

// A flag of `lockstep sweep` itself; beside them stand those of `lockstep run`, for all points.
struct SweepFlag {
  Flag flag;
  // Null: of the site, which launchers read; or of the parser itself.
  void (*apply)(ParsedSweep& parsed, const Value& value, std::string_view shown) = nullptr;
  bool site = false;
};
std::span<const SweepFlag> sweep_flags();
// A flag of run that a sweep decides itself, or its launcher: not for users of a sweep.
bool set_by_sweep(const Flag& flag);

using ReadFile = std::function<std::string(const std::string& path)>;

// The arguments behind `lockstep sweep`. The command line wins over LOCKSTEP_<FLAG> variables, they
// over the file of --spec (with --resume: the sweep.json of the directory), that over defaults.
// Throws Error(usage).
ParsedSweep parse_sweep(std::span<const std::string> args, const Getenv& getenv,
                        std::span<const std::string> variables, const ReadFile& read);

// "1,2,8": these; "1:8": 1, 2, 4, 8, doubling and always with the last. Throws Error(usage).
std::vector<int> parse_devices(std::string_view text, std::string_view shown);

// "Inceptionv3:32,alexnet": a batch size behind a colon. Throws Error(usage).
std::vector<ModelBatch> parse_models(std::string_view text, std::string_view shown);

}  // namespace lockstep::spec
