#include "cli/ranks.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/clock.h"
#include "cli/conv_choices.h"
#include "cli/world.h"
#include "comm/gathered.h"
#include "machine/cores.h"
#include "machine/energy.h"
#include "record/samples_file.h"

namespace lockstep::cli {
namespace {

// What rank 0 needs of a rank's timed steps for the result.
std::string to_bytes(const stats::RankSamples& rank) {
  const record::Flight& flight = rank.flight;
  std::string bytes = bytes_of(rank.bytes_sent, rank.bytes_received, rank.input, rank.joules,
                               flight.seconds, flight.exposed, flight.buckets.size());
  for (const record::Flight::Bucket& bucket : flight.buckets) append_bytes(bytes, bucket);
  return bytes + record::samples_to_bytes(rank.timed);
}

stats::RankSamples samples_from_bytes(std::string_view bytes, const std::string& host) {
  stats::RankSamples rank{.host = host, .timed = {}};
  BytesReader reader(bytes);
  std::size_t buckets = 0;
  reader.take(rank.bytes_sent, rank.bytes_received, rank.input, rank.joules, rank.flight.seconds,
              rank.flight.exposed, buckets);
  while (buckets-- > 0) rank.flight.buckets.push_back(reader.take<record::Flight::Bucket>());
  rank.timed = record::samples_from_bytes(reader.rest());
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
  const auto sum = [&](const comm::Transport::Parts& parts) {
    std::vector<machine::DevicePeak> devices;
    for (int rank = 0; rank < transport.world(); ++rank) {
      devices.push_back(comm::read_gathered(transport, rank, [&] {
        BytesReader reader(parts[rank]);
        const auto peak = reader.take<double>();
        return machine::DevicePeak{transport.topology().host_of[rank], std::string(reader.rest()),
                                   peak};
      }));
    }
    return bytes_of(machine::sum_of_peaks(devices));
  };
  const std::string bytes = transport.agree(bytes_of(mine) + machine::ranges(processors), sum);
  return comm::read_gathered(transport, 0, [&] { return BytesReader(bytes).take<double>(); });
}

std::string to_bytes(const train::Service& service) {
  const double staleness = service.staleness_sum / static_cast<double>(std::max<std::int64_t>(
                                                       1, service.gradients - service.dropped));
  return bytes_of(service.updates, service.gradients, staleness, service.staleness_max,
                  service.dropped, static_cast<double>(service.bytes_sent),
                  static_cast<double>(service.bytes_received));
}

stats::ServerSummary server_from_bytes(std::string_view bytes, const std::string& host) {
  stats::ServerSummary server{.host = host};
  BytesReader(bytes).take(server.updates, server.gradients, server.staleness_mean,
                          server.staleness_max, server.dropped, server.bytes_sent,
                          server.bytes_received);
  return server;
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
    transport_.barrier();
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
    gather(to_bytes(samples));
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
    transport_.barrier();
    peak_of_all(transport_, processors(), 0);
    agree_on_convolutions(job_, transport_);
    const train::Service service = train::serve(job_.trial, *job_.model, transport_, site_);
    peak_of_all(transport_, processors(), 0);
    gather(to_bytes(service));
  }

  // Rank 0's outcome has everybody's.
  void gather(const std::string& mine) {
    const std::vector<std::string> all = transport_.gather(mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const int number = static_cast<int>(rank);
      const std::string& host = transport_.host_name(number);
      comm::read_gathered(transport_, number, [&] {
        if (site_.ranks.trains(number)) {
          outcome.ranks.push_back(samples_from_bytes(all[rank], host));
        } else {
          outcome.servers.push_back(server_from_bytes(all[rank], host));
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
