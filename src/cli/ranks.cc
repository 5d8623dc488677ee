#include "cli/ranks.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "cli/conv_choices.h"
#include "cli/world.h"
#include "comm/gathered.h"
#include "machine/cores.h"
#include "machine/energy.h"

namespace lockstep::cli {
namespace {

using SortedJson = nlohmann::json;

// A rank's timed steps as text, and back: what rank 0 needs for the result.
std::string to_text(const stats::RankSamples& rank) {
  SortedJson steps = SortedJson::array();
  for (const record::Sample& s : rank.timed) {
    steps.push_back({s.begin, s.end, s.phases, s.waiting, s.wire});
  }
  SortedJson buckets = SortedJson::array();
  for (const record::Flight::Bucket& bucket : rank.flight.buckets) {
    buckets.push_back({bucket.bytes, bucket.seconds, bucket.exposed, bucket.waiting});
  }
  return SortedJson{{"host", rank.host},
                    {"sent", rank.bytes_sent},
                    {"received", rank.bytes_received},
                    {"steps", std::move(steps)},
                    {"flight", {rank.flight.seconds, rank.flight.exposed}},
                    {"buckets", std::move(buckets)},
                    {"input",
                     {rank.input.threads, rank.input.stages, rank.input.waited, rank.input.images,
                      rank.input.skipped}},
                    {"joules", rank.joules ? SortedJson(*rank.joules) : SortedJson(nullptr)}}
      .dump();
}

stats::RankSamples samples_from_text(const std::string& text) {
  const SortedJson json = SortedJson::parse(text);
  stats::RankSamples rank{.host = json.at("host"),
                          .timed = {},
                          .bytes_sent = json.at("sent"),
                          .bytes_received = json.at("received"),
                          .flight = {},
                          .input = {}};
  const SortedJson& input = json.at("input");
  rank.input = {.threads = input.at(0),
                .stages = input.at(1),
                .waited = input.at(2),
                .images = input.at(3),
                .skipped = input.at(4)};
  if (!json.at("joules").is_null()) rank.joules = json.at("joules");
  rank.flight.seconds = json.at("flight").at(0);
  rank.flight.exposed = json.at("flight").at(1);
  for (const SortedJson& bucket : json.at("buckets")) {
    rank.flight.buckets.push_back({.bytes = bucket.at(0),
                                   .seconds = bucket.at(1),
                                   .exposed = bucket.at(2),
                                   .waiting = bucket.at(3)});
  }
  for (const SortedJson& step : json.at("steps")) {
    record::Sample sample;
    sample.begin = step.at(0);
    sample.end = step.at(1);
    sample.phases = step.at(2);
    sample.waiting = step.at(3);
    sample.wire = step.at(4);
    rank.timed.push_back(sample);
  }
  return rank;
}

stats::RankInput input_of(const train::Outcome& outcome, const train::Feed& feed) {
  if (feed.source == nullptr) return {};
  const data::InputTimes& times = outcome.input;
  return {.threads = feed.threads,
          .stages = {times.read, times.decode, times.assemble, times.hand_over},
          .waited = times.waited,
          .images = static_cast<std::int64_t>(times.images),
          .skipped = static_cast<std::int64_t>(times.skipped)};
}

stats::RankSamples timed_samples(const train::Outcome& outcome, const std::string& host,
                                 const train::Feed& feed) {
  const auto steps = static_cast<double>(std::max<std::size_t>(1, outcome.samples.size()));
  return {.host = host,
          .timed = {outcome.samples.begin() + outcome.warm_up_steps, outcome.samples.end()},
          .bytes_sent = static_cast<double>(outcome.bytes_sent) / steps,
          .bytes_received = static_cast<double>(outcome.bytes_received) / steps,
          .flight = outcome.flight,
          .input = input_of(outcome, feed)};
}

// Of all devices at once: they share what limits them.
double peak_of_all(comm::Transport& transport, std::span<const int> processors, double mine) {
  const auto texts = transport.all_gather(fmt::format("{} {}", machine::ranges(processors), mine));
  std::vector<machine::DevicePeak> devices;
  for (int rank = 0; rank < transport.world(); ++rank) {
    const std::string& text = texts[rank];
    const std::size_t space = text.find(' ');
    const double peak =
        comm::read_gathered(transport, rank, [&] { return std::stod(text.substr(space + 1)); });
    devices.push_back({transport.topology().host_of[rank], text.substr(0, space), peak});
  }
  return machine::sum_of_peaks(devices);
}

std::string to_text(const train::Service& service, const std::string& host) {
  const double staleness = service.staleness_sum / static_cast<double>(std::max<std::int64_t>(
                                                       1, service.gradients - service.dropped));
  return SortedJson{{"host", host},
                    {"updates", service.updates},
                    {"gradients", service.gradients},
                    {"staleness_mean", staleness},
                    {"staleness_max", service.staleness_max},
                    {"dropped", service.dropped},
                    {"sent", service.bytes_sent},
                    {"received", service.bytes_received}}
      .dump();
}

stats::ServerSummary server_from_text(const std::string& text) {
  const SortedJson json = SortedJson::parse(text);
  return {.host = json.at("host"),
          .updates = json.at("updates"),
          .gradients = json.at("gradients"),
          .staleness_mean = json.at("staleness_mean"),
          .staleness_max = json.at("staleness_max"),
          .dropped = json.at("dropped"),
          .bytes_sent = json.at("sent"),
          .bytes_received = json.at("received")};
}

// The energy that this host takes while a rank of it times its steps.
class HostEnergy {
 public:
  // Counters are read where the steps begin and, so that none begins anew unseen, now and then.
  void listen(train::Hooks& hooks) {
    hooks.on_timed_start = [this, next = std::move(hooks.on_timed_start)] {
      if (next) next();
      meter_.start();
      last_ = now();
    };
    hooks.on_step = [this, next = std::move(hooks.on_step)](const record::Sample& sample,
                                                            std::int64_t timed_step) {
      if (next) next(sample, timed_step);
      if (now() - last_ < kSeconds) return;
      meter_.look();
      last_ = now();
    };
  }

  std::optional<double> joules() {
    meter_.look();
    return meter_.joules();
  }

 private:
  static constexpr double kSeconds = 20;

  machine::EnergyMeter meter_;
  double last_ = 0;
};

class Rank {
 public:
  Rank(const Job& job, comm::Transport& transport, std::size_t device, const RankHooks& hooks)
      : job_(job),
        transport_(transport),
        device_(device),
        hooks_(hooks),
        site_(site_of(job, transport.topology())) {}

  void run() {
    if (site_.ranks.trains(transport_.rank())) {
      work();
    } else {
      serve();
    }
  }

  WorldOutcome outcome;

 private:
  void work() {
    machine::join_team(job_.placement[device_]);
    transport_.all_gather({});
    machine::Peak peak = measure_peak();
    peak.gflops = peak_of_all(transport_, processors(), peak.gflops);
    engine::Options options = engine_options(job_);
    options.conv_choices = agree_on_convolutions(job_, transport_);
    outcome.convolutions = options.conv_choices;
    std::unique_ptr<engine::Engine> engine = engine::compile(job_.graph, options);
    train::Supplies supplies{
        .feed = feed_of(job_, device_), .checkpoint = job_.checkpoint.get(), .evaluator = {}};
    if (job_.training() && transport_.rank() != 0) supplies.checkpoint = nullptr;
    if (job_.evaluates_during_training()) {
      supplies.evaluator = engine::compile(job_.graph, evaluator_options(job_));
    }
    if (transport_.rank() == 0 && hooks_.on_plan) {
      hooks_.on_plan(peak, memory_of(job_, engine->plan(),
                                     supplies.evaluator ? &supplies.evaluator->plan() : nullptr));
    }
    const train::Feed feed = supplies.feed;
    train::Hooks hooks = hooks_.hooks(transport_);
    std::optional<HostEnergy> energy;
    if (first_of_host()) energy.emplace().listen(hooks);
    outcome.mine = train::train(job_.trial, *job_.model, std::move(engine), transport_, site_,
                                hooks, std::move(supplies));
    if (outcome.mine.error) return;
    const auto joules = energy ? energy->joules() : std::nullopt;
    // Whatever else runs makes the peak seem too low, never too high.
    outcome.peak_gflops =
        std::max(peak.gflops, peak_of_all(transport_, processors(), measure_peak().gflops));
    outcome.in_step = site_.strategy->in_step;
    stats::RankSamples samples = timed_samples(outcome.mine, host(), feed);
    samples.joules = joules;
    gather(to_text(samples));
  }

  const std::vector<int>& processors() const {
    return job_.placement[device_ % job_.placement.size()];
  }

  // One of those that take turns measures for all of them.
  machine::Peak measure_peak() const {
    const auto first = std::ranges::find(job_.placement, processors());
    return first == job_.placement.begin() + static_cast<std::ptrdiff_t>(device_)
               ? machine::measure_peak()
               : machine::Peak{};
  }

  // Of the ranks of this host that train.
  bool first_of_host() const {
    for (int rank = 0; rank < transport_.rank(); ++rank) {
      if (site_.ranks.trains(rank) && transport_.topology().same_host(rank, transport_.rank())) {
        return false;
      }
    }
    return true;
  }

  // On a worker's cores: a server mostly sleeps.
  void serve() {
    machine::join_team(std::span(processors()).first(1));
    transport_.all_gather({});
    peak_of_all(transport_, processors(), 0);
    agree_on_convolutions(job_, transport_);
    const train::Service service = train::serve(job_.trial, *job_.model, transport_, site_);
    peak_of_all(transport_, processors(), 0);
    gather(to_text(service, host()));
  }

  // Rank 0's outcome has everybody's.
  void gather(const std::string& mine) {
    const std::vector<std::string> all = transport_.gather(mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const int number = static_cast<int>(rank);
      comm::read_gathered(transport_, number, [&] {
        if (site_.ranks.trains(number)) {
          outcome.ranks.push_back(samples_from_text(all[rank]));
        } else {
          outcome.servers.push_back(server_from_text(all[rank]));
        }
      });
    }
  }

  const std::string& host() const { return transport_.host_name(transport_.rank()); }

  const Job& job_;
  comm::Transport& transport_;
  const std::size_t device_;
  const RankHooks& hooks_;
  const train::Site site_;
};

}  // namespace

WorldOutcome run_ranks(const Job& job, Ranks& ranks, const RankHooks& hooks) {
  std::vector<std::unique_ptr<Rank>> here;
  for (std::size_t device = 0; device < ranks.size(); ++device) {
    here.push_back(std::make_unique<Rank>(job, *ranks[device], device, hooks));
  }
  const std::optional<Error> error = on_every_rank(ranks, [&](std::size_t i) { here[i]->run(); });
  WorldOutcome& outcome = here.front()->outcome;
  if (error) {
    if (ranks.front()->world() == 1) throw Error(*error);
    outcome.mine.ending = train::Ending::error;
    outcome.mine.error = error;
  }
  return std::move(outcome);
}

}  // namespace lockstep::cli
