#include "result/metrics.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/check.h"

namespace lockstep::result {
namespace {

using stats::Estimate;
using stats::Launch;
using stats::Part;
using stats::RowSummary;

double milliseconds(double seconds) {
  return 1e3 * seconds;
}

Value or_nothing(const std::optional<double>& value) {
  return value ? Value(*value) : Value();
}

template <record::Phase kPhase>
std::optional<double> phase_ms(const Launch& launch) {
  return launch.phase(kPhase);
}

template <Part kPart>
std::optional<Estimate> share(const RowSummary& row) {
  return row.losses ? std::optional((*row.losses)[kPart]) : std::nullopt;
}

constexpr StepPart kStepParts[] = {
    {.part = Part::input, .name = "input", .column = "input_wait_ms", .colour = "#e69f00"},
    {.part = Part::forward,
     .name = "forward",
     .column = "forward_ms",
     .colour = "#56b4e9",
     .computes = true},
    {.part = Part::backward,
     .name = "backward",
     .column = "backward_ms",
     .colour = "#0072b2",
     .computes = true},
    {.part = Part::exchange,
     .name = "exchange",
     .column = "exposed_comm_ms - straggler_wait_ms",
     .colour = "#d55e00"},
    {.part = Part::waiting, .name = "waiting", .column = "straggler_wait_ms", .colour = "#f0b8d4"},
    {.part = Part::update, .name = "update", .column = "optimizer_ms", .colour = "#009e73"},
    {.part = Part::other, .name = "other", .column = "other_ms", .colour = "#999999"},
};
static_assert(std::size(kStepParts) == stats::kParts);

const Metric kMetrics[] = {
    {.key = "steps_warmup",
     .unit = "steps",
     .label = "warm-up steps",
     .meaning = "Steps before the timed ones, of all launches together.",
     .section = "Warm-up",
     .of_run = [](const Measured& run) -> Value { return run.usage.warmup_steps; },
     .of_launch = &Launch::steps_warmup,
     .average = Average::sum},
    {.key = "steps_cut",
     .unit = "steps",
     .label = "steps cut",
     .meaning = "Timed steps that were left out because the run was not steady yet.",
     .section = "Warm-up",
     .of_run = [](const Measured& run) -> Value { return run.summary.cut; },
     .of_launch = &Launch::steps_cut,
     .average = Average::sum,
     .in_csv = false},
    {.key = "steps_measured",
     .unit = "steps",
     .label = "steps measured",
     .meaning = "Steps that the figures are taken over, of all launches together.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return run.summary.steps; },
     .of_launch = &Launch::steps_measured,
     .average = Average::sum},
    {.key = "seconds",
     .unit = "s",
     .label = "wall time",
     .meaning = "From the start of the first kept step to the end of the last.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return run.summary.seconds; },
     .in_csv = false},
    {.key = "images_per_s",
     .unit = "images/s",
     .label = "images/s",
     .meaning =
         "Throughput: images of all devices over the wall time of the kept steps; of several "
         "launches the geometric mean.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return run.summary.images_per_second; },
     .of_launch = &Launch::images_per_second,
     .of_row = [](const RowSummary& row) { return row.speed; },
     .table = {.place = 1, .narrow_interval = 3},
     .page = 1},
    {.key = "images_per_s_ci95_lo",
     .unit = "images/s",
     .label = "lower end of the interval",
     .meaning = "Of the 95 % interval of a launch's own throughput.",
     .section = "The 95 % interval",
     .of_run = [](const Measured& run) -> Value {
       const auto& interval = run.summary.images_per_second_interval;
       return interval ? Value(interval->low) : Value();
     },
     .may_be_negative = true,
     .in_csv = false},
    {.key = "images_per_s_ci95_hi",
     .unit = "images/s",
     .label = "upper end of the interval",
     .meaning = "Of the 95 % interval of a launch's own throughput.",
     .section = "The 95 % interval",
     .of_run = [](const Measured& run) -> Value {
       const auto& interval = run.summary.images_per_second_interval;
       return interval ? Value(interval->high) : Value();
     },
     .in_csv = false},
    {.key = "images_per_s_standard_error",
     .unit = "images/s",
     .label = "standard error",
     .meaning = "Of the speeds of single steps.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return run.summary.standard_error; },
     .in_csv = false},
    {.key = "images_per_s_jitter",
     .unit = "images/s",
     .label = "jitter",
     .meaning = "Scaled median absolute deviation of the speeds of single steps.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return run.summary.jitter; },
     .in_csv = false},
    {.key = "images_per_s_median",
     .unit = "images/s",
     .label = "median throughput",
     .meaning = "Images of a step over the median step: single slow steps do not change it.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return run.summary.images_per_second_median; },
     .of_launch = &Launch::images_per_second_median},
    {.key = "speedup",
     .unit = "",
     .label = "speed-up",
     .meaning =
         "Speed over that of the baseline, the same configuration with the smallest number of "
         "devices; strategies that do the same work on one device share the first of them. Its "
         "interval is that of launches of the same round divided by each other, so that a drift "
         "of the machine cancels.",
     .section = "Sweeps",
     .of_row = [](const RowSummary& row) { return row.speed_up; },
     .table = {.place = 2, .narrow = 1},
     .page = 2},
    {.key = "efficiency",
     .unit = "share",
     .label = "efficiency",
     .meaning =
         "Speed-up times the devices of the baseline over the devices. With weak scaling that is "
         "images/s(N) / (N images/s(1)), with strong scaling t(1) / (N t(N)) for the same global "
         "batch. 100 % is ideal.",
     .section = "Sweeps",
     .of_row = [](const RowSummary& row) { return row.efficiency; },
     .table = {.place = 3, .narrow_interval = 5},
     .page = 3},
    {.key = "of_independent",
     .unit = "share",
     .label = "of independent",
     .meaning =
         "Speed over that of as many devices that exchange nothing: what is left of the speed "
         "without any exchange.",
     .section = "Sweeps",
     .of_row = [](const RowSummary& row) { return row.of_ceiling; },
     .limit = true,
     .table = {.place = 4, .narrow = 4},
     .page = 4},
    {.key = "io_overhead",
     .unit = "share",
     .label = "I/O overhead",
     .meaning =
         "1 - speed / speed with synthetic images of the same configuration, launches of the same "
         "round divided by each other. Of cached images it is the cost of preprocessing, of real "
         "ones that of reading as well; it may be negative by chance.",
     .section = "Real images",
     .of_row = [](const RowSummary& row) { return row.io_overhead; },
     .table = {.place = 5, .optional = true, .narrow_interval = 6},
     .page = 5},
    {.key = "step_ms_mean",
     .unit = "ms",
     .label = "step",
     .heading = "step, ms",
     .meaning =
         "One synchronous iteration: input, forward, backward, exchange, update. It lasts until "
         "the next one begins, so that steps add up to the wall time.",
     .section = "What is timed",
     .of_run = [](const Measured& run) -> Value { return milliseconds(run.summary.step_mean); },
     .of_launch = &Launch::step_ms_mean,
     .page = 6},
    {.key = "step_ms_median",
     .unit = "ms",
     .label = "median step",
     .meaning = "Half of the steps take at most as long.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return milliseconds(run.summary.step_median); },
     .of_launch = &Launch::step_ms_median},
    {.key = "step_ms_p90",
     .unit = "ms",
     .label = "90th percentile of the step",
     .meaning = "90 % of the steps take at most as long.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return milliseconds(run.summary.step_p90); },
     .of_launch = &Launch::step_ms_p90},
    {.key = "step_ms_p95",
     .unit = "ms",
     .label = "95th percentile of the step",
     .meaning = "95 % of the steps take at most as long.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return milliseconds(run.summary.step_p95); },
     .of_launch = &Launch::step_ms_p95},
    {.key = "step_ms_p99",
     .unit = "ms",
     .label = "99th percentile of the step",
     .meaning = "99 % of the steps take at most as long.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return milliseconds(run.summary.step_p99); },
     .of_launch = &Launch::step_ms_p99},
    {.key = "drift_pct",
     .unit = "%",
     .label = "drift",
     .meaning = "Median step of the second half over that of the first, minus 1.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return 100 * run.summary.drift; },
     .may_be_negative = true,
     .in_csv = false},
    {.key = "compute_ms",
     .unit = "ms",
     .label = "forward and backward",
     .meaning = "Time of both passes, the mean over ranks.",
     .section = "Several ranks",
     .derived = [](const Launch& launch) -> std::optional<double> {
       return launch.phase(record::Phase::forward) + launch.phase(record::Phase::backward);
     }},
    {.key = "forward_ms",
     .unit = "ms",
     .label = "forward pass",
     .meaning = "Mean over ranks.",
     .section = "Several ranks",
     .derived = phase_ms<record::Phase::forward>},
    {.key = "backward_ms",
     .unit = "ms",
     .label = "backward pass",
     .meaning = "Mean over ranks.",
     .section = "Several ranks",
     .derived = phase_ms<record::Phase::backward>},
    {.key = "exposed_comm_ms",
     .unit = "ms",
     .label = "exposed communication",
     .meaning = "Exchange that no computation hides, waiting included; the mean over ranks.",
     .section = "Several ranks",
     .derived = phase_ms<record::Phase::exchange>},
    {.key = "straggler_wait_ms",
     .unit = "ms",
     .label = "waiting for others",
     .meaning = "The part of the exposed communication with nothing to do but wait.",
     .section = "Several ranks",
     .derived = [](const Launch& launch) -> std::optional<double> { return launch.waiting_ms; }},
    {.key = "input_wait_ms",
     .unit = "ms",
     .label = "waiting for images",
     .meaning = "Time that a step waits for its batch, the mean over ranks.",
     .section = "Real images",
     .derived = phase_ms<record::Phase::input>},
    {.key = "optimizer_ms",
     .unit = "ms",
     .label = "update of the weights",
     .meaning = "Where it does not follow an addition at once; the mean over ranks.",
     .section = "Several ranks",
     .derived = phase_ms<record::Phase::update>},
    {.key = "other_ms",
     .unit = "ms",
     .label = "other time of the step",
     .meaning = "What no phase claims.",
     .section = "What is timed",
     .derived = [](const Launch& launch) -> std::optional<double> { return launch.other_ms; }},
    {.key = "overlap_pct",
     .unit = "%",
     .label = "overlap",
     .meaning = "Share of the time in flight that computation hides.",
     .section = "Several ranks",
     .derived = [](const Launch& launch) { return launch.overlap_pct; }},
    {.key = "busbw_GBps",
     .unit = "GB/s",
     .label = "bus bandwidth",
     .meaning =
         "Of the gradients while they are in flight, as nccl-tests define it for an all-reduce.",
     .section = "Several ranks",
     .derived = [](const Launch& launch) { return launch.busbw_gbps; }},
    {.key = "share_input",
     .unit = "share",
     .label = "input",
     .meaning = "The share of the step in which a rank waits for its images.",
     .section = "What is lost",
     .of_row = share<Part::input>,
     .page = 10},
    {.key = "share_forward",
     .unit = "share",
     .label = "share of forward",
     .meaning = "The share of the step that the forward pass takes.",
     .section = "What is lost",
     .of_row = share<Part::forward>},
    {.key = "share_backward",
     .unit = "share",
     .label = "share of backward",
     .meaning = "The share of the step that the backward pass takes.",
     .section = "What is lost",
     .of_row = share<Part::backward>},
    {.key = "share_exchange",
     .unit = "share",
     .label = "exposed exchange",
     .meaning = "The share of the step in which a rank's own threads move or add what others have, "
                "without waiting: what no computation hides.",
     .section = "What is lost",
     .of_row = share<Part::exchange>,
     .page = 7},
    {.key = "share_waiting",
     .unit = "share",
     .label = "waiting",
     .meaning = "The share of the step in which a rank has nothing to do but wait for others: the "
                "slowest one, or the network.",
     .section = "What is lost",
     .of_row = share<Part::waiting>,
     .page = 8},
    {.key = "share_update",
     .unit = "share",
     .label = "update",
     .meaning =
         "The share of the step that updates the weights where nothing is added: one rank alone, "
         "or no exchange. Otherwise the update follows the addition at once and is part of the "
         "exchange.",
     .section = "What is lost",
     .of_row = share<Part::update>,
     .page = 11},
    {.key = "share_other",
     .unit = "share",
     .label = "other",
     .meaning = "What no part of the step claims.",
     .section = "What is lost",
     .of_row = share<Part::other>},
    {.key = "share_contention",
     .unit = "share",
     .label = "contention",
     .meaning =
         "(t(independent) - t(baseline)) / t: the share of the step by which as many devices side "
         "by side are slower than the baseline even if they exchange nothing, because they share "
         "memory and caches (and with strong scaling have fewer images at once). t is the time "
         "that a device needs for an image. Most of it lies within forward and backward; it may "
         "be negative by chance.",
     .section = "What is lost",
     .of_row =
         [](const RowSummary& row) { return row.losses ? row.losses->contention : std::nullopt; },
     .page = 9},
    {.key = "gflops",
     .unit = "GFLOP/s",
     .label = "GFLOP/s",
     .meaning =
         "10^9 operations per second: 2 per multiply-add of the model, three times those of the "
         "forward pass when training, whatever algorithm computes them.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return run.usage.gflops; },
     .of_launch = &Launch::gflops,
     .page = 12},
    {.key = "peak_gflops",
     .unit = "GFLOP/s",
     .label = "peak",
     .meaning =
         "Rate of fused multiply-adds in registers, measured in the same run on the same cores.",
     .section = "Figures",
     .of_run = [](const Measured& run) { return or_nothing(run.usage.peak_gflops); },
     .in_csv = false},
    {.key = "mfu_pct",
     .unit = "%",
     .label = "share of peak",
     .heading = "% of peak",
     .meaning =
         "GFLOP/s over the rate of fused multiply-adds in registers, measured in the same run on "
         "the same cores.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value {
       const Usage& usage = run.usage;
       return usage.peak_gflops ? Value(100 * usage.gflops / *usage.peak_gflops) : Value();
     },
     .of_launch = &Launch::mfu_pct,
     .page = 13},
    {.key = "energy_j",
     .unit = "J",
     .label = "energy",
     .meaning = "What the processor packages of all hosts took during the timed steps (RAPL).",
     .section = "Figures",
     .of_run = [](const Measured& run) { return or_nothing(run.usage.joules); },
     .of_launch = &Launch::joules},
    {.key = "j_per_image",
     .unit = "J",
     .label = "energy of an image",
     .heading = "J/image",
     .meaning =
         "What the processor packages of all hosts took during the timed steps (RAPL; memory, "
         "disks and GPUs are not in it), over the images of these steps; in joules.",
     .section = "Figures",
     .of_run = [](const Measured& run) { return or_nothing(run.usage.joules_per_image); },
     .of_launch = &Launch::joules_per_image,
     .table = {.place = 6, .optional = true, .narrow = 8},
     .page = 14},
    {.key = "cost_per_image",
     .unit = "",
     .label = "cost of an image",
     .meaning = "In the currency of --price_per_hour.",
     .section = "Figures",
     .derived = [](const Launch& launch) -> std::optional<double> {
       const auto& cost = launch.cost_per_million_images;
       return cost ? std::optional(*cost / 1e6) : std::nullopt;
     }},
    {.key = "cost_per_million_images",
     .unit = "",
     .label = "cost of a million images",
     .heading = "cost/10^6",
     .meaning =
         "In the currency of --price_per_hour, the price of a host: the price of all hosts for as "
         "long as a million images take.",
     .section = "Figures",
     .of_run = [](const Measured& run) { return or_nothing(run.usage.cost_per_million_images); },
     .of_launch = &Launch::cost_per_million_images,
     .table = {.place = 7, .optional = true, .narrow = 7},
     .page = 15},
    {.key = "rss_peak_bytes",
     .unit = "bytes",
     .label = "peak memory",
     .meaning = "Largest resident set of the process of rank 0, in any launch.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return run.usage.peak_rss_bytes; },
     .of_launch = &Launch::rss_peak_bytes,
     .average = Average::largest},
    {.key = "seconds_to_first_step",
     .unit = "s",
     .label = "time to first step",
     .meaning = "From the start of the program to the start of step 0.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return run.usage.seconds_to_first_step; },
     .in_csv = false},
    {.key = "stable",
     .unit = "",
     .label = "stable",
     .meaning =
         "Half the width of a launch's own interval and the drift of its step time are both at "
         "most 5 % of the mean.",
     .section = "Figures",
     .of_run = [](const Measured& run) -> Value { return run.summary.stable; },
     .of_launch = &Launch::stable,
     .average = Average::all,
     .page = 16},
    {.key = "all_reduce",
     .unit = "",
     .label = "all-reduce",
     .meaning = "The algorithms that exchanged the buckets; null where none did.",
     .section = "Several ranks",
     .of_run =
         [](const Measured& run) {
           return run.all_reduce.empty() ? Value() : Value(run.all_reduce);
         },
     .in_csv = false},
};

std::optional<double> field_of(const Launch& launch, const LaunchField& field) {
  return std::visit(
      [&](auto member) -> std::optional<double> {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          return std::nullopt;
        } else if constexpr (std::is_same_v<decltype(launch.*member),
                                            const std::optional<double>&>) {
          return launch.*member;
        } else {
          return static_cast<double>(launch.*member);
        }
      },
      field);
}

std::vector<const Metric*> by_place(const std::function<int(const Metric&)>& place) {
  std::vector<const Metric*> chosen;
  for (const Metric& metric : kMetrics) {
    if (place(metric) > 0) chosen.push_back(&metric);
  }
  std::ranges::sort(chosen, {}, [&](const Metric* metric) { return place(*metric); });
  return chosen;
}

}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

std::vector<const Metric*> table_metrics() {
  return by_place([](const Metric& metric) { return metric.table.place; });
}

std::vector<const Metric*> page_metrics() {
  return by_place([](const Metric& metric) { return metric.page; });
}

const Metric& metric(std::string_view key) {
  const auto* found = std::ranges::find(kMetrics, key, &Metric::key);
  LOCKSTEP_CHECK(found != std::end(kMetrics));
  return *found;
}

std::optional<double> value(const Metric& metric, const stats::PointRecord& record) {
  if (!record.failure.empty()) return std::nullopt;
  std::vector<double> values;
  for (const auto& launch : record.launches) {
    if (!launch) continue;
    const auto one = launch->imported ? std::nullopt
                     : metric.derived ? metric.derived(*launch)
                                      : field_of(*launch, metric.of_launch);
    if (!one) return std::nullopt;
    values.push_back(*one);
  }
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double one : values) sum += one;
  switch (metric.average) {
    case Average::sum:
      return sum;
    case Average::largest:
      return std::ranges::max(values);
    case Average::all:
      return std::ranges::min(values);
    case Average::mean:
      break;
  }
  return sum / static_cast<double>(values.size());
}

bool is_integer(const Metric& metric) {
  return std::holds_alternative<std::int64_t Launch::*>(metric.of_launch) || is_yes_or_no(metric);
}

bool is_yes_or_no(const Metric& metric) {
  return std::holds_alternative<bool Launch::*>(metric.of_launch);
}

std::span<const StepPart> step_parts() {
  return kStepParts;
}

const Metric& share_of(const StepPart& part) {
  return metric("share_" + std::string(part.name));
}

}  // namespace lockstep::result
