#include "cli/sweep_resolve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "cli/job.h"
#include "cli/membership.h"
#include "data/formats.h"
#include "model/zoo.h"
#include "spec/combinations.h"
#include "strategy/all_reduce_spec.h"

namespace lockstep::cli {
namespace {

// What is measured when nobody says what: a network that is mostly arithmetic, and one with so many
// parameters per operation that devices mostly exchange them. Their steps take a fraction of a
// second on one core.
const std::vector<spec::ModelBatch> kModels = {{"mobilenet", 4}, {"alexnet", 2}};

// The sweep without options takes about two minutes; the timed steps get what starting leaves.
constexpr double kSeconds = 120;
constexpr double kShortest = 2, kLongest = 5;

// Real images tell which ones they are; the made-up ones beside them have to be of the same size.
void resolve_dataset(spec::Sweep& sweep) {
  const auto directory = sweep.run_flags.find("data_dir");
  if (sweep.inputs.empty() || directory == sweep.run_flags.end()) return;
  if (sweep.run_flags.contains("data_name")) return;
  try {
    const std::string dataset = dataset_of(data::find_dataset(directory->second));
    if (!dataset.empty()) sweep.run_flags["data_name"] = dataset;
  } catch (const Error& error) {
    throw Error(error.code(), error.what(),
                "where other hosts have it, and this machine does not, --data_name tells what it "
                "is");
  }
}

void resolve_models(spec::Sweep& sweep) {
  if (sweep.models.empty()) sweep.models = kModels;
  const auto dataset = sweep.run_flags.find("data_name");
  std::vector<spec::ModelBatch> resolved;
  std::set<std::pair<std::string, int>> known;
  for (const spec::ModelBatch& wanted : sweep.models) {
    const model::Model& model =
        model::find(wanted.model, dataset == sweep.run_flags.end() ? "" : dataset->second);
    spec::ModelBatch one{std::string(model.name), wanted.batch_size};
    if (one.batch_size == 0) one.batch_size = sweep.batch_size;
    if (one.batch_size == 0) one.batch_size = model.batch_size;
    if (!known.emplace(one.model, one.batch_size).second) {
      throw Error(ExitCode::usage,
                  fmt::format("{} with a batch of {} is there twice", one.model, one.batch_size));
    }
    resolved.push_back(std::move(one));
  }
  sweep.models = std::move(resolved);
  sweep.batch_size = 0;
}

bool oversubscribes(const spec::Sweep& sweep) {
  const auto flag = sweep.run_flags.find("oversubscribe");
  if (flag == sweep.run_flags.end()) return false;
  return std::get<bool>(
      spec::parse_value({.kind = spec::Kind::boolean}, flag->second, flag->first));
}

void resolve_devices(spec::Sweep& sweep, const machine::Allowed& allowed, int devices, bool here) {
  if (sweep.devices.empty()) {
    const int cores =
        std::min(allowed.cores, allowed.usable) / std::max(1, sweep.threads_per_device);
    sweep.devices = spec::doubling(1, std::max(1, devices > 0 ? devices : cores));
  }
  if (sweep.threads_per_device > 0) return;
  if (oversubscribes(sweep)) {
    sweep.threads_per_device = 1;
  } else if (here) {
    sweep.threads_per_device =
        static_cast<int>(machine::place(allowed, sweep.devices.back(), 0).front().size());
  }
}

void resolve_time(spec::Sweep& sweep) {
  if (sweep.launch_time) return;
  for (const char* flag : {"num_batches", "num_epochs", "num_eval_batches", "num_eval_epochs"}) {
    if (sweep.run_flags.contains(flag)) return;
  }
  const auto launches = static_cast<double>(spec::expand(sweep).points.size()) * sweep.repeats;
  const double time = std::clamp(kSeconds / launches - kSecondsBesideSteps, kShortest, kLongest);
  sweep.launch_time = std::round(10 * time) / 10;
}

// How a launcher starts the first rank of a point.
spec::Launched first_rank(const spec::Point& point, const Place& place) {
  spec::Launched launched;
  launched.launcher = place.launcher->name;
  launched.rank_variable = "LOCKSTEP_RANK";
  launched.world = point.devices + point.num_ps;
  launched.local_world = 1;
  if (!place.launcher->by_mpi) launched.coordinator = {"localhost", place.site.port};
  return launched;
}

// Of the first rank.
Membership membership_of(const spec::Trial& trial, const spec::Point& point, const Place& place) {
  return membership(trial,
                    place.by_threads() ? std::nullopt : std::optional(first_rank(point, place)));
}

// The network, and whether there are cores for the point. Data on other hosts need not be here.
void check_network(const spec::Point& point, const Place& place) {
  if (place.launcher->here) {
    job_of_point(point, place);
    return;
  }
  const spec::Trial trial = check_point(point, place).trial;
  model::build(model::find(trial.model, trial.dataset),
               {.image_size = trial.image_size, .num_classes = trial.num_classes});
}

// The point with the most devices for every network and input: what fits there fits everywhere.
std::vector<std::size_t> largest_points(const spec::Plan& plan) {
  std::map<std::pair<std::string, std::optional<spec::InputKind>>, std::size_t> largest;
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    const spec::Point& point = plan.points[p];
    const auto [found, fresh] = largest.try_emplace({point.model, point.input}, p);
    if (!fresh && plan.points[found->second].devices < point.devices) found->second = p;
  }
  std::vector<std::size_t> points;
  for (const auto& [network, p] : largest) points.push_back(p);
  std::ranges::sort(points);
  return points;
}

// Returns where an algorithm stands for another one.
std::vector<std::string> check_all_reduce(const spec::Trial& trial, const Place& place) {
  const std::string& spec = trial.exchange.all_reduce_spec;
  if (spec.empty()) return {};
  if (!place.launcher->by_mpi && wants_vendor(trial.exchange)) {
    throw vendor_refusal(trial.exchange, place.by_threads() ? "threads" : "tcp");
  }
  return strategy::parse_all_reduce_spec(spec).notes;
}

}  // namespace

spec::Sweep resolve(spec::Sweep sweep, const machine::Allowed& allowed, int devices, bool here) {
  resolve_dataset(sweep);
  resolve_models(sweep);
  resolve_devices(sweep, allowed, devices, here);
  resolve_time(sweep);
  return sweep;
}

std::vector<std::string> run_flags(const spec::Point& point) {
  std::vector<std::string> flags = point.flags;
  flags.push_back(fmt::format("--devices={}", point.devices));
  if (point.num_ps > 0) flags.push_back(fmt::format("--num_ps={}", point.num_ps));
  return flags;
}

spec::Parsed check_point(const spec::Point& point, const Place& place) {
  std::vector<std::string> flags = run_flags(point);
  if (!place.launcher->here) flags.emplace_back("--devices=1");  // a process for each
  spec::Parsed parsed = spec::parse_run(flags, [](const char*) -> const char* { return nullptr; });
  for (std::string& note : check_all_reduce(parsed.trial, place)) {
    parsed.warnings.push_back(std::move(note));
  }
  spec::check_ranks(parsed.trial, membership_of(parsed.trial, point, place).workers);
  return parsed;
}

Job job_of_point(const spec::Point& point, const Place& place) {
  spec::Trial trial = check_point(point, place).trial;
  if (!place.launcher->here) trial.threads_per_device = 0;
  return make_job(trial, membership_of(trial, point, place));
}

std::string drop_refused_ceiling(spec::Sweep& sweep, const Place& place) {
  const spec::Plan plan = spec::expand(sweep);
  const auto row = std::ranges::find_if(plan.rows, &spec::Row::is_ceiling);
  if (row == plan.rows.end()) return {};
  try {
    check_point(plan.points[row->point], place);
    return {};
  } catch (const Error& error) {
    sweep.ceiling = false;
    return fmt::format("the limit without exchange is not measured: {}", error.what());
  }
}

std::vector<std::string> check_points(const spec::Plan& plan, const Place& place) {
  std::vector<std::string> sentences;
  const auto say = [&](const std::vector<std::string>& more) {
    for (const std::string& sentence : more) {
      if (std::ranges::count(sentences, sentence) == 0) sentences.push_back(sentence);
    }
  };
  const auto attempt = [](const spec::Point& point, const auto& check) {
    try {
      check();
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", point.id, error.what()), error.hint());
    }
  };
  // No rule of flags looks at the network or its batch.
  std::set<std::tuple<std::string, int, int, std::string, std::optional<spec::InputKind>>> checked;
  for (const spec::Point& point : plan.points) {
    if (!checked
             .emplace(point.strategy, point.num_ps, point.devices, point.data_format, point.input)
             .second) {
      continue;
    }
    attempt(point, [&] {
      const spec::Parsed parsed = check_point(point, place);
      say(parsed.warnings);
      say(parsed.notes);
    });
  }
  for (const std::size_t p : largest_points(plan)) {
    attempt(plan.points[p], [&] { check_network(plan.points[p], place); });
  }
  return sentences;
}

}  // namespace lockstep::cli
