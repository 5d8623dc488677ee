#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/text.h"
#include "strategy/strategy.h"

namespace lockstep::strategy {
namespace {

using comm::Exchange;

// Every rank follows its own gradients: the ceiling, and the control.
Exchange alone(const Site&, const Chunk& chunk, int) {
  return {.collective = {.reduce = {}, .owned = {chunk.range}, .distribute = {}}};
}

// Gradients go to the chunk's server, who sends new parameters back.
Exchange parameter_server(const Site& site, const Chunk& chunk, int rank) {
  std::vector<int> workers(static_cast<std::size_t>(site.workers()));
  std::iota(workers.begin(), workers.end(), 0);
  return {.collective = comm::to_owner(workers, chunk.server, rank, chunk.range),
          .contributes = site.trains(rank)};
}

Exchange all_reduce(const Site& site, const Chunk& chunk, int rank) {
  comm::Algorithm& algorithm = *site.all_reduce(chunk.range.size());
  return {.collective = algorithm(site.topology, rank, chunk.range, comm::kLineGrain)};
}

Exchange ring(const Site& site, const Chunk& chunk, int rank) {
  return {.collective = comm::ring(site.topology, rank, chunk.range, comm::kLineGrain)};
}

constexpr StrategyRow kStrategies[] = {
    {"parameter_server", parameter_server, true, true,
     "servers keep the parameters: gradients go there, new parameters come back"},
    {"replicated", all_reduce, true, true,
     "every rank has all parameters; gradients are all-reduced"},
    {"distributed_all_reduce", all_reduce, true, true, "the same, over hosts"},
    {"collective_all_reduce", all_reduce, true, true, "the same, over hosts"},
    {"horovod", ring, true, true, "ring all-reduce over all ranks, whatever host they are on"},
    {"independent", alone, false, false, "no exchange: the ceiling of the hardware"},
    {"barrier_only", alone, false, true, "ranks wait for each other but exchange nothing"},
};

}  // namespace

std::span<const StrategyRow> strategies() {
  return kStrategies;
}

const StrategyRow& find_strategy(std::string_view name) {
  std::vector<std::string> known;
  for (const StrategyRow& row : kStrategies) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  const auto near = closest(name, known);
  throw Error(ExitCode::usage, fmt::format("there is no strategy {}", name),
              fmt::format("{}known: {}", near ? fmt::format("did you mean {}? ", *near) : "",
                          join(known, ", ")));
}

void place_on_servers(std::span<Chunk> chunks, const Site& site) {
  const int count = site.servers > 0 ? site.servers : site.workers();
  const int first = site.servers > 0 ? site.workers() : 0;
  std::vector<std::size_t> load(static_cast<std::size_t>(count));
  for (Chunk& chunk : chunks) {
    const auto least = std::ranges::min_element(load);
    *least += chunk.range.size();
    chunk.server = first + static_cast<int>(least - load.begin());
  }
}

}  // namespace lockstep::strategy
