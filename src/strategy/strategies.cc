#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "strategy/strategy.h"

namespace lockstep::strategy {
namespace {

using comm::Exchange;

// Every rank follows its own gradients: the ceiling, and the control.
Exchange alone(const Chunk& chunk) {
  return {.collective = {.reduce = {}, .owned = {chunk.range}, .distribute = {}}};
}

std::vector<int> everybody(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Gradients go to the chunk's server, who sends new parameters back.
Exchange by_servers(const std::vector<int>& workers, const Chunk& chunk, int rank) {
  return {.collective = comm::to_owner(workers, chunk.server, rank, chunk.range),
          .contributes = std::ranges::count(workers, rank) > 0};
}

// By rank: the first worker of its host.
std::vector<int> leaders_of(const comm::Topology& topology) {
  std::vector<int> leaders;
  std::map<int, int> first;  // by host
  for (int rank = 0; rank < topology.world(); ++rank) {
    leaders.push_back(
        first.try_emplace(topology.host_of[static_cast<std::size_t>(rank)], rank).first->second);
  }
  return leaders;
}

// Workers of a host sum up at the first of them; these deal with the server.
Exchange by_leaders(const Site& site, const Chunk& chunk, int rank) {
  using comm::Act;
  const std::vector<int> leader = leaders_of(site.topology);
  const int mine = leader[static_cast<std::size_t>(rank)];
  std::vector<int> leaders, followers;  // the followers: of this rank
  for (int worker = 0; worker < site.workers(); ++worker) {
    const int first = leader[static_cast<std::size_t>(worker)];
    if (first == worker) {
      leaders.push_back(worker);
    } else if (first == rank) {
      followers.push_back(worker);
    }
  }
  const bool follows = site.trains(rank) && mine != rank;
  comm::Collective collective = comm::to_owner(leaders, chunk.server, rank, chunk.range);
  comm::Schedule reduce;
  if (follows) reduce.push_back({0, Act::send, mine, chunk.range});
  for (const int peer : followers) reduce.push_back({0, Act::recv_add, peer, chunk.range});
  for (comm::Move& move : collective.reduce) ++move.round;
  collective.reduce.insert(collective.reduce.begin(), reduce.begin(), reduce.end());
  // A follower that keeps the chunk has the new parameters already.
  if (follows && rank != chunk.server) {
    collective.distribute.push_back({1, Act::recv, mine, chunk.range});
  }
  for (const int peer : followers) {
    if (peer != chunk.server) collective.distribute.push_back({1, Act::send, peer, chunk.range});
  }
  return {.collective = std::move(collective), .contributes = site.trains(rank)};
}

void append(comm::Collective& all, comm::Collective more) {
  const auto add = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  add(all.reduce, more.reduce);
  add(all.owned, more.owned);
  add(all.distribute, more.distribute);
}

const comm::AlgorithmRow& algorithm_of(std::string_view name) {
  const auto row = std::ranges::find(comm::algorithms(), name, &comm::AlgorithmRow::name);
  LOCKSTEP_CHECK(row != comm::algorithms().end());
  return *row;
}

// A spec may leave the algorithm to the strategy, and that to the size.
AllReduceChoice resolved(const spec::StrategyRow& strategy, const Site& site,
                         std::size_t elements) {
  AllReduceChoice choice = site.all_reduce.for_size(elements);
  if (choice.algorithm == "auto") choice.algorithm = strategy.automatic;
  if (choice.algorithm == "auto") choice.algorithm = choose(elements, site.topology);
  return choice;
}

// Shards travel by themselves; where each has an owner, every shard has another one, beginning with
// the chunk's own server.
Exchange all_reduce(const AllReduceChoice& choice, const Site& site, const Chunk& chunk, int rank) {
  if (choice.is_vendor()) {
    return {.collective = {.reduce = {}, .owned = {chunk.range}, .distribute = {}}, .vendor = true};
  }
  const comm::AlgorithmRow& algorithm = algorithm_of(choice.algorithm);
  const int world = site.topology.world();
  Exchange exchange;
  int owner = chunk.server;
  for (const comm::Range shard : comm::split(chunk.range, choice.shards, comm::kLineGrain)) {
    if (shard.empty()) continue;
    append(exchange.collective, algorithm.one_owner
                                    ? comm::to_owner(everybody(world), owner, rank, shard)
                                    : algorithm.make(site.topology, rank, shard, comm::kLineGrain));
    owner = (owner + 1) % world;
  }
  return exchange;
}

}  // namespace

Exchange exchange(const spec::StrategyRow& strategy, const Site& site, const Chunk& chunk,
                  int rank) {
  using spec::Route;
  switch (strategy.route) {
    case Route::none:
      return alone(chunk);
    case Route::servers:
      return by_servers(everybody(site.workers()), chunk, rank);
    case Route::each_server:
      return by_servers({site.self}, chunk, rank);
    case Route::host_leaders:
      return by_leaders(site, chunk, rank);
    case Route::all_reduce:
      return all_reduce(resolved(strategy, site, chunk.bucket_elements), site, chunk, rank);
  }
  LOCKSTEP_CHECK(false);
  return {};
}

std::string all_reduce_taken(const spec::StrategyRow& strategy, const Site& site,
                             std::size_t elements) {
  if (!strategy.reduces || site.workers() < 2) return {};
  AllReduceChoice choice = resolved(strategy, site, elements);
  choice.largest = SIZE_MAX;
  return print({.choices = {choice}, .notes = {}});
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
