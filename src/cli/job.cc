#include "cli/job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/affinity.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "data/index_file.h"
#include "machine/cores.h"
#include "spec/combinations.h"
#include "train/epochs.h"
#include "train/optimizer.h"

namespace lockstep::cli {
namespace {

// Devices that share cores have one thread each: larger teams would spin for a core that another
// one has.
std::vector<std::vector<int>> shared_cores(const machine::Allowed& allowed, int devices,
                                           int threads) {
  if (threads > 1) {
    throw Error(ExitCode::usage,
                fmt::format("there is no room for {} of {} on {}", counted(devices, "device"),
                            counted(threads, "thread"), counted(allowed.usable, "core")),
                "devices that share cores (--oversubscribe) have one thread each");
  }
  std::vector<std::vector<int>> groups;
  for (int device = 0; device < devices; ++device) {
    groups.push_back({allowed.processors[static_cast<std::size_t>(device % allowed.usable)]});
  }
  return groups;
}

struct Places {
  std::vector<std::vector<int>> devices;  // of this process
  std::vector<int> spare;                 // that no device of the host has
  bool oversubscribed = false;
};

// The processors of each device of this process: its share of the host's.
Places places(const spec::Trial& trial, const Membership& member) {
  const machine::Allowed allowed = machine::allowed();
  if (!member.trains()) return {.devices = {{allowed.processors.front()}}, .spare = {}};
  const auto mine = static_cast<int>(
      std::ranges::count_if(member.ranks, [&](int r) { return r < member.workers; }));
  const bool shares = member.local_workers > mine && !bound_by_parent();
  const int devices = shares ? member.local_workers : mine;
  const bool oversubscribed = trial.oversubscribe && devices > allowed.usable;
  const auto groups = oversubscribed ? shared_cores(allowed, devices, trial.threads_per_device)
                                     : machine::place(allowed, devices, trial.threads_per_device);
  const auto first = groups.begin() + (shares ? member.local_first : 0);
  Places places{{first, first + mine}, {}, oversubscribed};
  for (const int processor : allowed.processors) {
    const bool taken = std::ranges::any_of(groups, [&](const std::vector<int>& group) {
      return std::ranges::count(group, processor) > 0;
    });
    if (!taken) places.spare.push_back(processor);
  }
  return places;
}

// Reads or makes the index; the dataset's name follows from it where the user gives none.
void find_data(Job& job, spec::Trial& trial) {
  if (trial.data.dir.empty() || (!job.member.trains() && !trial.dataset.empty())) return;
  job.index = data::load_index(trial.data.dir);
  if (!trial.data.skip_corrupt) data::require_intact(*job.index, trial.data.dir);
  if (trial.dataset.empty()) trial.dataset = dataset_of(*job.index);
}

std::int64_t examples_of(const Job& job, const spec::Trial& trial) {
  if (!job.index) return train::examples_per_epoch(trial, *job.model);
  const auto count = [&](data::Split split) {
    const std::size_t records = job.index->of(split).size();
    if (records > 0) return static_cast<std::int64_t>(records);
    throw Error(ExitCode::usage,
                fmt::format("{} has no images for {}", trial.data.dir,
                            split == data::Split::train ? "training" : "validation"),
                "lockstep data inspect shows what is in a dataset");
  };
  if (trial.mode == spec::Mode::evaluation) return count(data::Split::validation);
  if (trial.mode == spec::Mode::training && trial.evaluation.during_training()) {
    count(data::Split::validation);
  }
  return count(data::Split::train);
}

}  // namespace

std::string dataset_of(const data::Index& index) {
  if (index.format == "mnist") return "mnist";
  return index.format.starts_with("cifar10") ? "cifar10" : "";
}

std::vector<int> Job::processors() const {
  std::vector<int> all;
  for (const std::vector<int>& device : placement) {
    all.insert(all.end(), device.begin(), device.end());
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

Job make_job(spec::Trial trial, const Membership& member) {
  spec::check_ranks(trial, member.workers);
  Job job;
  job.member = member;
  find_data(job, trial);
  job.model = &model::find(trial.model, trial.dataset);
  job.graph =
      model::build(*job.model, {.image_size = trial.image_size, .num_classes = trial.num_classes});
  trial.model = job.model->name;
  trial.dataset = job.model->dataset;
  trial.image_size = job.graph.layers.front().shape.h;
  trial.num_classes = job.graph.classes();
  if (trial.batch_size == 0) trial.batch_size = job.model->batch_size;
  if (!trial.optimizer.weight_decay) trial.optimizer.weight_decay = job.model->weight_decay;
  if (trial.label_smoothing < 0) trial.label_smoothing = job.graph.label_smoothing;
  Places places = cli::places(trial, member);
  job.placement = std::move(places.devices);
  job.spare_processors = std::move(places.spare);
  job.oversubscribed = places.oversubscribed;
  if (member.trains()) {  // a server has no device
    trial.threads_per_device = static_cast<int>(job.placement.front().size());
  }
  job.trial = std::move(trial);
  job.examples = examples_of(job, job.trial);
  job.batches = train::timed_batches(job.trial, job.examples, job.global_batch());
  return job;
}

void open_files(Job& job) {
  const spec::Trial& trial = job.trial;
  if (job.index && job.member.trains()) {
    data::label_shift(*job.index, trial.num_classes);  // a mistake is found now
    job.source = std::make_shared<data::Source>(trial.data.dir, *job.index);
  }
  // Training is told by rank 0; evaluation on other hosts reads for itself.
  const bool reads = job.training() ? job.member.ranks.front() == 0 : job.member.trains();
  if (trial.checkpoints.dir.empty() || !reads) return;
  const auto file = train::latest_checkpoint(trial.checkpoints.dir);
  if (!file) {
    if (job.training()) return;
    throw Error(ExitCode::usage, fmt::format("Checkpoint not found in {}", trial.checkpoints.dir),
                "training with the same --train_dir makes one");
  }
  train::Checkpoint checkpoint = train::read_checkpoint(*file);
  require_fit(checkpoint, *file, trial, job.graph);
  print_note(fmt::format("{} from {}, behind step {}",
                         job.training() ? "training goes on" : "the network is", file->string(),
                         checkpoint.step));
  job.checkpoint = std::make_shared<const train::Checkpoint>(std::move(checkpoint));
}

train::Score score_of(const Job& job, const train::Outcome& outcome) {
  const auto timed =
      std::span(outcome.samples).subspan(static_cast<std::size_t>(outcome.warm_up_steps));
  const std::int64_t all = job.trial.num_epochs
                               ? std::llround(*job.trial.num_epochs * double(job.examples))
                               : std::numeric_limits<std::int64_t>::max();
  train::Score score;
  for (const record::Sample& sample : timed) {
    const std::int64_t images = std::min(job.global_batch(), all - score.images);
    score.images += images;
    score.hits.top_1 += std::llround(double{sample.top_1} * double(images));
    score.hits.top_5 += std::llround(double{sample.top_5} * double(images));
  }
  return score;
}

train::Feed feed_of(const Job& job, std::size_t device) {
  train::Feed feed{.source = job.source.get()};
  const std::vector<int>& spare = job.spare_processors;
  const bool shares = spare.empty();  // the device's cores, which are all idle while it waits
  feed.cores = shares ? job.placement[device] : spare;
  const int users = shares ? 1 : std::max(1, job.member.local_workers);
  feed.threads = job.trial.data.private_threads > 0
                     ? job.trial.data.private_threads
                     : std::max(1, static_cast<int>(feed.cores.size()) / users);
  return feed;
}

engine::Options engine_options(const Job& job) {
  constexpr std::array kLayouts = {engine::Layout::automatic, engine::Layout::automatic,
                                   engine::Layout::nhwc, engine::Layout::nchw};
  constexpr std::array kAlgorithms = {engine::ConvAlgorithm::automatic,
                                      engine::ConvAlgorithm::direct,
                                      engine::ConvAlgorithm::winograd};
  engine::Options options;
  options.batch = job.trial.batch_size;
  options.mode = job.training() ? engine::Mode::training : engine::Mode::evaluation;
  options.layout = kLayouts[static_cast<std::size_t>(job.trial.data_format)];
  options.conv_algorithm = kAlgorithms[static_cast<std::size_t>(job.trial.conv_algorithm)];
  options.workspace_bytes = static_cast<std::size_t>(job.trial.workspace_mb) << 20;
  options.label_smoothing = static_cast<float>(job.trial.label_smoothing);
  options.seed = job.trial.seed;
  return options;
}

engine::Options evaluator_options(const Job& job) {
  engine::Options options = engine_options(job);
  options.mode = engine::Mode::evaluation;
  if (job.trial.evaluation.batch_size > 0) options.batch = job.trial.evaluation.batch_size;
  return options;
}

}  // namespace lockstep::cli
