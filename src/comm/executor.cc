#include "comm/executor.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/clock.h"
#include "comm/arithmetic.h"

namespace lockstep::comm {
namespace {

using Kind = Operation::Kind;

// Memory is moved in pieces that stay in a core's second-level cache from the sum to the update.
constexpr std::size_t kPiece = std::size_t{16} << 10;
constexpr double kSpinSeconds = 50e-6;
// A rank that sleeps wakes up now and then to hear of failures: those of a host, however many they
// are, some thousand times a second.
constexpr int kPeersPerMillisecond = 4;
// What one step copies, beyond which it will not be found in the caches in the next.
constexpr std::size_t kCachedBytes = std::size_t{8} << 20;

float* at(const Window& window, Array array, std::size_t element) {
  return (array == Array::gradients ? window.gradients : window.parameters).data() + element;
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Those who move memory: the rank's team, or the wire's thread alone.
class Hands {
 public:
  explicit Hands(int threads)
      : threads_(threads), scratch_(static_cast<std::size_t>(threads) * kPiece) {}

  // work(piece, scratch) for all pieces of the range, `scratch` having room for one; the sum of
  // what it returns, the same for any number of threads.
  template <typename Work>
  double each_piece(Range range, const Work& work) {
    const auto count = static_cast<std::int64_t>((range.size() + kPiece - 1) / kPiece);
    if (figures_.size() < static_cast<std::size_t>(count)) {
      figures_.resize(static_cast<std::size_t>(count));
    }
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1 && count > 1)
    for (std::int64_t i = 0; i < count; ++i) {
      const std::size_t begin = range.begin + static_cast<std::size_t>(i) * kPiece;
      const Range piece{begin, std::min(begin + kPiece, range.end)};
      float* scratch = &scratch_[static_cast<std::size_t>(omp_get_thread_num()) * kPiece];
      figures_[static_cast<std::size_t>(i)] = work(piece, scratch);
    }
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += figures_[static_cast<std::size_t>(i)];
    return sum;
  }

 private:
  const int threads_;
  std::vector<float> scratch_;
  std::vector<double> figures_;
};

struct Chunk {
  Program program;
  std::uint32_t index = 0;
  bool leaves_host = false;
  std::uint64_t step = 0;
  std::size_t next = 0;         // operation
  std::vector<double> figures;  // of every operation
  std::vector<Bell*> bells;     // of the peers of this host that may wait for what it does
  double produced_at = 0, done_at = 0;
  std::atomic<std::uint64_t> done_step = 0;  // says to other threads that it is done

  // Of one that leaves the host: what the wire has of it.
  bool receiving = false;
  std::vector<const Operation*> sending;
  std::atomic<int> sends_left = 0;  // as many as `sending` has

  bool done() const { return next == program.operations.size(); }
  std::span<const Operation> rest() const { return std::span(program.operations).subspan(next); }
  // Whether the wire still reads what the operation writes.
  bool waits_for_sends(const Operation& operation) const {
    const Array written = operation.kind == Kind::update ? Array::parameters : operation.array;
    return operation.writes_own_memory() &&
           std::ranges::any_of(sending, [&](const Operation* send) {
             return send->array == written && send->range.overlaps(operation.range);
           });
  }
};

// Chunks that one thread looks after.
struct Lane {
  explicit Lane(int threads) : hands(threads) {}

  Hands hands;
  std::vector<Chunk*> open;         // produced, not done
  std::atomic<int> left = 0;        // of this step, not done
  double moving = 0, updating = 0;  // seconds, not taken yet
};

}  // namespace

class Executor::State : public std::enable_shared_from_this<State> {
 public:
  State(Transport& transport, std::vector<Program> programs, std::vector<Window> windows,
        Keeper& keeper, bool spin)
      : transport_(transport),
        windows_(std::move(windows)),
        mine_(windows_[static_cast<std::size_t>(transport.rank())]),
        keeper_(keeper),
        spin_(spin),
        team_(omp_get_max_threads()),
        wire_(transport.wire() != nullptr ? 1 : 0) {
    for (int rank = 0; rank < transport.world(); ++rank) {
      if (rank != transport.rank() && !remote(rank)) ++peers_;
    }
    for (Program& program : programs) add_chunk(std::move(program));
    if (copied_floats() * sizeof(float) > kCachedBytes) {
      copy_ = copy_past_caches;
      // Where parameters are gradients, what is written has just been read.
      if (mine_.parameters.data() != mine_.gradients.data()) push_ = copy_past_caches;
    }
    team_.open.reserve(chunks_.size());
    // Nothing is to be allocated within a step. A wait ends with an operation that can be done, or
    // with a chunk that is done or settled.
    std::size_t waits = 0;
    for (const auto& chunk : chunks_) waits += chunk->program.operations.size() + 2;
    waited.reserve(waits);
    wire_.open.reserve(chunks_.size());
  }

  void begin() {
    ++step_;
    waited.clear();
    for (const auto& chunk : chunks_) ++lane_of(*chunk).left;
  }

  void settle() {
    for (const auto& chunk : chunks_) {
      if (chunk->step == 0) continue;
      wait_for([&] {
        return chunk->sends_left.load(std::memory_order_acquire) == 0 &&
               met(chunk->program.settled, *chunk);
      });
    }
  }

  void produced(Chunk& chunk) {
    chunk.step = step_;
    chunk.next = 0;
    chunk.produced_at = now();
    count(chunk, 0);
    ring_peers(chunk);
    if (!chunk.leaves_host) {
      team_.open.push_back(&chunk);
      return;
    }
    on_wire([this, &chunk] {
      wire_.open.push_back(&chunk);
      advance(chunk, wire_);
    });
  }

  // One look at all open chunks of the team; says whether anything could be done.
  bool progress() {
    nudge_wire();
    return look_at(team_);
  }

  void await(const Chunk& chunk) {
    work_until([&] { return chunk.done_step.load(std::memory_order_acquire) == step_; });
  }
  void finish() {
    work_until([&] { return finished(); });
    times_.wire += std::exchange(wire_.moving, 0) + std::exchange(wire_.updating, 0);
  }

  ExchangeTimes take_times() {
    times_.moving = std::exchange(team_.moving, 0);
    times_.updating = std::exchange(team_.updating, 0);
    return std::exchange(times_, {});
  }

  void close() {
    // What the wire still has to tell must not touch a transport or a keeper that is gone.
    open_ = false;
    let_wire_finish_job(transport_);
  }

  Chunk& chunk(int index) const { return *chunks_[static_cast<std::size_t>(index)]; }

  double figure() const {
    double sum = 0;
    for (const auto& chunk : chunks_) {
      for (const double figure : chunk->figures) sum += figure;
    }
    return sum;
  }

  std::atomic<std::uint64_t> bytes_sent = 0, bytes_received = 0;
  std::vector<Interval> waited;

 private:
  void add_chunk(Program program) {
    auto chunk = std::make_unique<Chunk>();
    chunk->index = static_cast<std::uint32_t>(chunks_.size());
    chunk->program = std::move(program);
    chunk->figures.resize(chunk->program.operations.size());
    for (const Operation& operation : chunk->program.operations) {
      if (operation.kind == Kind::update) continue;
      Bell* const bell = windows_[static_cast<std::size_t>(operation.peer)].bell;
      chunk->leaves_host = chunk->leaves_host || bell == nullptr;
      if (bell != nullptr) chunk->bells.push_back(bell);
    }
    std::ranges::sort(chunk->bells);
    const auto again = std::ranges::unique(chunk->bells);
    chunk->bells.erase(again.begin(), again.end());
    chunks_.push_back(std::move(chunk));
  }

  std::size_t copied_floats() const {
    std::size_t floats = 0;
    for (const auto& chunk : chunks_) {
      for (const Operation& operation : chunk->program.operations) {
        if (operation.kind == Kind::recv || operation.kind == Kind::put) {
          floats += operation.range.size();
        }
      }
    }
    return floats;
  }
  bool remote(int rank) const { return windows_[static_cast<std::size_t>(rank)].bell == nullptr; }
  bool remote(const Operation& operation) const {
    return operation.kind != Kind::update && remote(operation.peer);
  }
  Lane& lane_of(const Chunk& chunk) { return chunk.leaves_host ? wire_ : team_; }
  bool finished() const {
    return team_.left == 0 && wire_.left.load(std::memory_order_acquire) == 0;
  }

  // --- When ---

  bool met(std::span<const Wait> waits, const Chunk& chunk) const {
    return std::ranges::all_of(waits, [&](const Wait& wait) {
      const Counter& counter = windows_[static_cast<std::size_t>(wait.peer)].counters[chunk.index];
      return counter.reached(chunk.step, static_cast<std::uint64_t>(wait.count));
    });
  }

  // What comes next in one pass over memory: additions to the same range, with the update of that
  // range and its puts behind them, or else one operation.
  std::span<const Operation> next_pass(const Chunk& chunk) const {
    const std::span<const Operation> rest = chunk.rest();
    std::size_t count = 0;
    for (const Kind kind : {Kind::recv_add, Kind::update, Kind::put}) {
      while (count < rest.size() && rest[count].kind == kind && !remote(rest[count]) &&
             rest[count].range == rest.front().range) {
        ++count;
      }
    }
    return rest.first(std::max<std::size_t>(count, 1));
  }

  bool ready(const Chunk& chunk) const {
    return !chunk.done() && !chunk.receiving &&
           std::ranges::all_of(next_pass(chunk), [&](const Operation& operation) {
             return met(operation.waits, chunk) && !chunk.waits_for_sends(operation);
           });
  }
  bool any_ready(const Lane& lane) const {
    return std::ranges::any_of(lane.open, [&](const Chunk* chunk) { return ready(*chunk); });
  }

  template <typename Condition>
  void work_until(const Condition& condition) {
    while (!condition()) {
      if (progress()) continue;
      wait_for([&] { return condition() || any_ready(team_); });
    }
  }

  template <typename Condition>
  void wait_for(const Condition& condition) {
    if (condition()) return;
    const double begin = now();
    for (int look = 1; spin_ && !condition(); ++look) {
      pause();
      if (look % 64 == 0 && now() - begin > kSpinSeconds) break;
    }
    for (;;) {
      const std::uint32_t seen = mine_.bell->rings.load(std::memory_order_seq_cst);
      if (condition()) break;
      transport_.check();
      nudge_wire();
      mine_.bell->sleep(seen, 1 + peers_ / kPeersPerMillisecond);
    }
    waited.push_back({begin, now()});
    times_.waiting += waited.back().seconds();
  }

  // The wire's thread hears of other hosts by itself, but of ranks of this host only if told.
  void nudge_wire() {
    if (wire_.left == 0 || peers_ == 0) return;
    const std::uint32_t rings = mine_.bell->rings.load(std::memory_order_seq_cst);
    if (rings == heard_) return;
    heard_ = rings;
    on_wire([this] { look_at(wire_); });
  }

  void on_wire(std::function<void()> job) {
    transport_.wire()->post([self = shared_from_this(), job = std::move(job)] {
      if (self->open_) job();
    });
  }

  // --- What ---

  bool look_at(Lane& lane) {
    // The oldest first, each time: what has been moved of it is still in the caches.
    bool any = false;
    for (std::size_t i = 0; i < lane.open.size();) {
      const bool advanced = advance(*lane.open[i], lane);
      any = any || advanced;
      i = advanced ? 0 : i + 1;
    }
    return any;
  }

  // Does what can be done now.
  bool advance(Chunk& chunk, Lane& lane) {
    bool any = false;
    while (ready(chunk)) {
      any = true;
      const std::span<const Operation> pass = next_pass(chunk);
      if (!remote(pass.front())) {
        run_here(chunk, pass, lane);
      } else if (pass.front().kind == Kind::send) {
        send(chunk, pass.front());
      } else {
        receive(chunk, pass.front());
      }
    }
    if (any) ring_peers(chunk);
    if (chunk.done() && std::erase(lane.open, &chunk) > 0) {
      any = true;
      chunk.done_at = now();
      chunk.done_step.store(chunk.step, std::memory_order_release);
      const bool last = lane.left.fetch_sub(1, std::memory_order_release) == 1;
      if (last || chunk.leaves_host) mine_.bell->ring();  // the rank may wait for this one
    }
    return any;
  }

  void run_here(Chunk& chunk, std::span<const Operation> pass, Lane& lane) {
    const double begin = now();
    const Operation& first = pass.front();
    const auto all_of_kind = [&](Kind kind) {  // kinds ascend within a pass
      const auto same = std::ranges::equal_range(pass, kind, {}, &Operation::kind);
      return std::span(same.begin(), same.end());
    };
    const auto sources = all_of_kind(Kind::recv_add);
    const auto puts = all_of_kind(Kind::put);
    const bool updates = !all_of_kind(Kind::update).empty();
    const auto theirs = [&](const Operation& operation, std::size_t element) {
      return at(windows_[static_cast<std::size_t>(operation.peer)], operation.array, element);
    };
    const auto sum_of = [&](Range piece, float* out) -> const float* {
      const float* sum = at(mine_, Array::gradients, piece.begin);
      for (const Operation& source : sources) {
        add(out, sum, theirs(source, piece.begin), piece.size());
        sum = out;
      }
      return sum;
    };
    if (chunk.program.vendor && updates) {
      transport_.vendor()->all_reduce(
          {at(mine_, Array::gradients, first.range.begin), first.range.size()});
    }
    double& figure = chunk.figures[chunk.next];
    switch (first.kind) {
      case Kind::send:
        bytes_sent += first.range.size() * sizeof(float);
        break;
      case Kind::recv:
        bytes_received += first.range.size() * sizeof(float);
        figure = lane.hands.each_piece(first.range, [&](Range piece, float*) {
          const float* source = theirs(first, piece.begin);
          copy_(at(mine_, first.array, piece.begin), source, piece.size());
          return first.array == Array::parameters ? keeper_.received(piece, source) : 0.0;
        });
        break;
      case Kind::got:
        bytes_received += first.range.size() * sizeof(float);
        figure = first.from_owner
                     ? windows_[static_cast<std::size_t>(first.peer)].counters[chunk.index].figure
                     : received_figure(first, lane);
        break;
      case Kind::recv_add:
      case Kind::update:
      case Kind::put:
        bytes_received += sources.size() * first.range.size() * sizeof(float);
        bytes_sent += puts.size() * first.range.size() * sizeof(float);
        figure = lane.hands.each_piece(first.range, [&](Range piece, float* scratch) {
          double figure_of_piece = 0;
          if (updates) {
            figure_of_piece = keeper_.update(piece, sum_of(piece, scratch));
          } else {
            sum_of(piece, at(mine_, Array::gradients, piece.begin));
          }
          for (const Operation& put : puts) {
            push_(theirs(put, piece.begin), at(mine_, put.array, piece.begin), piece.size());
          }
          return figure_of_piece;
        });
        if (updates) mine_.counters[chunk.index].figure = figure;
        break;
    }
    const bool only_updates = sources.empty() && puts.empty() && !chunk.program.vendor;
    (only_updates ? lane.updating : lane.moving) += now() - begin;
    count(chunk, pass.size());
  }

  static Encoding encoding_of(const Chunk& chunk, const Operation& operation) {
    return operation.array == Array::gradients ? chunk.program.encoding : Encoding::fp32;
  }
  static std::size_t bytes_on_wire(const Chunk& chunk, const Operation& operation) {
    return operation.range.size() * (encoding_of(chunk, operation) == Encoding::fp32 ? 4 : 2);
  }

  void send(Chunk& chunk, const Operation& operation) {
    bytes_sent += bytes_on_wire(chunk, operation);
    chunk.sending.push_back(&operation);
    ++chunk.sends_left;
    transport_.wire()->send(
        operation.peer, chunk.index,
        {at(mine_, operation.array, operation.range.begin), operation.range.size()},
        encoding_of(chunk, operation), [self = shared_from_this(), &chunk, &operation] {
          std::erase(chunk.sending, &operation);
          if (self->open_) self->advance(chunk, self->wire_);
          // Last: from here on the chunk may be in its next step.
          if (chunk.sends_left.fetch_sub(1, std::memory_order_release) == 1 && self->open_) {
            self->mine_.bell->ring();
          }
        });
    count(chunk, 1);
  }

  void receive(Chunk& chunk, const Operation& operation) {
    const bool adds = operation.kind == Kind::recv_add;
    bytes_received += bytes_on_wire(chunk, operation);
    chunk.receiving = true;
    transport_.wire()->receive(
        operation.peer, chunk.index,
        {at(mine_, operation.array, operation.range.begin), operation.range.size()}, adds,
        [self = shared_from_this(), &chunk, &operation] {
          if (self->open_) self->received(chunk, operation);
        });
  }

  void received(Chunk& chunk, const Operation& operation) {
    chunk.receiving = false;
    if (operation.array == Array::parameters) {
      chunk.figures[chunk.next] = received_figure(operation, wire_);
    }
    count(chunk, 1);
    ring_peers(chunk);
    advance(chunk, wire_);
  }

  // Of parameters that are here.
  double received_figure(const Operation& operation, Lane& lane) {
    return lane.hands.each_piece(operation.range, [&](Range piece, float*) {
      return keeper_.received(piece, at(mine_, Array::parameters, piece.begin));
    });
  }

  // One more than the operations done: the first count says that the gradients are there.
  void count(Chunk& chunk, std::size_t operations) {
    chunk.next += operations;
    mine_.counters[chunk.index].reach(chunk.step, chunk.next + 1);
  }

  // Whoever waits for a rank exchanges the chunk with it. To ring all others as well would wake
  // the square of the ranks of a host in every step.
  static void ring_peers(const Chunk& chunk) {
    for (Bell* const bell : chunk.bells) bell->ring();
  }

  Transport& transport_;
  const std::vector<Window> windows_;
  const Window mine_;
  Keeper& keeper_;
  const bool spin_;
  using Copy = void (*)(float* out, const float* in, std::size_t size);
  Copy copy_ = copy, push_ = copy;  // what is received, and into a peer's memory
  int peers_ = 0;                   // of this host
  std::vector<std::unique_ptr<Chunk>> chunks_;

  std::uint64_t step_ = 0;  // counts from 1
  ExchangeTimes times_;     // not taken yet
  Lane team_;
  Lane wire_;
  std::uint32_t heard_ = 0;  // rings that the wire's thread was told of
  std::atomic<bool> open_ = true;
};

Executor::Executor(Transport& transport, std::vector<Program> programs, std::vector<Window> windows,
                   Keeper& keeper, bool spin)
    : state_(std::make_shared<State>(transport, std::move(programs), std::move(windows), keeper,
                                     spin)) {}

Executor::~Executor() {
  state_->close();
}

void Executor::begin() {
  state_->begin();
}

void Executor::settle() {
  state_->settle();
}

void Executor::produced(int chunk) {
  state_->produced(state_->chunk(chunk));
}

void Executor::progress() {
  state_->progress();
}

void Executor::await(int chunk) {
  state_->await(state_->chunk(chunk));
}

void Executor::finish() {
  state_->finish();
}

ExchangeTimes Executor::take_times() {
  return state_->take_times();
}

double Executor::figure() const {
  return state_->figure();
}

double Executor::produced_at(int chunk) const {
  return state_->chunk(chunk).produced_at;
}

double Executor::done_at(int chunk) const {
  return state_->chunk(chunk).done_at;
}

std::span<const Interval> Executor::waited() const {
  return state_->waited;
}

std::uint64_t Executor::bytes_sent() const {
  return state_->bytes_sent;
}

std::uint64_t Executor::bytes_received() const {
  return state_->bytes_received;
}

}  // namespace lockstep::comm
