#include "cli/run.h"

#include <csignal>
#include <ctime>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "cli/environment_json.h"
#include "cli/interrupt.h"
#include "cli/job.h"
#include "cli/run_log.h"
#include "machine/cores.h"
#include "machine/peak.h"
#include "record/samples_file.h"
#include "report/run_json.h"
#include "spec/flags.h"
#include "stats/result.h"
#include "stats/warmup.h"
#include "train/worker.h"

namespace lockstep::cli {
namespace {

// What a run learns about the machine and carries into its result.
struct Site {
  machine::Environment environment;
  std::vector<std::string> warnings;
  std::vector<int> processors;
  machine::Peak peak;
};

Site settle(const spec::Trial& trial) {
  Site site;
  site.environment = machine::environment();
  site.environment.libraries.push_back(engine::library());
  site.warnings = machine::warnings(site.environment);
  site.processors =
      machine::place(machine::allowed(), trial.devices, trial.threads_per_device).front();
  machine::join_team(site.processors);
  site.peak = machine::measure_peak();
  return site;
}

// What is going to happen, before it does. The time is that at a share of the peak which
// convolutional networks reach.
std::string outlook(const Job& job, const Site& site, std::int64_t memory) {
  constexpr double kTypicalShare = 0.75;
  constexpr int kTypicalWarmup = 5;
  const double macs = double(model::cost(job.graph).macs) * (job.training() ? 3 : 1);
  const double step =
      2 * macs * double(job.global_batch()) / (site.peak.gflops * 1e9 * kTypicalShare);
  return fmt::format(
      "{} of memory; {} thread{} on processor{} {}; FMA peak {:.0f} GFLOP/s ({}); about {} a step, "
      "{} in all",
      human_bytes(double(memory)), site.processors.size(), site.processors.size() == 1 ? "" : "s",
      site.processors.size() == 1 ? "" : "s", machine::ranges(site.processors), site.peak.gflops,
      site.peak.instructions, human_seconds(step),
      human_seconds(step * double(job.batches + kTypicalWarmup)));
}

// What the user fixed is not corrected behind their back.
stats::UnsteadyStart unsteady_start(const spec::Trial& trial) {
  return trial.num_warmup_batches ? stats::UnsteadyStart::kept : stats::UnsteadyStart::cut;
}

train::Outcome train_with_log(const Job& job, std::unique_ptr<engine::Engine> engine,
                              const Site& site, RunLog& log) {
  std::optional<record::SamplesWriter> samples;
  if (!job.trial.result_dir.empty()) {
    samples.emplace(record::samples_path(job.trial.result_dir, 0),
                    record::SamplesHeader{0, site.environment.host_name});
  }
  const Interrupt interrupt;
  train::Hooks hooks;
  hooks.on_warm_up_start = [&] { log.warm_up(); };
  hooks.on_timed_start = [&] { log.timed(); };
  hooks.on_step = [&](const record::Sample& sample, std::int64_t timed_step) {
    machine::settle_team();
    if (samples) samples->append(sample);
    log.step(sample, timed_step);
  };
  hooks.warmed_up = [](std::span<const double> seconds) { return stats::warmup_over(seconds); };
  if (job.trial.target_precision) {
    hooks.precise_enough = [&](std::span<const record::Sample> timed) {
      return stats::precise_enough(timed, *job.trial.target_precision, unsteady_start(job.trial));
    };
  }
  hooks.stop = &Interrupt::asked();
  return train::train(job.trial, *job.model, std::move(engine), hooks);
}

ExitCode interrupted() {
  return Interrupt::signal() == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
}

// Numbers where steps were timed, otherwise the reason why there are none.
stats::Result result_of(const Job& job, const Site& site, const train::Outcome& outcome,
                        double started) {
  const auto environment = environment_json(site.environment);
  if (outcome.error)
    return stats::failed_result(job.trial, environment, site.warnings, *outcome.error);
  const auto timed =
      std::span(outcome.samples).subspan(static_cast<std::size_t>(outcome.warm_up_steps));
  if (timed.empty()) {
    return stats::failed_result(job.trial, environment, site.warnings,
                                Error(interrupted(), "interrupted before the first timed step"));
  }
  stats::Measured measured;
  measured.summary =
      stats::summarise(timed, static_cast<int>(job.global_batch()), unsteady_start(job.trial));
  measured.usage.warmup_steps = outcome.warm_up_steps;
  measured.usage.seconds_to_first_step = outcome.first_step_begin - started;
  measured.usage.peak_rss_bytes = machine::peak_rss_bytes();
  measured.usage.gflops = stats::gflops(double(model::cost(job.graph).macs),
                                        measured.summary.images_per_second, job.trial.mode);
  measured.usage.peak_gflops = site.peak.gflops;
  auto warnings = site.warnings;
  if (outcome.ending == train::Ending::interrupted) {
    warnings.push_back(
        fmt::format("interrupted after {} of {} timed steps", timed.size(), job.batches));
  }
  return stats::measured_result(job.trial, environment, std::move(warnings), measured);
}

ExitCode exit_code(const Job& job, const stats::Result& result, const train::Outcome& outcome) {
  if (result.failure() != nullptr) return result.failure()->code;
  if (outcome.ending == train::Ending::interrupted) return interrupted();
  const bool stable = result.measured()->summary.stable;
  return job.trial.strict && !stable ? ExitCode::unstable : ExitCode::ok;
}

void make_directory(const std::string& path) {
  if (path.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw Error(ExitCode::environment,
                fmt::format("cannot make the directory {}: {}", path, error.message()));
  }
}

}  // namespace

ExitCode run(Arguments arguments) {
  const double started = now();
  const std::time_t started_at = std::time(nullptr);
  const spec::Parsed parsed = spec::parse_run(arguments, process_getenv);
  for (const std::string& warning : parsed.warnings) print_warning(warning);
  for (const std::string& note : parsed.notes) print_note(note);
  const Job job = make_job(parsed.trial);
  if (parsed.print_config) {
    fmt::print("{}\n", to_json(job.trial));
    return ExitCode::ok;
  }
  make_directory(job.trial.result_dir);

  const Site site = settle(job.trial);
  RunLog log(job);
  log.header();
  std::unique_ptr<engine::Engine> engine = engine::compile(job.graph, engine_options(job));
  const std::int64_t memory = memory_bytes(job, engine->plan());
  refuse_too_much_memory(job, memory);
  print_note(outlook(job, site, memory));
  const train::Outcome outcome = train_with_log(job, std::move(engine), site, log);

  const stats::Result result = result_of(job, site, outcome, started);
  log.finish(result, outcome);
  for (const std::string& warning : result.warnings) print_warning(warning);
  if (!job.trial.result_dir.empty()) {
    report::RunInfo info;
    info.version = LOCKSTEP_VERSION;
    info.argv = {arguments.begin(), arguments.end()};
    info.started = started_at;
    info.config = nlohmann::ordered_json::parse(to_json(job.trial));
    report::write_run_json(job.trial.result_dir, info, result);
  }
  if (outcome.error) throw Error(*outcome.error);
  return exit_code(job, result, outcome);
}

}  // namespace lockstep::cli
