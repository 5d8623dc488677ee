#include "comm/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace lockstep::comm {
namespace {

constexpr int kSteps = 2;

// What an element holds: which gradients it is the sum of, and whether it went through an update.
struct Value {
  std::uint64_t gradients = 0;  // a bit per step and rank
  bool updated = false;
  bool wrong = false;  // a gradient counts twice, or parameters are taken for gradients

  bool operator==(const Value&) const = default;
};

Value sum(const Value& a, const Value& b) {
  return {
      .gradients = a.gradients | b.gradients,
      .updated = false,
      .wrong = a.wrong || b.wrong || a.updated || b.updated || (a.gradients & b.gradients) != 0};
}

Value update(const Value& gradients) {
  return {gradients.gradients, true, gradients.wrong || gradients.updated};
}

// By rank: how many of its events have happened before. An event is the production of gradients,
// which opens a step, or an operation.
using Clock = std::vector<int>;

void join_clocks(Clock& clock, const Clock& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

struct Access {
  int rank;   // who
  int event;  // when, in that rank's own count
  int step;
  Range range;
};

// One rank's copy of one array.
struct Memory {
  std::vector<Value> values;
  std::vector<Access> reads, writes;
};

struct Message {
  Range range;
  std::vector<Value> values;
  Clock clock;
};

class Run {
 public:
  Run(const ProgrammedWorld& world, Claim claim)
      : world_(world),
        claim_(claim),
        size_(world.topology.world()),
        memories_(2 * size_),
        clocks_(size_),
        updates_(kSteps, std::vector<int>(world.range.size())) {
    LOCKSTEP_CHECK(kSteps * size_ <= 64);
    for (Memory& memory : memories_) memory.values.resize(world.range.size());
  }

  std::optional<std::string> find_flaw() {
    for (bool all_done = false; !all_done;) {
      bool progress = false;
      all_done = true;
      for (int rank = 0; rank < size_; ++rank) {
        while (!flaw_ && try_next(rank)) progress = true;
        all_done = all_done && done(rank);
      }
      if (flaw_) return flaw_;
      if (!progress && !all_done) return "the ranks wait for each other";
    }
    for (const auto& [line, messages] : wire_) {
      if (!messages.empty()) return "nobody receives a message";
    }
    check_updates();
    if (!flaw_) check_races();
    return flaw_;
  }

 private:
  int events_per_step(int rank) const {
    return 1 + static_cast<int>(world_.programs[rank].operations.size());
  }
  int happened(int rank) const { return static_cast<int>(clocks_[rank].size()); }
  bool done(int rank) const { return happened(rank) == kSteps * events_per_step(rank); }

  Memory& memory(int rank, Array array) {
    const bool second = array == Array::parameters && !claim_.in_place;
    return memories_[2 * rank + (second ? 1 : 0)];
  }

  // Runs the rank's next event, if there is one and its waits allow it.
  bool try_next(int rank) {
    if (done(rank)) return false;
    const Program& program = world_.programs[rank];
    const int event = happened(rank);
    const int step = event / events_per_step(rank);
    const int number = event % events_per_step(rank);
    const Operation* operation = number == 0 ? nullptr : &program.operations[number - 1];

    Clock clock = event == 0 ? Clock(size_) : clocks_[rank].back();
    clock[rank] = event + 1;
    if (operation != nullptr) {
      if (!join_waits(clock, operation->waits, step)) return false;
      if (!run(*operation, rank, event, step, clock)) return false;
    } else {
      if (step > 0 && !join_waits(clock, program.settled, step - 1)) return false;
      if (world_.exchanges[rank].contributes) produce(rank, event, step);
    }
    clocks_[rank].push_back(std::move(clock));
    if (number == events_per_step(rank) - 1) check_step(rank, step);
    return true;
  }

  bool join_waits(Clock& clock, const std::vector<Wait>& waits, int step) const {
    for (const Wait& wait : waits) {
      const int events = step * events_per_step(wait.peer) + wait.count;
      if (happened(wait.peer) < events) return false;
      join_clocks(clock, clocks_[wait.peer][events - 1]);
    }
    return true;
  }

  // Gradients are computed from parameters.
  void produce(int rank, int event, int step) {
    memory(rank, Array::parameters).reads.push_back({rank, event, step, world_.range});
    Memory& gradients = memory(rank, Array::gradients);
    gradients.writes.push_back({rank, event, step, world_.range});
    const Value mine{.gradients = bit(rank, step)};
    std::fill(gradients.values.begin(), gradients.values.end(), mine);
  }

  // False when its message has not arrived.
  bool run(const Operation& operation, int rank, int event, int step, Clock& clock) {
    const bool local = operation.peer < 0 || world_.topology.same_host(rank, operation.peer);
    Memory& mine = memory(rank, operation.array);
    if (operation.kind == Operation::Kind::send) {
      if (!local) {
        wire_[{rank, operation.peer, operation.array}].push_back(
            {operation.range, copy(mine, operation.range), clock});
      }
      return true;
    }
    if (operation.kind == Operation::Kind::update) {
      Memory& gradients = memory(rank, Array::gradients);
      gradients.reads.push_back({rank, event, step, operation.range});
      mine.writes.push_back({rank, event, step, operation.range});
      for (std::size_t i = offset(operation.range.begin); i < offset(operation.range.end); ++i) {
        mine.values[i] = update(gradients.values[i]);
        ++updates_[step][i];
      }
      return true;
    }
    if (operation.kind == Operation::Kind::got) return true;
    if (operation.kind == Operation::Kind::put) {
      Memory& to = memory(operation.peer, operation.array);
      mine.reads.push_back({rank, event, step, operation.range});
      to.writes.push_back({rank, event, step, operation.range});
      std::ranges::copy(copy(mine, operation.range),
                        to.values.begin() + static_cast<int>(offset(operation.range.begin)));
      return true;
    }
    Memory& from = memory(operation.peer, operation.array);
    std::vector<Value> theirs;
    if (local) {
      theirs = copy(from, operation.range);
    } else {
      auto& messages = wire_[{operation.peer, rank, operation.array}];
      if (messages.empty()) return false;
      if (messages.front().range != operation.range) {
        flaw_ = fmt::format("rank {} gets another range than it expects", rank);
        return false;
      }
      join_clocks(clock, messages.front().clock);
      theirs = std::move(messages.front().values);
      messages.pop_front();
    }
    // A message, too, is read from its sender's memory until it has arrived: wires need not copy.
    from.reads.push_back({rank, event, step, operation.range});
    mine.writes.push_back({rank, event, step, operation.range});
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      Value& value = mine.values[offset(operation.range.begin) + i];
      value = operation.kind == Operation::Kind::recv_add ? sum(value, theirs[i]) : theirs[i];
    }
    return true;
  }

  // Every rank must have what it is to have when its step ends.
  void check_step(int rank, int step) {
    Value right{.gradients = 0, .updated = true};
    for (int r = 0; r < size_; ++r) {
      if (world_.exchanges[r].contributes) right.gradients |= bit(r, step);
    }
    const Exchange& exchange = world_.exchanges[rank];
    std::vector<Range> ranges = exchange.collective.owned;
    if (exchange.contributes && claim_.distributes) ranges = {world_.range};
    const Memory& parameters = memory(rank, Array::parameters);
    for (const Range& range : ranges) {
      for (std::size_t i = offset(range.begin); i < offset(range.end); ++i) {
        if (parameters.values[i] == right) continue;
        flaw_ = fmt::format("element {} of rank {} is wrong behind step {}", i, rank, step);
        return;
      }
    }
  }

  void check_updates() {
    for (const std::vector<int>& step : updates_) {
      for (std::size_t i = 0; i < step.size(); ++i) {
        if (step[i] != 1) flaw_ = fmt::format("element {} is updated {} times a step", i, step[i]);
      }
    }
  }

  void check_races() {
    for (const Memory& memory : memories_) {
      check_races("read", memory.reads, memory.writes);
      check_races("write", memory.writes, memory.writes);
    }
  }
  void check_races(std::string_view what, const std::vector<Access>& accesses,
                   const std::vector<Access>& writes) {
    for (const Access& access : accesses) {
      for (const Access& write : writes) {
        if (access.rank == write.rank || !access.range.overlaps(write.range)) continue;
        if (before(access, write) || before(write, access)) continue;
        const bool message = !world_.topology.same_host(access.rank, write.rank);
        if (message && write.step > access.step) continue;  // the wire was done with it
        flaw_ = fmt::format("rank {} may {} elements {}..{} while rank {} writes them", access.rank,
                            what, access.range.begin, access.range.end, write.rank);
        return;
      }
    }
  }

  bool before(const Access& a, const Access& b) const {
    return clocks_[b.rank][b.event][a.rank] > a.event;
  }

  std::uint64_t bit(int rank, int step) const { return std::uint64_t{1} << (step * size_ + rank); }
  std::size_t offset(std::size_t element) const { return element - world_.range.begin; }
  std::vector<Value> copy(const Memory& from, Range range) const {
    const auto values = from.values.begin();
    return {values + offset(range.begin), values + offset(range.end)};
  }

  const ProgrammedWorld& world_;
  const Claim claim_;
  const int size_;
  std::vector<Memory> memories_;            // two of each rank
  std::vector<std::vector<Clock>> clocks_;  // by rank and event
  std::vector<std::vector<int>> updates_;   // by step and element
  std::map<std::tuple<int, int, Array>, std::deque<Message>> wire_;
  std::optional<std::string> flaw_;
};

}  // namespace

ProgrammedWorld compile_all(const Topology& topology, Range range,
                            std::vector<Exchange> exchanges) {
  ProgrammedWorld world{topology, range, std::move(exchanges), {}};
  for (int rank = 0; rank < topology.world(); ++rank) {
    world.programs.push_back(compile(
        topology, rank, [&](int peer) -> const Exchange& { return world.exchanges[peer]; }));
  }
  return world;
}

std::optional<std::string> find_flaw(const ProgrammedWorld& world, Claim claim) {
  return Run(world, claim).find_flaw();
}

}  // namespace lockstep::comm
