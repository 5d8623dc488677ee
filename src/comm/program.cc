#include "comm/program.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/check.h"

namespace lockstep::comm {
namespace {

// The count of whoever has done its first `operations` operations.
int count_behind(int operations) {
  return 1 + operations;
}

Operation::Kind kind_of(Act act) {
  switch (act) {
    case Act::send:
      return Operation::Kind::send;
    case Act::recv:
      return Operation::Kind::recv;
    case Act::recv_add:
      break;
  }
  return Operation::Kind::recv_add;
}

std::vector<Operation> operations_of(const Topology& topology, int rank,
                                     const Collective& collective) {
  std::vector<Operation> operations;
  for (const Move& move : collective.reduce) {
    operations.push_back({kind_of(move.act), Array::gradients, move.peer, move.range, {}});
  }
  for (const Range& range : collective.owned) {
    operations.push_back({Operation::Kind::update, Array::parameters, -1, range, {}});
  }
  for (const Move& move : collective.distribute) {
    Operation::Kind kind = kind_of(move.act);
    if (collective.pushes && topology.same_host(rank, move.peer)) {
      kind = move.act == Act::send ? Operation::Kind::put : Operation::Kind::got;
    }
    operations.push_back({kind, Array::parameters, move.peer, move.range, {}});
  }
  return operations;
}

// The count at which `theirs` has done its half of the n-th send (or recv, from here) that `rank`
// exchanges with it on an array.
int count_of_match(const Collective& theirs, int rank, const Operation& mine, int n) {
  const bool gradients = mine.array == Array::gradients;
  const Schedule& schedule = gradients ? theirs.reduce : theirs.distribute;
  const std::size_t before = gradients ? 0 : theirs.reduce.size() + theirs.owned.size();
  const bool i_send = mine.kind == Operation::Kind::send || mine.kind == Operation::Kind::put;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const Move& move = schedule[i];
    if (move.peer != rank || (move.act == Act::send) == i_send || n-- > 0) continue;
    LOCKSTEP_CHECK(move.range == mine.range);
    return count_behind(static_cast<int>(before + i) + 1);
  }
  constexpr bool kMatchOnPeer = false;
  LOCKSTEP_CHECK(kMatchOnPeer);
  return 0;
}

// By operation: the count at which the peer has done its half; of those that move something between
// ranks of this host, and are no puts. One peer's schedule at a time: in a large world those of all
// peers together would take memory with the square of it, on every rank.
std::vector<int> matches_of(const Topology& topology, int rank, std::span<Operation> operations,
                            const std::function<Exchange(int peer)>& of) {
  std::map<int, std::vector<std::size_t>> with;  // by peer
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    const bool moves = operation.peer >= 0 && operation.kind != Operation::Kind::put;
    if (moves && topology.same_host(rank, operation.peer)) with[operation.peer].push_back(i);
  }
  std::vector<int> matches(operations.size());
  for (const auto& [peer, indices] : with) {
    const Collective theirs = of(peer).collective;
    std::array<int, 4> exchanged{};  // so far: sends and recvs of each array
    for (const std::size_t i : indices) {
      Operation& operation = operations[i];
      const std::size_t is_send = operation.kind == Operation::Kind::send ? 1 : 0;
      int& n = exchanged[2 * static_cast<std::size_t>(operation.array) + is_send];
      matches[i] = count_of_match(theirs, rank, operation, n++);
      operation.from_owner =
          operation.kind == Operation::Kind::got && theirs.owned == std::vector{operation.range};
    }
  }
  return matches;
}

// Collects waits and leaves out those that an earlier one of the same program implies.
class Waits {
 public:
  void add(std::vector<Wait>& waits, Wait wait) {
    int& known = known_[wait.peer];
    if (known >= wait.count) return;
    known = wait.count;
    const auto same = std::find_if(waits.begin(), waits.end(),
                                   [&](const Wait& other) { return other.peer == wait.peer; });
    if (same == waits.end()) {
      waits.push_back(wait);
    } else {
      same->count = wait.count;
    }
  }

 private:
  std::map<int, int> known_;  // by peer
};

}  // namespace

Program compile(const Topology& topology, int rank, const std::function<Exchange(int peer)>& of) {
  struct Sent {
    Array array;
    Range range;
    Wait consumed;
  };
  std::vector<Sent> sent;  // so far, to ranks of this host
  Waits waits;

  const Exchange mine = of(rank);
  Program program;
  program.operations = operations_of(topology, rank, mine.collective);
  program.vendor = mine.vendor;
  const std::vector<int> matches = matches_of(topology, rank, program.operations, of);
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    Operation& operation = program.operations[i];
    if (operation.writes_own_memory()) {
      for (const Sent& send : sent) {
        if (send.array == operation.array && send.range.overlaps(operation.range)) {
          waits.add(operation.waits, send.consumed);
        }
      }
    }
    const int peer = operation.peer;
    if (peer < 0 || !topology.same_host(rank, peer)) continue;
    if (operation.kind == Operation::Kind::put) {
      waits.add(operation.waits, {peer, count_behind(0)});
      continue;
    }
    const Wait match{peer, matches[i]};
    if (operation.kind == Operation::Kind::send) {
      sent.push_back({operation.array, operation.range, match});
    } else {
      waits.add(operation.waits, match);
    }
  }
  for (const Sent& send : sent) waits.add(program.settled, send.consumed);
  return program;
}

std::vector<Program> compile_chunks(
    const Topology& topology, int rank, std::size_t chunks,
    const std::function<Exchange(std::size_t chunk, int peer)>& of) {
  std::vector<Program> programs;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    programs.push_back(compile(topology, rank, [&](int peer) { return of(chunk, peer); }));
  }
  return programs;
}

std::vector<Range> cut_into_chunks(Range range) {
  constexpr std::size_t kFloats = std::size_t{256} << 10;
  return split(range, static_cast<int>((range.size() + kFloats - 1) / kFloats), kLineGrain);
}

}  // namespace lockstep::comm
