#include "cli/run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/streams.h"
#include "base/text.h"
#include "cli/controller.h"
#include "cli/conv_choices.h"
#include "cli/crash.h"
#include "cli/interrupt.h"
#include "cli/job.h"
#include "cli/outlook.h"
#include "cli/ranks.h"
#include "cli/run_log.h"
#include "cli/start_guard.h"
#include "cli/whole_environment.h"
#include "cli/world.h"
#include "machine/cores.h"
#include "record/samples_file.h"
#include "report/closing.h"
#include "result/result.h"
#include "result/run_json.h"
#include "spec/flags.h"
#include "spec/launched.h"
#include "stats/warmup.h"
#include "train/learning_rate.h"
#include "train/worker.h"

namespace lockstep::cli {
namespace {

using Controller = comm::tcp::ControllerLink;  // null: there is none

// The start of a run and what is known by then.
struct Start {
  double time = 0;  // on now()'s clock
  machine::Environment environment;
  std::vector<std::string> warnings;  // printed already
};

result::RunInfo info_of(Arguments arguments) {
  result::RunInfo info;
  info.version = LOCKSTEP_VERSION;
  info.argv = {"lockstep", "run"};
  info.argv.insert(info.argv.end(), arguments.begin(), arguments.end());
  info.started = std::time(nullptr);
  return info;
}

// Says what the flags do otherwise than their words suggest; the result repeats it.
std::vector<std::string> warn(const spec::Parsed& parsed) {
  for (const std::string& warning : parsed.warnings) print_warning(warning);
  for (const std::string& note : parsed.notes) print_note(note);
  std::vector<std::string> all = parsed.warnings;
  all.insert(all.end(), parsed.notes.begin(), parsed.notes.end());
  return all;
}

void warn(Start& start, std::vector<std::string> warnings) {
  for (std::string& warning : warnings) {
    print_warning(warning);
    start.warnings.push_back(std::move(warning));
  }
}

// What is to be said of the trial as a whole.
std::vector<std::string> warnings_of(const Job& job) {
  std::vector<std::string> warnings = all_reduce_of(job).notes;
  const auto unused = train::unused_rate(job.trial.learning_rate, job.model->learning_rate());
  if (unused && job.training()) warnings.push_back(*unused);
  if (const auto damage = job.index ? data::damage(*job.index, job.trial.data.dir) : std::nullopt) {
    warnings.push_back("left out as damaged: " + *damage);
  }
  if (job.oversubscribed) {
    warnings.emplace_back(
        "devices are oversubscribed (--oversubscribe): throughput does not reflect scaling");
  }
  return warnings;
}

void look_around(Start& start) {
  start.environment = whole_environment();
  warn(start, machine::warnings(start.environment));
}

// What the user fixed is not corrected without asking. An evaluation of a dataset has no warm-up,
// whatever the user says.
stats::UnsteadyStart unsteady_start(const spec::Trial& trial) {
  const bool evaluates = trial.mode == spec::Mode::evaluation && !trial.data.dir.empty();
  return trial.num_warmup_batches && !evaluates ? stats::UnsteadyStart::kept
                                                : stats::UnsteadyStart::cut;
}

// A rank's own files, and rank 0's lines.
class RankRecord {
 public:
  RankRecord(const Job& job, const comm::Transport& transport, RunLog* log, StartGuard& guard)
      : log_(transport.rank() == 0 ? log : nullptr), guard_(guard) {
    if (job.trial.result_dir.empty()) return;
    samples_.emplace(
        record::samples_path(job.trial.result_dir, transport.rank()),
        record::SamplesHeader{transport.rank(), transport.host_name(transport.rank())});
  }

  void warm_up() {
    if (log_ != nullptr) log_->warm_up();
  }
  void timed() {
    if (log_ != nullptr) log_->timed();
  }
  void evaluation_start(std::int64_t step, bool last) {
    if (log_ != nullptr) log_->evaluation_start(step, last);
  }
  void evaluated(const train::Evaluated& evaluated, bool last) {
    if (log_ != nullptr) log_->evaluated(evaluated, last);
  }
  void step(const record::Sample& sample, std::int64_t timed_step) {
    Crash::in_step(sample.step + 1);
    guard_.first_step_done();
    machine::settle_team();
    if (samples_) samples_->append(sample);
    if (log_ != nullptr) log_->step(sample, timed_step);
  }

 private:
  RunLog* log_;
  StartGuard& guard_;
  std::optional<record::SamplesWriter> samples_;
};

train::Hooks hooks_of(const Job& job, const comm::Transport& transport, RunLog* log,
                      StartGuard& guard) {
  const auto record = std::make_shared<RankRecord>(job, transport, log, guard);
  train::Hooks hooks;
  hooks.on_warm_up_start = [record] { record->warm_up(); };
  hooks.on_timed_start = [record] { record->timed(); };
  hooks.on_step = [record](const record::Sample& sample, std::int64_t timed_step) {
    record->step(sample, timed_step);
  };
  hooks.on_evaluation_start = [record](std::int64_t step, bool last) {
    record->evaluation_start(step, last);
  };
  hooks.on_evaluated = [record](const train::Evaluated& evaluated, bool last) {
    record->evaluated(evaluated, last);
  };
  hooks.warmed_up = [](std::span<const double> seconds) { return stats::warmup_over(seconds); };
  if (job.trial.target_precision) {
    hooks.precise_enough = [&job](std::span<const record::Sample> timed) {
      return stats::precise_enough(timed, *job.trial.target_precision, unsteady_start(job.trial));
    };
  }
  hooks.stop = &Interrupt::asked();
  return hooks;
}

std::vector<result::Evaluation> evaluations_of(const Job& job, const train::Outcome& outcome) {
  std::vector<result::Evaluation> all;
  const auto add = [&](const train::Evaluated& evaluated) {
    all.push_back({.step = evaluated.step,
                   .top_1 = evaluated.score.top_1(),
                   .top_5 = evaluated.score.top_5(),
                   .images = evaluated.score.images,
                   .seconds = evaluated.seconds,
                   .training_seconds = evaluated.training_seconds,
                   .reached = evaluated.reached});
  };
  for (const train::Evaluated& evaluated : outcome.evaluations) add(evaluated);
  if (job.trial.mode == spec::Mode::evaluation) {
    add({.step = job.checkpoint ? job.checkpoint->step : 0,
         .score = score_of(job, outcome),
         .seconds = outcome.samples.back().end});
  }
  return all;
}

std::size_t hosts_of(const WorldOutcome& world) {
  std::set<std::string> hosts;
  for (const stats::RankSamples& rank : world.ranks) hosts.insert(rank.host);
  for (const stats::ServerSummary& server : world.servers) hosts.insert(server.host);
  return hosts.size();
}

// With those of steps that are left out of all other figures: they took energy, too.
std::int64_t timed_images(const Job& job, const WorldOutcome& world) {
  std::int64_t images = 0;
  for (const stats::RankSamples& rank : world.ranks) {
    images += static_cast<std::int64_t>(rank.timed.size()) * job.trial.batch_size;
  }
  return images;
}

// What the timed steps say; without any, throws the reason why.
result::Measured measured(const Job& job, const WorldOutcome& world, double started) {
  if (world.mine.error) throw Error(*world.mine.error);
  const auto timed =
      std::span(world.mine.samples).subspan(static_cast<std::size_t>(world.mine.warm_up_steps));
  if (timed.empty() && world.mine.ending == train::Ending::accuracy) {
    throw Error(ExitCode::usage, "the accuracy was reached before the first timed step",
                "--num_warmup_batches=0 times all steps");
  }
  if (timed.empty()) throw Error(Interrupt::exit_code(), "interrupted before the first timed step");
  const std::vector<record::Sample> pooled = stats::pooled(world.ranks);
  result::Measured measured;
  measured.summary =
      stats::summarise(world.in_step ? timed : std::span<const record::Sample>(pooled),
                       static_cast<int>(job.global_batch()), unsteady_start(job.trial));
  measured.usage.warmup_steps = world.mine.warm_up_steps;
  measured.usage.seconds_to_first_step = world.mine.first_step_begin - started;
  measured.usage.peak_rss_bytes = machine::peak_rss_bytes();
  measured.usage.gflops = result::gflops(double(model::cost(job.graph).macs),
                                         measured.summary.images_per_second, job.trial.mode);
  measured.usage.peak_gflops = world.peak_gflops;
  const std::size_t hosts = hosts_of(world);
  measured.usage.joules = result::joules(world.ranks, hosts);
  if (measured.usage.joules) {
    measured.usage.joules_per_image =
        *measured.usage.joules / static_cast<double>(timed_images(job, world));
  }
  if (job.trial.price_per_hour) {
    measured.usage.cost_per_million_images = result::cost_per_million_images(
        *job.trial.price_per_hour, hosts, measured.summary.images_per_second);
  }
  measured.ranks = stats::summarise_ranks(world.ranks);
  measured.servers = world.servers;
  if (world.in_step) measured.straggler = stats::straggler(world.ranks);
  measured.input = stats::summarise_input(world.ranks);
  measured.evaluations = evaluations_of(job, world.mine);
  return measured;
}

// Of the buckets, each name once.
std::string all_reduce_taken(const Job& job, const WorldOutcome& world,
                             const comm::Topology& topology) {
  const train::Site site = site_of(job, topology);
  std::vector<std::string> names;
  for (const record::Flight::Bucket& bucket : world.ranks.front().flight.buckets) {
    const auto elements = static_cast<std::size_t>(bucket.bytes) / sizeof(float);
    std::string name = strategy::all_reduce_taken(*site.strategy, site.ranks, elements);
    if (std::ranges::count(names, name) == 0) names.push_back(std::move(name));
  }
  return join(names, "+");
}

// A result without numbers. A file that cannot be written must not hide what went wrong before.
template <typename Keep>
void keep_error(const Job& job, const Start& start, const Error& error, const Keep& keep) {
  report_errors([&] {
    return keep(result::failed_result(job.trial, start.environment, start.warnings, error));
  });
}

// Of --stop_at_top_1_accuracy, where training ended without it.
std::optional<std::string> missed_accuracy(const Job& job, const train::Outcome& outcome) {
  const auto& wanted = job.trial.evaluation.stop_at_top_1;
  if (!wanted || !job.evaluates_during_training() || outcome.ending == train::Ending::accuracy) {
    return std::nullopt;
  }
  double best = 0;
  for (const train::Evaluated& evaluated : outcome.evaluations) {
    if (evaluated.reached) return std::nullopt;  // by the last one
    best = std::max(best, evaluated.score.top_1());
  }
  return fmt::format("--stop_at_top_1_accuracy={} was not reached: the best of {} had {:.4f}",
                     *wanted, counted(std::ssize(outcome.evaluations), "evaluation"), best);
}

// Where training that was interrupted can be resumed.
void point_to_checkpoint(const Job& job, const train::Outcome& outcome) {
  if (outcome.ending != train::Ending::interrupted || !job.training()) return;
  if (job.trial.checkpoints.dir.empty() || outcome.samples.empty()) return;
  const auto file = train::latest_checkpoint(job.trial.checkpoints.dir);
  if (file) print_note(fmt::format("saved {}: the same command resumes there", file->string()));
}

struct Finished {
  result::Result result;
  bool interrupted = false;
};

// The run itself, from the first thread to the last line. An exception means: no numbers.
template <typename Keep>
Finished measure(const Job& job, const Start& start, Ranks& ranks, const Keep& keep,
                 Controller* controller) {
  if (controller != nullptr) wait_for_controller(*controller, job.trial.cluster);
  RunLog log(job, controller);
  Interrupt::listen();
  StartGuard guard([&](const Error& error) {
    keep_error(job, start, error, keep);
    print_error(error);
    if (controller != nullptr) controller->end(error.code(), &error);
  });
  RankHooks hooks;
  hooks.on_plan = [&](const machine::Peak& peak, const Memory& memory) {
    log.header();
    refuse_too_much_memory(job, memory, start.environment);
    print_note(outlook(job, peak, memory));
  };
  hooks.hooks = [&](comm::Transport& transport) { return hooks_of(job, transport, &log, guard); };
  const WorldOutcome world = run_ranks(job, ranks, hooks);
  const train::Outcome& outcome = world.mine;
  point_to_checkpoint(job, outcome);

  result::Measured numbers = measured(job, world, start.time);
  numbers.all_reduce = all_reduce_taken(job, world, ranks.front()->topology());
  log.finish(numbers.summary, outcome);
  print_note(report::closing_text(numbers));
  const bool interrupted = outcome.ending == train::Ending::interrupted;
  auto warnings = start.warnings;
  if (auto missed = missed_accuracy(job, outcome)) warnings.push_back(*std::move(missed));
  if (interrupted) {
    warnings.push_back(fmt::format("interrupted after {} of {}",
                                   numbers.summary.cut + numbers.summary.steps,
                                   counted(job.batches, "timed step")));
  }
  numbers.convolutions = names_of(world.convolutions);
  auto result = result::measured_result(job.trial, start.environment, std::move(warnings),
                                        std::move(numbers));
  for (const std::string& warning : std::span(result.warnings).subspan(start.warnings.size())) {
    print_warning(warning);
  }
  return {std::move(result), interrupted};
}

// A process without rank 0: trains or serves, and leaves the words and the result to that one.
ExitCode take_part(Job& job, Transports transports) {
  open_files(job);
  Ranks ranks = connect(job, transports);
  Interrupt::listen();
  StartGuard guard([](const Error& error) { print_error(error); });
  RankHooks hooks;
  hooks.hooks = [&](comm::Transport& transport) {
    return hooks_of(job, transport, nullptr, guard);
  };
  const WorldOutcome world = run_ranks(job, ranks, hooks);
  if (world.mine.error) throw Error(*world.mine.error);
  return world.mine.ending == train::Ending::interrupted ? Interrupt::exit_code() : ExitCode::ok;
}

ExitCode exit_code(const Job& job, const Finished& finished) {
  if (finished.interrupted) return Interrupt::exit_code();
  const bool stable = finished.result.measured()->summary.stable;
  return job.trial.strict && !stable ? ExitCode::unstable : ExitCode::ok;
}

// Evaluates every checkpoint that training leaves behind, until a signal ends it.
template <typename Keep>
ExitCode watch(Job& job, const Start& start, Transports transports, const Keep& keep,
               Controller* controller) {
  if (static_cast<int>(job.member.ranks.size()) < job.member.world()) {
    throw Error(ExitCode::usage, "--eval_interval_secs works in one process only",
                "leave it out, or start one process with --num_gpus");
  }
  Interrupt::listen();
  std::filesystem::path evaluated;
  while (!Interrupt::asked().load()) {
    const auto latest = train::latest_checkpoint(job.trial.checkpoints.dir);
    if (latest && *latest != evaluated) {
      evaluated = *latest;
      open_files(job);
      Ranks ranks = connect(job, transports);
      keep(measure(job, start, ranks, keep, controller).result);
    }
    for (int tenths = 10 * job.trial.evaluation.interval_secs;
         tenths > 0 && !Interrupt::asked().load(); --tenths) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  return Interrupt::exit_code();
}

// The process of rank 0.
template <typename Keep>
ExitCode lead(Job& job, Start& start, Transports transports, const Keep& keep,
              Controller* controller) {
  look_around(start);
  if (job.trial.mode == spec::Mode::evaluation && job.trial.evaluation.interval_secs > 0) {
    return watch(job, start, transports, keep, controller);
  }
  // They part when the result is written: a launcher that ends the run may kill those who take
  // their time over a farewell.
  Ranks ranks;
  std::optional<Finished> finished;
  try {
    refuse_too_much_memory(job, least_memory_of(job), start.environment);
    open_files(job);
    ranks = connect(job, transports);
    finished = measure(job, start, ranks, keep, controller);
  } catch (const std::exception&) {
    const Error error = current_error();
    keep_error(job, start, error, keep);
    throw Error(error);
  }
  keep(finished->result);
  return exit_code(job, *finished);
}

// The body's exit code, or its error, which the controller gets as well.
template <typename Body>
ExitCode ending_with(Controller* controller, const Body& body) {
  if (controller == nullptr) return body();
  try {
    const ExitCode code = body();
    if (!controller->end(code)) print_warning("the controller was lost: it has not got the result");
    return code;
  } catch (const std::exception&) {
    const Error error = current_error();
    controller->end(error.code(), &error);
    throw;
  }
}

}  // namespace

ExitCode run(Arguments arguments, Transports transports) {
  Start start{.time = now(), .environment = {}, .warnings = {}};
  result::RunInfo info = info_of(arguments);
  const spec::Parsed parsed = spec::parse_run(arguments, process_getenv, process_variables());
  start.warnings = warn(parsed);
  if (parsed.trial.cluster.job_name == spec::JobName::controller && !parsed.print_config) {
    return follow_rank0(parsed.trial.cluster);
  }
  const Membership member = membership(parsed.trial, spec::launched(process_getenv));
  go_on_with(member.transport, transports, "run", arguments);
  Job job = make_job(parsed.trial, member);
  warn(start, warnings_of(job));
  info.batches = job.batches;
  info.processors = machine::ranges(job.processors());
  if (parsed.print_config) {
    print_output("{}\n", result::config_json(job.trial, job.batches).dump(2));
    return ExitCode::ok;
  }
  if (!job.trial.result_dir.empty()) make_directory(job.trial.result_dir);
  if (job.member.ranks.front() != 0) return take_part(job, transports);
  // A mistake is found now, not when there is something to save.
  if (job.training() && !job.trial.checkpoints.dir.empty()) {
    make_directory(job.trial.checkpoints.dir);
  }
  const auto keep = [&](const result::Result& result) {
    if (!job.trial.result_dir.empty()) result::write_run_json(job.trial.result_dir, info, result);
    return ExitCode::ok;
  };

  const auto controller = dial_controller(job.trial.cluster, job.member.world());
  return ending_with(controller.get(),
                     [&] { return lead(job, start, transports, keep, controller.get()); });
}

}  // namespace lockstep::cli
