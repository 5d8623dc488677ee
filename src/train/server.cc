#include "train/server.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "comm/arithmetic.h"
#include "comm/encoding.h"
#include "comm/gathered.h"
#include "train/evaluator.h"
#include "train/learner.h"
#include "train/milestones.h"
#include "train/state.h"

namespace lockstep::train {
namespace {

// Behind every count that a worker may wait for.
constexpr std::uint64_t kAnswered = 1 << 19;
// Of a worker's operations on a chunk: its gradients are there, and it has offered them.
constexpr std::uint64_t kOffered = 2;

// Answers workers one by one: takes a worker's gradients of a chunk, and when it has enough of them
// updates the chunk and gives it to those who wait. Everything runs on one thread; the wire's
// thread only says that something has arrived.
class Desk {
 public:
  Desk(comm::Transport& transport, const Site& site, const Exchange& exchange, Learner& learner)
      : transport_(transport),
        site_(site),
        exchange_(exchange),
        learner_(learner),
        workers_(site.ranks.workers()) {
    const auto chunks = exchange.chunks().first(exchange.chunks().size() - 1);  // but the tally
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (chunks[i].server != transport.rank()) continue;
      files_.emplace_back(static_cast<std::uint32_t>(i), chunks[i].range,
                          static_cast<std::size_t>(workers_));
    }
    for (File& file : files_) {
      for (int worker = 0; worker < workers_; ++worker) expect(file, worker);
    }
  }

  // What the wire still has to tell must not touch a desk that is gone.
  ~Desk() {
    *open_ = false;
    comm::let_wire_finish_job(transport_);
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  // One look at all chunks; says whether there was anything to do.
  bool look() {
    const bool closing = closing_;
    bool any = false;
    for (File& file : files_) {
      for (int worker = 0; worker < workers_; ++worker) {
        const bool waits = file.letters[static_cast<std::size_t>(worker)].open;
        if (waits ? !closing : !arrived(file, worker)) continue;
        if (closing) {
          answer(file, worker);
        } else {
          take(file, worker);
        }
        any = true;
      }
    }
    return any;
  }

  // No further updates: some workers step no more, and others might wait for their gradients. On
  // any thread.
  void close() {
    closing_ = true;
    exchange_.mine().bell->ring();
  }

  Service service;

 private:
  // One worker's dealings with one chunk.
  struct Letter {
    std::uint64_t answered = 0;      // steps
    std::int64_t version = 0;        // of the chunk that the worker has
    bool open = false;               // taken, not answered
    std::atomic<bool> here = false;  // came over the wire
  };
  struct File {
    File(std::uint32_t chunk, comm::Range chunk_range, std::size_t workers)
        : index(chunk), range(chunk_range), letters(workers) {}

    std::uint32_t index;
    comm::Range range;
    std::int64_t version = 0;
    std::vector<float> sum;  // of gradients that are too few yet
    int gathered = 0;
    std::deque<Letter> letters;  // by worker
  };

  bool remote(int worker) const { return exchange_.worker(worker).bell == nullptr; }
  std::span<float> part(std::span<float> array, const File& file) const {
    return array.subspan(file.range.begin, file.range.size());
  }

  template <typename Job>
  auto while_open(Job job) {
    return [open = open_, job = std::move(job)] {
      if (*open) job();
    };
  }
  template <typename Job>
  void on_wire(Job job) {
    transport_.wire()->post(while_open(std::move(job)));
  }

  void expect(File& file, int worker) {
    if (!remote(worker)) return;
    on_wire([this, &file, worker] {
      transport_.wire()->receive(worker, file.index,
                                 part(exchange_.mailbox(worker).gradients, file), false,
                                 while_open([this, &file, worker] {
                                   file.letters[static_cast<std::size_t>(worker)].here = true;
                                   exchange_.mine().bell->ring();
                                 }));
    });
  }

  bool arrived(File& file, int worker) {
    Letter& letter = file.letters[static_cast<std::size_t>(worker)];
    if (remote(worker)) return letter.here.exchange(false);
    return exchange_.worker(worker).counters[file.index].reached(letter.answered + 1, kOffered);
  }

  void take(File& file, int worker) {
    Letter& letter = file.letters[static_cast<std::size_t>(worker)];
    const std::int64_t staleness = file.version - letter.version;
    const std::span<const float> gradients = part(
        (remote(worker) ? exchange_.mailbox(worker) : exchange_.worker(worker)).gradients, file);
    service.bytes_received += comm::encoded_bytes(
        gradients.size(), remote(worker) ? exchange_.encoding() : comm::Encoding::fp32);
    ++service.gradients;
    if (site_.drops_late && staleness > 0) {
      ++service.dropped;
      answer(file, worker);
      return;
    }
    service.staleness_sum += static_cast<double>(staleness);
    service.staleness_max = std::max(service.staleness_max, staleness);
    letter.open = true;
    if (file.gathered == 0) {
      file.sum.assign(gradients.begin(), gradients.end());
    } else {
      comm::add(file.sum.data(), file.sum.data(), gradients.data(), gradients.size());
    }
    if (++file.gathered == site_.quorum) update(file);
  }

  void update(File& file) {
    learner_.begin_step(file.version);
    learner_.update(file.range, file.sum.data());
    ++service.updates;
    ++file.version;
    file.gathered = 0;
    for (int worker = 0; worker < workers_; ++worker) {
      if (file.letters[static_cast<std::size_t>(worker)].open) answer(file, worker);
    }
  }

  void answer(File& file, int worker) {
    Letter& letter = file.letters[static_cast<std::size_t>(worker)];
    const comm::Window& mailbox = exchange_.mailbox(worker);
    const std::span<float> out = part(mailbox.parameters, file);
    std::ranges::copy(part(exchange_.parameters(), file), out.begin());
    service.bytes_sent += out.size_bytes();
    letter.version = file.version;
    letter.open = false;
    ++letter.answered;
    if (!remote(worker)) {
      mailbox.counters[file.index].reach(letter.answered, kAnswered);
      mailbox.bell->ring();
      return;
    }
    on_wire([this, &file, worker, out] {
      transport_.wire()->send(worker, file.index, out, comm::Encoding::fp32, [] {});
    });
    expect(file, worker);
  }

  comm::Transport& transport_;
  const Site& site_;
  const Exchange& exchange_;
  Learner& learner_;
  const int workers_;
  std::deque<File> files_;
  std::atomic<bool> closing_ = false;
  const std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(true);
};

// Until the gathering at the end of the run, which the workers come to when they are done.
Service answer_workers(comm::Transport& transport, const Site& site, const Exchange& exchange,
                       Learner& learner) {
  Desk desk(transport, site, exchange, learner);
  std::atomic<bool> done = false;
  std::exception_ptr failure, desk_failure;  // of this thread and of the desk's
  std::thread thread([&] {
    try {
      while (!done) {
        const std::uint32_t seen = exchange.mine().bell->rings.load();
        if (desk.look()) continue;
        exchange.mine().bell->sleep(seen);
        transport.check();
      }
    } catch (const std::exception&) {
      desk_failure = std::current_exception();
    }
  });
  try {
    transport.barrier();  // timing starts
    transport.barrier();  // the last step is done
    desk.close();
    transport.barrier();  // all have their answers
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  done = true;
  thread.join();
  if (!failure) failure = desk_failure;
  if (failure) std::rethrow_exception(failure);
  return desk.service;
}

Service step_with_workers(const spec::Trial& trial, comm::Transport& transport, const Site& site,
                          const Start& start, Exchange& exchange, Learner& learner) {
  exchange.connect(learner);
  const Milestones milestones(trial, start.examples,
                              std::int64_t{trial.batch_size} * site.ranks.workers());
  // A server's part in what workers do between two steps.
  const auto save = [&] {
    gather_state(trial.optimizer.kind, exchange, learner, nullptr);
    transport.barrier();
  };
  const auto evaluate = [&] {
    transport.broadcast({});  // the workers' moving statistics
    return reaches_accuracy(trial, sum_of_scores(transport, {}));
  };
  Service service;
  const auto mine = [&](const strategy::Chunk& chunk) { return !site.ranks.trains(chunk.server); };
  for (std::int64_t step = start.step;; ++step) {
    exchange.begin();
    exchange.before_gradients();
    learner.begin_step(step);
    exchange.all_completed();
    const Tally sums = exchange.finish({});
    exchange.land();
    service.updates += std::ranges::count_if(exchange.chunks(), mine);
    bool ends = sums.last > 0 || sums.wishes_end();
    if (sums.save > 0) save();
    if (sums.evaluate > 0) ends = evaluate() || ends;
    if (!ends) continue;
    if (milestones.saves() && sums.save == 0) save();
    if (milestones.evaluates() && sums.evaluate == 0) evaluate();
    break;
  }
  service.bytes_sent = exchange.executor().bytes_sent();
  service.bytes_received = exchange.executor().bytes_received();
  return service;
}

}  // namespace

Service serve(const spec::Trial& trial, const model::Model& model, comm::Transport& transport,
              const Site& site) {
  const std::string text = transport.broadcast({});
  const Layout layout = comm::read_gathered(transport, 0, [&] { return layout_from_text(text); });
  const Start start = agreed_start(trial, model, {}, transport);
  Exchange exchange(transport, site, layout, trial.exchange, true);
  const bool waits = !site.strategy->asynchronous;
  const int gradients = waits ? site.ranks.workers() : site.quorum;  // that make an update
  const std::int64_t batch = std::int64_t{trial.batch_size} * gradients;
  Learner learner(trial, model, layout, batch, start.examples, gradients, exchange.parameters());
  if (start.resumes) {
    spread_state(trial.optimizer.kind, exchange, learner, nullptr, nullptr);
  } else {
    exchange.broadcast_parameters();
  }
  return waits ? step_with_workers(trial, transport, site, start, exchange, learner)
               : answer_workers(transport, site, exchange, learner);
}

}  // namespace lockstep::train
