#include "cli/sweep_resolve.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "cli/job.h"
#include "cli/membership.h"
#include "data/formats.h"
#include "model/zoo.h"
#include "spec/flags.h"

namespace lockstep::cli {
namespace {

// What is measured when nobody says what: a network that is mostly arithmetic, and one with so many
// parameters per operation that devices mostly exchange them. Their steps take a fraction of a
// second on one core.
const std::vector<spec::ModelBatch> kModels = {{"mobilenet", 4}, {"alexnet", 2}};

// The sweep without options takes about two minutes: what a launch costs beside its timed steps is
// about as much on all machines, and the steps get what is left.
constexpr double kSeconds = 120;
constexpr double kSecondsBesideSteps = 4;
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
  for (const spec::ModelBatch& wanted : sweep.models) {
    const model::Model& model =
        model::find(wanted.model, dataset == sweep.run_flags.end() ? "" : dataset->second);
    spec::ModelBatch one{std::string(model.name), wanted.batch_size};
    if (one.batch_size == 0) one.batch_size = sweep.batch_size;
    if (one.batch_size == 0) one.batch_size = model.batch_size;
    if (std::ranges::count(resolved, one) > 0) {
      throw Error(ExitCode::usage,
                  fmt::format("{} with a batch of {} is there twice", one.model, one.batch_size));
    }
    resolved.push_back(std::move(one));
  }
  sweep.models = std::move(resolved);
  sweep.batch_size = 0;
}

void resolve_devices(spec::Sweep& sweep, const machine::Allowed& allowed, int devices) {
  if (sweep.devices.empty()) {
    const int cores =
        std::min(allowed.cores, allowed.usable) / std::max(1, sweep.threads_per_device);
    sweep.devices = spec::doubling(1, std::max(1, devices > 0 ? devices : cores));
  }
  if (sweep.threads_per_device > 0) return;
  if (devices > 0) {
    sweep.threads_per_device = 1;
    return;
  }
  const int most = sweep.devices.back();
  const bool shared = sweep.run_flags.contains("oversubscribe") && most > allowed.usable;
  sweep.threads_per_device =
      shared ? 1 : static_cast<int>(machine::place(allowed, most, 0).front().size());
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

}  // namespace

spec::Sweep resolve(spec::Sweep sweep, const machine::Allowed& allowed, int devices) {
  resolve_dataset(sweep);
  resolve_models(sweep);
  resolve_devices(sweep, allowed, devices);
  resolve_time(sweep);
  return sweep;
}

std::vector<std::string> run_flags(const spec::Point& point) {
  std::vector<std::string> flags = point.flags;
  flags.push_back(fmt::format("--devices={}", point.devices));
  if (point.num_ps > 0) flags.push_back(fmt::format("--num_ps={}", point.num_ps));
  return flags;
}

std::vector<std::string> check_points(const spec::Plan& plan, bool on_this_machine) {
  std::vector<std::string> sentences;
  const auto say = [&](const std::vector<std::string>& more) {
    for (const std::string& sentence : more) {
      if (std::ranges::count(sentences, sentence) == 0) sentences.push_back(sentence);
    }
  };
  for (const spec::Point& point : plan.points) {
    try {
      const spec::Parsed parsed =
          spec::parse_run(run_flags(point), [](const char*) -> const char* { return nullptr; });
      say(parsed.warnings);
      say(parsed.notes);
      if (on_this_machine) make_job(parsed.trial, membership(parsed.trial, std::nullopt));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", point.id, error.what()), error.hint());
    }
  }
  return sentences;
}

}  // namespace lockstep::cli
