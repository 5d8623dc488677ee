#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "strategy/strategy.h"

namespace lockstep::strategy {
namespace {

using comm::Exchange;

// Every rank follows its own gradients: the ceiling, and the control.
Exchange alone(const Site&, const Chunk& chunk, int) {
  return {.collective = {.reduce = {}, .owned = {chunk.range}, .distribute = {}}};
}

std::vector<int> everybody(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Gradients go to the chunk's server, who sends new parameters back.
Exchange parameter_server(const Site& site, const Chunk& chunk, int rank) {
  return {.collective = comm::to_owner(everybody(site.workers()), chunk.server, rank, chunk.range),
          .contributes = site.trains(rank)};
}

// The first worker of the rank's host.
int leader(const Site& site, int rank) {
  const std::vector<int>& host_of = site.topology.host_of;
  return static_cast<int>(std::ranges::find(host_of, host_of[static_cast<std::size_t>(rank)]) -
                          host_of.begin());
}

// Workers of a host sum up at the first of them; these deal with the server.
Exchange distributed_replicated(const Site& site, const Chunk& chunk, int rank) {
  using comm::Act;
  std::vector<int> leaders, followers;  // the followers: of this rank
  for (int worker = 0; worker < site.workers(); ++worker) {
    const int first = leader(site, worker);
    if (first == worker) {
      leaders.push_back(worker);
    } else if (first == rank) {
      followers.push_back(worker);
    }
  }
  const bool follows = site.trains(rank) && leader(site, rank) != rank;
  comm::Collective collective = comm::to_owner(leaders, chunk.server, rank, chunk.range);
  comm::Schedule reduce;
  if (follows) reduce.push_back({0, Act::send, leader(site, rank), chunk.range});
  for (const int peer : followers) reduce.push_back({0, Act::recv_add, peer, chunk.range});
  for (comm::Move& move : collective.reduce) ++move.round;
  collective.reduce.insert(collective.reduce.begin(), reduce.begin(), reduce.end());
  // A follower that keeps the chunk has the new parameters already.
  if (follows && rank != chunk.server) {
    collective.distribute.push_back({1, Act::recv, leader(site, rank), chunk.range});
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

comm::Algorithm& algorithm_of(std::string_view name) {
  const auto row = std::ranges::find(comm::algorithms(), name, &comm::AlgorithmRow::name);
  LOCKSTEP_CHECK(row != comm::algorithms().end());
  return *row->make;
}

// Horovod's own is a ring; a spec may ask for another one, such as the vendor's.
Strategy horovod;

AllReduceChoice resolved(Strategy* strategy, const Site& site, std::size_t elements) {
  AllReduceChoice choice = site.all_reduce.for_size(elements);
  if (choice.algorithm != "auto") return choice;
  choice.algorithm = strategy == horovod ? "ring" : choose(elements, site.topology);
  return choice;
}

// Shards travel by themselves; where each has an owner, every shard has another one, beginning with
// the chunk's own server.
Exchange all_reduce_by(const AllReduceChoice& choice, const Site& site, const Chunk& chunk,
                       int rank) {
  if (choice.algorithm == "vendor") {
    return {.collective = {.reduce = {}, .owned = {chunk.range}, .distribute = {}}, .vendor = true};
  }
  const int world = site.topology.world();
  Exchange exchange;
  int owner = chunk.server;
  for (const comm::Range shard : comm::split(chunk.range, choice.shards, comm::kLineGrain)) {
    if (shard.empty()) continue;
    append(exchange.collective,
           choice.algorithm == "owner"
               ? comm::to_owner(everybody(world), owner, rank, shard)
               : algorithm_of(choice.algorithm)(site.topology, rank, shard, comm::kLineGrain));
    owner = (owner + 1) % world;
  }
  return exchange;
}

Exchange all_reduce(const Site& site, const Chunk& chunk, int rank) {
  return all_reduce_by(resolved(all_reduce, site, chunk.bucket_elements), site, chunk, rank);
}

Exchange horovod(const Site& site, const Chunk& chunk, int rank) {
  return all_reduce_by(resolved(horovod, site, chunk.bucket_elements), site, chunk, rank);
}

constexpr StrategyRow kStrategies[] = {
    {"parameter_server", parameter_server, true, true, true,
     "servers keep the parameters: gradients go there, new parameters come back"},
    {"parameter_server (asynchronous)", parameter_server, true, false, true,
     "the same, but servers do not wait for all workers"},
    {"distributed_replicated", distributed_replicated, true, true, true,
     "hosts sum up first, then deal with the servers"},
    {"replicated", all_reduce, true, true, false,
     "every rank has all parameters; gradients are all-reduced"},
    {"distributed_all_reduce", all_reduce, true, true, false, "the same, over hosts"},
    {"collective_all_reduce", all_reduce, true, true, false, "the same, over hosts"},
    {"horovod", horovod, true, true, false,
     "ring all-reduce over all ranks, unless --all_reduce_spec says otherwise"},
    {"independent", alone, false, false, false, "no exchange: the ceiling of the hardware"},
    {"barrier_only", alone, false, true, false, "ranks wait for each other but exchange nothing"},
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
  throw unknown_name("strategy", name, known);
}

std::string all_reduce_taken(const StrategyRow& strategy, const Site& site, std::size_t elements) {
  const bool reduces = strategy.exchange == all_reduce || strategy.exchange == horovod;
  if (!reduces || site.workers() < 2) return {};
  AllReduceChoice choice = resolved(strategy.exchange, site, elements);
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
