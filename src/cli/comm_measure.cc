#include "cli/comm_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/clock.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "cli/comm_check.h"
#include "comm/gathered.h"
#include "stats/quantile.h"
#include "strategy/all_reduce_spec.h"

namespace lockstep::cli {
namespace {

constexpr double kRowSeconds = 0.1;  // of samples, where nobody says how many
constexpr std::size_t kFewestSamples = 9;
constexpr double kSampleSeconds = 1e-3;  // at least: shorter operations are timed several at once
constexpr double kMostOperations = 1000;

const comm::AlgorithmRow* find_algorithm(std::string_view name) {
  const auto rows = comm::algorithms();
  const auto row = std::ranges::find(rows, name, &comm::AlgorithmRow::name);
  return row == rows.end() ? nullptr : &*row;
}

// Of each bucket; empty: the vendor's.
std::vector<std::string> taken_for(const std::string& name, const Buckets& buckets,
                                   const comm::Topology& topology) {
  std::vector<std::string> taken;
  if (name == kVendor) return taken;
  for (const comm::Range bucket : buckets) {
    taken.emplace_back(name == kAuto ? strategy::choose(bucket.size(), topology) : name);
  }
  return taken;
}

// Each once, in the order of their first.
std::string distinct(const std::vector<std::string>& names) {
  std::vector<std::string> once;
  for (const std::string& name : names) {
    if (std::ranges::find(once, name) == once.end()) once.push_back(name);
  }
  return join(once, "+");
}

// Whether sums end up all over the ranks, as a reduce_scatter promises, and not with one of them.
bool scatters(comm::Algorithm& algorithm, const comm::Topology& topology) {
  const int last = topology.world() - 1;
  const auto one_each = static_cast<std::size_t>(topology.world());
  return !algorithm(topology, last, {0, one_each}, 1).owned.empty();
}

bool has_levels(const comm::Topology& topology) {
  const std::set<int> hosts(topology.host_of.begin(), topology.host_of.end());
  return hosts.size() > 1 && hosts.size() < topology.host_of.size();
}

double slowest(comm::Transport& transport, double mine) {
  return comm::combined(transport, mine, [](double a, double b) { return std::max(a, b); });
}

// One row, on one rank.
class Measurement {
 public:
  Measurement(comm::Transport& transport, std::span<const comm::Window> arrays,
              const CommPlan& plan)
      : transport_(transport),
        plan_(plan),
        data_(arrays[static_cast<std::size_t>(transport.rank())].gradients),
        operation_(start_operation(transport, arrays, plan)) {
    operation_->run();
  }

  std::int64_t wrong() {
    const std::vector<comm::Range> owned =
        plan_.kind == CommKind::all_reduce
            ? std::vector<comm::Range>{}
            : owned_ranges(transport_.topology(), transport_.rank(), plan_);
    const CommShare share{plan_.kind, transport_.rank(), transport_.world(), plan_.buckets, owned};
    operation_->settle();
    fill_inputs(data_, share);
    operation_->run();
    return comm::combined(transport_, std::int64_t{count_wrong(data_, share)}, std::plus());
  }

  // All ranks come to the same decisions, because each of them is made by the slowest one's time.
  void time(int iterations, CommRow& row) {
    const double once = sample(1);
    const auto at_once =
        static_cast<int>(std::clamp(std::ceil(kSampleSeconds / once), 1.0, kMostOperations));
    std::vector<double> samples;
    double spent = 0;
    const auto enough = [&] {
      if (iterations > 0) return samples.size() == static_cast<std::size_t>(iterations);
      return samples.size() >= kFewestSamples && spent >= kRowSeconds;
    };
    while (!enough()) {
      samples.push_back(sample(at_once));
      spent += samples.back() * at_once;
    }
    row.seconds = stats::median(samples);
    row.operations = static_cast<std::int64_t>(samples.size()) * at_once;
  }

 private:
  // Seconds of one of so many operations in a row, on the slowest rank.
  double sample(int operations) {
    operation_->run();  // nobody gets out of it before everybody is in: all start together
    const double begin = now();
    for (int i = 0; i < operations; ++i) operation_->run();
    return slowest(transport_, (now() - begin) / operations);
  }

  comm::Transport& transport_;
  const CommPlan& plan_;
  const std::span<float> data_;
  const std::unique_ptr<CommOperation> operation_;
};

}  // namespace

double bus_factor(CommKind kind, int world) {
  const double others = static_cast<double>(world - 1) / world;
  return kind == CommKind::all_reduce ? 2 * others : others;
}

std::vector<std::string> sensible_algorithms(CommKind kind, comm::Transport& transport) {
  const comm::Topology& topology = transport.topology();
  std::vector<std::string> names;
  for (const comm::AlgorithmRow& row : comm::algorithms()) {
    if (row.by_host && !has_levels(topology)) continue;
    if (kind != CommKind::all_reduce && !scatters(*row.make, topology)) continue;
    names.emplace_back(row.name);
  }
  if (kind == CommKind::all_reduce && transport.vendor() != nullptr) names.emplace_back(kVendor);
  return names;
}

void check_algorithms(CommKind kind, comm::Transport& transport,
                      const std::vector<std::string>& algorithms) {
  for (const std::string& name : algorithms) {
    if (name == kVendor) {
      if (kind == CommKind::all_reduce && transport.vendor() != nullptr) continue;
      throw Error(ExitCode::usage,
                  "--algorithms=vendor: only MPI has a collective of its own, an all_reduce",
                  "mpirun --bind-to none -np 2 lockstep comm");
    }
    if (name == kAuto) {
      if (kind == CommKind::all_reduce) continue;
      throw Error(ExitCode::usage, "--algorithms=auto: what training takes is an all_reduce",
                  "known: " + join(sensible_algorithms(kind, transport), ", "));
    }
    const comm::AlgorithmRow* const row = find_algorithm(name);
    if (row == nullptr) {
      std::vector<std::string> known;
      for (const comm::AlgorithmRow& other : comm::algorithms()) known.emplace_back(other.name);
      known.insert(known.end(), {std::string(kVendor), std::string(kAuto)});
      throw unknown_name("algorithm", name, known);
    }
    if (kind != CommKind::all_reduce && !scatters(*row->make, transport.topology())) {
      throw Error(ExitCode::usage,
                  fmt::format("--algorithms: {} leaves all sums with one rank, which is no {}",
                              name, kCommKinds[static_cast<std::size_t>(kind)]),
                  "known: " + join(sensible_algorithms(kind, transport), ", "));
    }
  }
}

void measure_collectives(comm::Transport& transport, const CommSweep& sweep,
                         const std::function<void(const CommRow&)>& on_row) {
  const std::vector<comm::Window> arrays = share_arrays(transport, sweep.cases);
  for (const Buckets& buckets : sweep.cases) {
    for (const std::string& name : sweep.algorithms) {
      const auto taken = taken_for(name, buckets, transport.topology());
      CommPlan plan{.kind = sweep.kind, .buckets = buckets, .spin = sweep.spin};
      for (const std::string& one : taken) plan.algorithms.push_back(find_algorithm(one)->make);
      CommRow row{.bytes = floats_in(buckets) * sizeof(float),
                  .buckets = buckets.size(),
                  .algorithm = name,
                  .taken = name == kAuto ? distinct(taken) : ""};
      Measurement measurement(transport, arrays, plan);
      if (sweep.check) row.wrong = measurement.wrong();
      measurement.time(sweep.iterations, row);
      on_row(row);
    }
  }
}

}  // namespace lockstep::cli
