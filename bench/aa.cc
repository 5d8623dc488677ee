// The A/A check: how often are equal runs called different at the 5 % level?
//
//   bench/aa [--comparisons C] [--rounds R] [--pairs P]
//
// First real ones: both sides of a comparison are the same `lockstep run`, launched in turns. Then
// simulated ones, of which there can be enough to tell 5 % from 4 %.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "bench/positive.h"
#include "launch/runner.h"
#include "result/run_file.h"
#include "stats/compare.h"
#include "stats/generated_launches.h"

namespace {

using namespace lockstep;
namespace fs = std::filesystem;

// Shares of equal ones that may be called different. Chance takes 40 real comparisons beyond theirs
// in 1.4 % of all checks; the simulated ones are always the same.
constexpr double kMostReal = 5.0 / 40, kFewestSimulated = 0.04, kMostSimulated = 0.06;

struct Options {
  int comparisons = 40;
  int rounds = 5;
  int pairs = 2000;
};

class Directory {
 public:
  Directory() : path_(fs::temp_directory_path() / fmt::format("lockstep-aa.{}", getpid())) {}
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Images per second of a launch of some tenths of a second.
double measured_speed() {
  const Directory result;
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "lockstep";
  const launch::Command command = {
      .name = "local",
      .argv = {program.string(), "run", "--model=mnist_mlp", "--batch_size=256",
               "--num_batches=100", "--num_intra_threads=1",
               "--result_dir=" + result.path().string()}};
  const launch::Outcome outcome = launch::run({{command}}, {.time_limit = 60});
  if (!outcome.ok()) {
    throw Error(ExitCode::rank_failed, "a run failed: " + outcome.processes.front().tail);
  }
  const result::RunFile file = result::read_run_json(read_file(result.path() / "run.json"));
  return std::get<stats::Launch>(file).images_per_second;
}

// Whoever goes first takes turns, as in a sweep.
stats::LaunchPair measured_pair(int rounds) {
  stats::LaunchPair pair;
  for (int round = 0; round < rounds; ++round) {
    stats::Launches& first = round % 2 == 0 ? pair.candidate : pair.baseline;
    stats::Launches& second = round % 2 == 0 ? pair.baseline : pair.candidate;
    first.emplace_back(measured_speed());
    second.emplace_back(measured_speed());
  }
  return pair;
}

bool called_different(const stats::Comparison& comparison) {
  return comparison.verdict == stats::Verdict::faster ||
         comparison.verdict == stats::Verdict::slower;
}

int real_verdicts(const Options& options) {
  int different = 0;
  for (int i = 0; i < options.comparisons; ++i) {
    const stats::LaunchPair pair = measured_pair(options.rounds);
    const auto comparison = stats::compare(pair.candidate, pair.baseline);
    if (called_different(*comparison)) ++different;
    fmt::print(stderr, "comparison {} of {}: {:.3f} +/- {:.1f} %{}\n", i + 1, options.comparisons,
               comparison->ratio.value, 100 * comparison->ratio.precision().value_or(0),
               called_different(*comparison) ? ", called different" : "");
  }
  return different;
}

int simulated_verdicts(const Options& options, stats::Disturbances machine) {
  machine.rounds = options.rounds;
  int different = 0;
  for (int seed = 1; seed <= options.pairs; ++seed) {
    const auto pair = stats::generated_pair(machine, 1, static_cast<std::uint64_t>(seed));
    if (called_different(*stats::compare(pair.candidate, pair.baseline))) ++different;
  }
  return different;
}

// Whether it is within the bar.
bool show(const char* what, int different, int all, double fewest, double most) {
  const double share = static_cast<double>(different) / all;
  fmt::print("{:<28}{:>6} of {:>5}{:>8.2f} %   {:.1f} to {:.1f} %\n", what, different, all,
             100 * share, 100 * fewest, 100 * most);
  return fewest <= share && share <= most;
}

Options parse(int argc, char** argv) {
  constexpr auto kUsage = "usage: bench/aa [--comparisons C] [--rounds R] [--pairs P]";
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    int* value = flag == "--comparisons" ? &options.comparisons
                 : flag == "--rounds"    ? &options.rounds
                 : flag == "--pairs"     ? &options.pairs
                                         : nullptr;
    if (value == nullptr) {
      throw Error(ExitCode::usage, fmt::format("unexpected argument {}", flag), kUsage);
    }
    *value = bench::positive(i + 1 < argc ? argv[++i] : "", kUsage);
  }
  if (options.rounds < 2) {
    throw Error(ExitCode::usage, "one round shows no difference, ever", "take --rounds 2 or more");
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    const int real = real_verdicts(options);
    const int simulated = simulated_verdicts(options, {});
    const int disturbed = simulated_verdicts(options, {.disturbed = 0.1});
    fmt::print("{:<28}{:>15}{:>10}   bar\n", "equal, called different", "", "");
    bool good = show("runs of this machine", real, options.comparisons, 0, kMostReal);
    good &= show("simulated", simulated, options.pairs, kFewestSimulated, kMostSimulated);
    good &= show("1 launch in 10 disturbed", disturbed, options.pairs, 0, kMostSimulated);
    return static_cast<int>(good ? ExitCode::ok : ExitCode::gate_failed);
  } catch (const Error& e) {
    fmt::print(stderr, "error: {}\nhint: {}\n", e.what(), e.hint());
    return static_cast<int>(e.code());
  }
}
