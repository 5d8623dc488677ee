#include "cli/sweep.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/files.h"
#include "base/streams.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/curve_files.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/mpi_program.h"
#include "cli/program_copy.h"
#include "cli/report_files.h"
#include "cli/sweep_batch.h"
#include "cli/sweep_control.h"
#include "cli/sweep_directory.h"
#include "cli/sweep_estimate.h"
#include "cli/sweep_guard.h"
#include "cli/sweep_launch.h"
#include "cli/sweep_log.h"
#include "cli/sweep_resolve.h"
#include "cli/sweep_site.h"
#include "cli/whole_environment.h"
#include "launch/here.h"
#include "launch/launchers.h"
#include "launch/staging.h"
#include "machine/environment.h"
#include "report/conclusions.h"
#include "report/speed_bars.h"
#include "report/sweep_report.h"
#include "spec/sweep_flags.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

std::string new_sweep_directory() {
  return fmt::format("results/sweep-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
}

// What the environment said is in the sweep now: launches shall not hear it a second time.
void forget(const std::vector<std::string>& variables) {
  for (const std::string& variable : variables) unsetenv(variable.c_str());
}

spec::ParsedSweep parse_and_warn(Arguments arguments) {
  spec::ParsedSweep parsed =
      spec::parse_sweep(arguments, process_getenv, process_variables(),
                        [](const std::string& path) { return read_file(path, kLargestSpec); });
  for (const std::string& warning : parsed.warnings) print_warning(warning);
  forget(parsed.variables);
  return parsed;
}

std::string machine_line(const machine::Environment& environment) {
  std::string text = fmt::format("lockstep {} on {}", LOCKSTEP_VERSION, environment.host_name);
  if (!environment.cpu_model.empty()) text += fmt::format(", {}", environment.cpu_model);
  return text + fmt::format(", {}.", counted(environment.physical_cores, "core"));
}

// Before the first point starts, throws Error(usage) for one that does not fit on the hosts.
void check_places(const spec::Plan& plan, const Launching& launching) {
  if (launching.site.hosts.empty()) return;  // this machine, or whatever a batch job will get
  for (const spec::Point& point : plan.points) {
    launching.launcher.commands(job_of(launching, point, 0, ""), launching.site);
  }
}

void print_commands(const spec::Plan& plan, const spec::Sweep& sweep, const Launching& launching,
                    const fs::path& directory) {
  for (int round = 0; round < sweep.repeats; ++round) {
    for (const spec::Point& point : plan.points) {
      const fs::path place = directory / "points" / point.id / fmt::format("{}", round + 1);
      const launch::Job job = job_of(launching, point, round, place.string());
      for (const launch::Command& command : launching.launcher.commands(job, launching.site)) {
        print_output("{}\n", launch::shell_line(command));
      }
    }
  }
}

// Measures what is missing in the directory.
SweepEnding measure(const spec::Sweep& sweep, const Launching& launching, SweepDirectory& directory,
                    result::SweepResults& report) {
  std::vector<std::string> rejected;
  report.records = directory.load(report.plan, rejected);
  for (const std::string& warning : rejected) print_warning(warning);

  Interrupt::listen();
  SweepLog log(report.plan);
  log.begin(sweep, directory.path().string());
  SweepHooks hooks;
  hooks.launch = [&](std::size_t point, int round) {
    return launch_point(launching, report.plan.points[point], round, directory, Interrupt::asked());
  };
  hooks.on_start = [&](const SweepProgress& progress) { log.start(progress); };
  hooks.on_end = [&](const SweepProgress& progress, const Launched& launched, bool again) {
    log.end(progress, launched, again);
  };
  hooks.clock = now;
  const SweepEnding ending = run_sweep(sweep, report.plan, hooks, report.records);
  log.hide();
  report.rows = stats::summarise(report.plan, report.records);
  return ending;
}

// The page and its figures, from what is in the directory. Without them nothing that was measured
// is lost.
void draw_report(const fs::path& directory) {
  try {
    report::Evidence evidence;
    add_results(directory, evidence);
    write_report(evidence, directory / "report", {}, [](const fs::path&) {});
  } catch (const Error& error) {
    print_warning(fmt::format("there is no report: {}", error.what()));
    return;
  }
  print_output("{}\n", (directory / "report" / "report.html").string());
  print_note(
      fmt::format("the page opens in any browser; lockstep report {} --formats=png,pdf draws "
                  "it again, lockstep compare puts other results beside it",
                  directory.string()));
}

// The table first: it needs no disk.
void show_and_write(const result::SweepResults& report, const fs::path& directory) {
  constexpr std::size_t kUsualWidth = 80;
  const std::size_t width = terminal_columns(stdout).value_or(kUsualWidth);
  print_output("{}\n{}", report::sweep_table(report, output_width()),
               report::speed_bars(report, width, wants_colour(stdout)));
  const std::vector<std::string> sentences = report::conclusions({&report, 1});
  if (!sentences.empty()) print_output("\n");
  for (const std::string& sentence : sentences) {
    print_output("{}\n", join(wrap(sentence, width), "\n"));
  }
  write_file(directory / "results.csv", report::results_csv({&report, 1}));
  write_file(directory / "throughput.svg", report::throughput_svg(report));
  print_output("\n{}\n{}\n", (directory / "results.csv").string(),
               (directory / "throughput.svg").string());
  draw_report(directory);
}

bool any_failed(const result::SweepResults& report, ExitCode code) {
  return std::ranges::any_of(report.records, [&](const stats::PointRecord& record) {
    return stats::status(record) == stats::Status::failed && record.code == code;
  });
}

bool all_stable(const result::SweepResults& report) {
  return std::ranges::all_of(report.records, [](const stats::PointRecord& record) {
    return std::ranges::all_of(record.launches,
                               [](const auto& launch) { return !launch || launch->stable; });
  });
}

ExitCode exit_code(const spec::Sweep& sweep, SweepEnding ending,
                   const result::SweepResults& report) {
  if (ending == SweepEnding::interrupted) {
    return Interrupt::signal() == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
  }
  // Hosts that cannot be reached come first: other failures may follow from them.
  for (const ExitCode code : {ExitCode::launch, ExitCode::rank_failed}) {
    if (any_failed(report, code)) return code;
  }
  const bool strict = sweep.run_flags.contains("strict");
  return strict && !all_stable(report) ? ExitCode::unstable : ExitCode::ok;
}

}  // namespace

ExitCode sweep(Arguments arguments, Transports) {
  const spec::ParsedSweep parsed = parse_and_warn(arguments);
  Place place = place_of(parsed.sweep, process_getenv, launch::own_names());
  spec::Sweep sweep =
      resolve(parsed.sweep, machine::allowed(), place.devices, place.launcher->here);
  sweep.launcher = place.launcher->name;
  if (const std::string note = drop_refused_ceiling(sweep, place); !note.empty()) print_note(note);
  spec::Plan plan = spec::expand(sweep);
  for (const std::string& sentence : check_points(plan, place)) print_note(sentence);
  if ((parsed.print_config || parsed.dry_run) && sweep.threads_per_device == 0) {
    print_note(
        "threads per device: 0, for the hosts are asked for their cores once a sweep starts");
  }
  if (parsed.print_config) {
    print_output("{}\n", spec::to_json(sweep));
    return ExitCode::ok;
  }
  std::optional<launch::Bundle> bundle;
  if (!place.site.remote_dir.empty()) {
    bundle = launch::bundle_of_this_program(place.launcher->by_mpi);
    place.site.build = bundle->build();
  }
  // Absolute: processes on other hosts start elsewhere.
  const fs::path path =
      fs::absolute(parsed.result_dir.empty() ? new_sweep_directory() : parsed.result_dir);
  Launching launching{.launcher = *place.launcher,
                      .site = place.site,
                      .program = this_program().string(),
                      .sweep = path.filename().string(),
                      .time_limit = sweep.point_time_limit.value_or(0),
                      .live = parsed.live};
  check_places(plan, launching);
  if (place.batch) {
    const launch::Batch batch = batch_of(*place.batch, launching, path);
    if (!parsed.dry_run) return submit(batch, sweep, path, parsed.resume);
    print_output("{}", submission_text(batch, path));
    return ExitCode::ok;
  }
  if (parsed.dry_run) {
    print_commands(plan, sweep, launching, path);
    print_note(estimated_duration(sweep, plan, place, path));
    return ExitCode::ok;
  }

  const machine::Environment environment = whole_environment();
  if (!parsed.curves_dir.empty()) prepare_curve_files(parsed.curves_dir, plan);
  SweepDirectory directory(path, sweep, parsed.resume);
  if (bundle) launch::stage(launching.site, *bundle, {.log_dir = path / "staging"});
  const ProgramCopy copy(path);
  launching.program = copy.program().string();
  if (sweep.threads_per_device == 0) {
    sweep.threads_per_device = threads_on_hosts(launching, plan);
    directory.record(sweep);
    plan = spec::expand(sweep);
    print_note(
        fmt::format("threads per device: {}, by the cores of the hosts", sweep.threads_per_device));
  }
  result::SweepResults report{.id = launching.sweep,
                              .machine = machine_line(environment),
                              .plan = plan,
                              .records = {},
                              .rows = {},
                              .warnings = guard(place, launching.program, environment, path)};
  const SweepEnding ending = measure(sweep, launching, directory, report);
  show_and_write(report, path);
  if (!parsed.curves_dir.empty()) {
    write_curve_files(parsed.curves_dir, report, ending == SweepEnding::complete);
  }
  if (ending == SweepEnding::time_up) print_note("the time is up (--max_time)");
  if (ending != SweepEnding::complete) {
    const std::string curves =
        parsed.curves_dir.empty() ? "" : fmt::format(" --curves_dir={}", parsed.curves_dir);
    print_note(
        fmt::format("lockstep sweep --resume --result_dir={}{} goes on", path.string(), curves));
  }
  return exit_code(sweep, ending, report);
}

std::string sweep_help(bool) {
  std::string out =
      "usage: lockstep sweep [--flag=value ...]\n\n"
      "Measures how training scales: every network, strategy and number of devices, each in "
      "several\n"
      "launches that are interleaved with those of the others. Ends in a table of speeds, "
      "speed-ups\n"
      "and efficiencies with their 95 % intervals, results.csv, throughput.svg and a report: a "
      "page for\n"
      "any browser, with figures.\n\n"
      "examples:\n"
      "  lockstep sweep\n"
      "      two networks on 1, 2, 4, ... all cores of this machine, in about two minutes\n"
      "  lockstep sweep --models=Inceptionv3:32,Alexnet:512 --devices=1:8\n"
      "      these networks with these batches per device, on 1, 2, 4 and 8 devices\n"
      "  lockstep sweep -m resnet50:16 --strategies=replicated,parameter_server --num_ps=0,1,2\n"
      "      which way of exchanging gradients is the best for each number of devices\n"
      "  lockstep sweep --spec=nightly.yaml --target_precision=0.01 --max_time=3600\n"
      "      what a file says, until every speed is known to 1 %, or for an hour\n"
      "  lockstep sweep --resume --result_dir=results/sweep-20261116-080000\n"
      "      go on with one that was interrupted\n";
  std::string_view group;
  for (const spec::SweepFlag& own : spec::sweep_flags()) {
    if (own.flag.group != group) out += fmt::format("\n{}:\n", group = own.flag.group);
    out += flag_help(own.flag);
  }
  out += "\nlaunchers:\n";
  for (const launch::LauncherRow& row : launch::launchers()) {
    out += fmt::format("  {:<10}{}\n", row.name, row.summary);
  }
  out +=
      "\nEvery other flag of lockstep run is passed on to all points, such as --optimizer=momentum "
      "or\n--num_batches=50. Dashes and underscores are equal; a default stands in brackets. "
      "LOCKSTEP_REPEATS=5\nin the environment stands for --repeats=5; the command line wins over "
      "it, and it over the file.\n"
      "\nexit codes: 0 done, 2 wrong usage, 3 something is missing on this machine, 4 a rank "
      "could not\nbe started or a host not be reached, 5 a point failed (the others are kept),\n"
      "6 not stable (with --strict), 130 interrupted, 143 terminated\n";
  return out;
}

}  // namespace lockstep::cli
