// Collectives between two ranks of one host against the machine's own a += b, by the same two cores
// over the same bytes, in one interleaved run.
//
//   bench/all_reduce [--rounds R]
//
// An all-reduce that leaves private sums on two ranks moves four streams of memory where a += b
// moves three; a reduce-scatter moves three.
#include <fmt/format.h>

#include <barrier>
#include <cstring>
#include <thread>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "bench/bootstrap.h"
#include "bench/positive.h"
#include "cli/comm_operation.h"
#include "comm/arithmetic.h"
#include "machine/cores.h"

namespace {

using namespace lockstep;

constexpr int kRanks = 2;
constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kSumFloats = 100 * kMiB / sizeof(float);
constexpr double kSideSeconds = 0.1;  // of one side in one round

struct Side {
  std::string_view name;
  cli::CommKind kind;
  std::size_t bytes;
  double bar;
  std::vector<double> rates = {}, ratios = {};
};

// What both threads have in common. Rank 0 keeps the figures.
struct Bench {
  std::vector<Side> sides = {
      {"all_reduce", cli::CommKind::all_reduce, 64 * kMiB, 0.60},
      {"all_reduce", cli::CommKind::all_reduce, 256 * kMiB, 0.60},
      {"reduce_scatter", cli::CommKind::reduce_scatter, 64 * kMiB, 0.85},
      {"reduce_scatter", cli::CommKind::reduce_scatter, 256 * kMiB, 0.85},
  };
  int rounds = 15;
  // The arrays begin at different offsets within a page, as the ranks' own do.
  Buffer a{kSumFloats * sizeof(float)}, b{kSumFloats * sizeof(float) + 4096};
  std::vector<double> sum_rates;
  double seconds[kRanks] = {};
  std::barrier<> barrier{kRanks};
};

class Rank {
 public:
  Rank(Bench& bench, comm::Transport& transport)
      : bench_(bench), transport_(transport), rank_(static_cast<std::size_t>(transport.rank())) {
    std::vector<cli::Buckets> cases;
    for (const Side& side : bench.sides) cases.push_back(buckets(side));
    arrays_ = cli::share_arrays(transport, cases);
    std::ranges::fill(arrays_[rank_].gradients, 0.0F);
    const comm::Range mine = half();
    std::fill_n(bench.a.floats().data() + mine.begin, mine.size(), 0.0F);
    std::fill_n(bench.b.floats().data() + kSkew + mine.begin, mine.size(), 0.0F);
  }

  void run() {
    for (int round = 0; round < bench_.rounds; ++round) {
      const double sum_rate = rate(kSumFloats * sizeof(float), [&] { add_half(); });
      if (rank_ == 0) bench_.sum_rates.push_back(sum_rate);
      for (Side& side : bench_.sides) {
        const auto operation = cli::start_operation(
            transport_, arrays_,
            {.kind = side.kind, .buckets = buckets(side), .algorithms = {comm::direct}});
        const double side_rate = rate(side.bytes, [&] { operation->run(); });
        if (rank_ != 0) continue;
        side.rates.push_back(side_rate);
        side.ratios.push_back(side_rate / sum_rate);
      }
    }
  }

 private:
  static constexpr std::size_t kSkew = 544 / sizeof(float);

  static cli::Buckets buckets(const Side& side) { return {{0, side.bytes / sizeof(float)}}; }

  comm::Range half() const { return comm::split({0, kSumFloats}, kRanks, comm::kLineGrain)[rank_]; }
  void add_half() {
    const comm::Range mine = half();
    float* const a = bench_.a.floats().data() + mine.begin;
    comm::add(a, a, bench_.b.floats().data() + kSkew + mine.begin, mine.size());
  }

  // GB/s: the median over runs of the slower rank's time.
  template <typename Run>
  double rate(std::size_t bytes, const Run& run) {
    run();
    std::vector<double> times;
    for (double spent = 0; spent < kSideSeconds || times.size() < 3; spent += times.back()) {
      bench_.barrier.arrive_and_wait();
      const double begin = now();
      run();
      bench_.seconds[rank_] = now() - begin;
      bench_.barrier.arrive_and_wait();
      times.push_back(std::max(bench_.seconds[0], bench_.seconds[1]));
    }
    return static_cast<double>(bytes) / stats::median(times) / 1e9;
  }

  Bench& bench_;
  comm::Transport& transport_;
  const std::size_t rank_;
  std::vector<comm::Window> arrays_;
};

void measure(Bench& bench) {
  const auto placement = machine::place(machine::allowed(), kRanks, 1);
  auto transports = comm::connect_threads(kRanks);
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      machine::join_team(placement[rank]);
      Rank(bench, *transports[rank]).run();
    });
  }
}

void show(const Bench& bench) {
  fmt::print("payload, GB/s      MiB     rate   of a += b   95 % interval      bar\n");
  fmt::print("{:<15}{:>7}{:>9.2f}\n", "a += b", kSumFloats * sizeof(float) / kMiB,
             stats::median(bench.sum_rates));
  for (const Side& side : bench.sides) {
    const stats::Interval interval = bench::bootstrap(side.ratios);
    fmt::print("{:<15}{:>7}{:>9.2f}{:>12.3f}   [{:.3f}, {:.3f}]  {:>7.2f}\n", side.name,
               side.bytes / kMiB, stats::median(side.rates), stats::median(side.ratios),
               interval.low, interval.high, side.bar);
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr auto kUsage = "usage: bench/all_reduce [--rounds R]";
  try {
    machine::correct_openmp_environment(argv);
    Bench bench;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--rounds") != 0) {
        throw Error(ExitCode::usage, fmt::format("unexpected argument {}", argv[i]), kUsage);
      }
      bench.rounds = bench::positive(i + 1 < argc ? argv[++i] : "", kUsage);
    }
    measure(bench);
    show(bench);
  } catch (const Error& e) {
    fmt::print(stderr, "error: {}\nhint: {}\n", e.what(), e.hint());
    return static_cast<int>(e.code());
  }
  return 0;
}
