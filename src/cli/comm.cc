#include "cli/comm.h"

#include <algorithm>
#include <set>

#include "base/streams.h"
#include "base/text.h"
#include "cli/agreement.h"
#include "cli/comm_options.h"
#include "cli/comm_report.h"
#include "cli/job.h"
#include "cli/memory.h"
#include "cli/rank_threads.h"
#include "cli/whole_environment.h"
#include "cli/world.h"
#include "machine/cores.h"
#include "result/environment.h"
#include "spec/names.h"
#include "train/buckets.h"

namespace lockstep::cli {
namespace {

std::vector<Buckets> cases_of(const std::vector<std::size_t>& sizes) {
  std::vector<Buckets> cases;
  for (const std::size_t bytes : sizes) cases.push_back({{0, bytes / sizeof(float)}});
  return cases;
}

// By rank: all of them make the same ones.
std::vector<Buckets> cases_of(const CommOptions& options, const Job& job) {
  if (!options.sizes.empty()) return cases_of(options.sizes);
  std::vector<Buckets> cases;
  const auto engine = engine::compile(job.graph, engine_options(job));
  const train::Layout layout = train::layout_of(*engine);
  Buckets all;
  std::set<std::size_t> sizes;
  for (const train::Bucket& bucket :
       train::buckets(layout.segments, job.trial.exchange, train::kBucketBytes)) {
    all.push_back(bucket.range);
    sizes.insert(bucket.range.size());
  }
  for (const std::size_t size : sizes) cases.push_back({{0, size}});
  if (all.size() > 1) cases.push_back(std::move(all));
  return cases;
}

nlohmann::ordered_json configuration_of(const CommOptions& options, const Job& job,
                                        const comm::Topology& topology) {
  const std::set<int> hosts(topology.host_of.begin(), topology.host_of.end());
  nlohmann::ordered_json json = {{"operation", kCommKinds[static_cast<std::size_t>(options.kind)]},
                                 {"transport", spec::name(job.member.transport)},
                                 {"ranks", topology.world()},
                                 {"hosts", hosts.size()},
                                 {"threads_per_device", job.trial.threads_per_device},
                                 {"oversubscribed", job.oversubscribed},
                                 {"processors", machine::ranges(job.processors())}};
  if (options.sizes.empty()) json["model"] = job.trial.model;
  return json;
}

nlohmann::json common_options(const CommOptions& options) {
  return {{"sizes", options.sizes},
          {"algorithms", options.algorithms},
          {"operation", kCommKinds[static_cast<std::size_t>(options.kind)]},
          {"iterations", options.iterations},
          {"check", options.check}};
}

// Throws Error(environment), and tells ranks on other hosts, where those on this one would take
// more memory than there was before any of them took some.
void refuse_too_much_memory(const CommOptions& options, const Membership& member,
                            comm::Transport& transport, const machine::Environment& environment) {
  if (environment.memory_bytes == 0) return;
  const CommMemory memory = memory_of(cases_of(options.sizes));
  const std::size_t each =
      kRankBytes + (member.transport == spec::Transport::threads ? memory.used : memory.shared);
  int ranks = 0;
  for (int rank = 0; rank < transport.world(); ++rank) {
    if (transport.topology().same_host(rank, transport.rank())) ++ranks;
  }
  const double bytes = static_cast<double>(each) * ranks;
  const auto available = static_cast<double>(environment.memory_available_bytes);
  if (bytes <= available) return;
  const Error error(
      ExitCode::environment,
      fmt::format("too much for the memory of this host: {} x {} = {}, {} are available",
                  counted(ranks, "rank"), human_bytes(double(each)), human_bytes(bytes),
                  human_bytes(available)),
      "lower --sizes, or --devices");
  transport.fail(error);
  throw Error(error);
}

std::optional<Error> wrong_elements(const std::vector<CommRow>& rows) {
  std::int64_t wrong = 0;
  for (const CommRow& row : rows) wrong += row.wrong.value_or(0);
  if (wrong == 0) return std::nullopt;
  return Error(ExitCode::rank_failed,
               fmt::format("{} {} wrong", counted(wrong, "element"), wrong == 1 ? "is" : "are"));
}

// The work of the ranks of this process, and rank 0's words.
class Session {
 public:
  Session(const CommOptions& options, const Job& job, Ranks ranks)
      : options_(options),
        job_(job),
        ranks_(std::move(ranks)),
        report_(options, ranks_.front()->world()) {}

  // What ended it before its last row, or is wrong with its rows.
  std::optional<Error> run() {
    const auto error = on_every_rank(ranks_, [&](std::size_t i) { measure(i); });
    return error ? error : wrong_elements(rows_);
  }

  std::string closing(const machine::Environment& environment,
                      const std::optional<Error>& error) const {
    return report_.footer(rows_, configuration_of(options_, job_, ranks_.front()->topology()),
                          result::to_json(environment), error);
  }

 private:
  void measure(std::size_t i) {
    machine::join_team(job_.placement[i]);
    comm::Transport& transport = *ranks_[i];
    CommSweep sweep{.kind = options_.kind,
                    .cases = cases_of(options_, job_),
                    .algorithms = options_.algorithms,
                    .iterations = options_.iterations,
                    .check = options_.check,
                    .spin = !job_.oversubscribed};
    if (sweep.algorithms.empty()) {
      sweep.algorithms = sensible_algorithms(sweep.kind, transport);
    }
    if (transport.rank() == 0) print(report_.header());
    measure_collectives(transport, sweep, [&](const CommRow& row) {
      if (i == 0) rows_.push_back(row);
      if (transport.rank() == 0) print(report_.row(row));
    });
  }

  static void print(const std::string& text) {
    print_output("{}", text);
    flush_output();
  }

  const CommOptions& options_;
  const Job& job_;
  const Ranks ranks_;
  const CommReport report_;
  std::vector<CommRow> rows_;
};

}  // namespace

ExitCode comm(Arguments arguments, Transports transports) {
  CommOptions options = parse_comm(arguments, process_getenv);
  for (const std::string& warning : options.parsed.warnings) print_warning(warning);
  spec::Trial& trial = options.parsed.trial;
  const std::optional<spec::Launched> launched = spec::launched(process_getenv);
  if (!options.devices_given && !launched && trial.cluster.worker_hosts.empty()) {
    const machine::Allowed allowed = machine::allowed();
    trial.devices = std::min(allowed.usable, allowed.cores);
  }
  const Membership member = membership(trial, launched);
  go_on_with(member.transport, transports, "comm", arguments);
  const Job job = make_job(trial, member);
  const machine::Environment environment = machine::environment();  // before anybody takes memory
  auto ranks = connect(job, transports);
  refuse_different_options(ranks, common_options(options));
  check_algorithms(options.kind, *ranks.front(), options.algorithms);
  refuse_too_much_memory(options, member, *ranks.front(), environment);

  const bool speaks = member.ranks.front() == 0;
  if (speaks) {
    for (const std::string& warning : machine::warnings(environment)) print_warning(warning);
  }
  Session session(options, job, std::move(ranks));
  const std::optional<Error> error = session.run();
  if (speaks) print_output("{}", session.closing(environment, error));
  if (error) throw Error(*error);
  return ExitCode::ok;
}

}  // namespace lockstep::cli
