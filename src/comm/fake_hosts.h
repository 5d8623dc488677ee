#pragma once

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/check.h"
#include "comm/transport.h"

namespace lockstep::comm {

// For tests: a wire in memory. Its thread takes one job after the other, and it reads what it sends
// as late as it may: who changes that too early is seen by the receiver.
class FakeWire : public Wire {
 public:
  explicit FakeWire(int rank) : rank_(rank), thread_([this] { work(); }) {}
  ~FakeWire() override { stop(); }

  // Before the first message. `all`: by rank.
  void connect(std::vector<FakeWire*> all) { all_ = std::move(all); }
  // As if the line were slow: what is sent with this tag stays until it is let go.
  void hold(std::uint32_t tag) {
    post([this, tag] { held_tag_ = tag; });
  }
  void let_go() {
    post([this] {
      held_tag_.reset();
      for (std::function<void()>& job : std::exchange(held_, {})) job();
    });
  }
  void stop() {
    post([this] { stopped_ = true; });
    if (thread_.joinable()) thread_.join();
  }

  void post(std::function<void()> job) override {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    changed_.notify_one();
  }
  void send(int peer, std::uint32_t tag, std::span<const float> data, Encoding encoding,
            Done done) override {
    const auto transmit = [=, this, done = std::move(done)] {
      sent_ += data.size() * (encoding == Encoding::fp32 ? 4 : 2);
      std::vector<float> message(data.begin(), data.end());
      for (float& value : message) value = rounded(value, encoding);
      FakeWire& other = *all_[static_cast<std::size_t>(peer)];
      other.post([&other, from = Line{rank_, tag}, message = std::move(message), encoding] {
        other.received_ += message.size() * (encoding == Encoding::fp32 ? 4 : 2);
        other.lines_[from].messages.push_back(message);
        other.deliver(from);
      });
      done();
    };
    post([this, tag, transmit] {
      if (tag == held_tag_) {
        held_.push_back(transmit);
      } else {
        transmit();
      }
    });
  }
  void receive(int peer, std::uint32_t tag, std::span<float> into, bool add, Done done) override {
    lines_[{peer, tag}].receivers.push_back({into, add, std::move(done)});
    deliver({peer, tag});
  }
  std::uint64_t bytes_sent() const override { return sent_; }
  std::uint64_t bytes_received() const override { return received_; }

  // Cut off, not to the nearest: a test must only be able to tell encodings apart.
  static float rounded(float value, Encoding encoding) {
    if (encoding == Encoding::fp32) return value;
    const int lost = encoding == Encoding::fp16 ? 13 : 16;  // bits of the mantissa
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) >> lost << lost);
  }

 private:
  using Line = std::pair<int, std::uint32_t>;  // peer and tag
  struct Receiver {
    std::span<float> into;
    bool add;
    Done done;
  };
  struct Ends {
    std::deque<std::vector<float>> messages;
    std::deque<Receiver> receivers;
  };

  void deliver(const Line& line) {
    Ends& ends = lines_[line];
    if (ends.messages.empty() || ends.receivers.empty()) return;
    const std::vector<float> message = std::move(ends.messages.front());
    const Receiver receiver = std::move(ends.receivers.front());
    ends.messages.pop_front();
    ends.receivers.pop_front();
    LOCKSTEP_CHECK(message.size() == receiver.into.size());
    for (std::size_t i = 0; i < message.size(); ++i) {
      receiver.into[i] = receiver.add ? receiver.into[i] + message[i] : message[i];
    }
    post(receiver.done);
  }

  void work() {
    while (!stopped_) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !jobs_.empty(); });
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }

  const int rank_;
  std::vector<FakeWire*> all_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::atomic<std::uint64_t> sent_ = 0, received_ = 0;
  bool stopped_ = false;  // the thread's, like all that follows
  std::map<Line, Ends> lines_;
  std::optional<std::uint32_t> held_tag_;
  std::vector<std::function<void()>> held_;
  std::thread thread_;  // last: it uses all of the above
};

// For tests: ranks of this process as if they were on several hosts. They see no memory of other
// hosts' ranks; a wire in memory goes there.
class FakeHosts {
 public:
  explicit FakeHosts(const Topology& topology) : threads_(connect_threads(topology.world())) {
    std::vector<FakeWire*> all;
    for (int rank = 0; rank < topology.world(); ++rank) {
      wires_.push_back(std::make_unique<FakeWire>(rank));
      all.push_back(wires_.back().get());
      ranks_.push_back(std::make_unique<Rank>(topology, *threads_[static_cast<std::size_t>(rank)],
                                              *wires_.back()));
    }
    for (const auto& wire : wires_) wire->connect(all);
  }
  ~FakeHosts() {
    for (const auto& wire : wires_) wire->stop();
  }

  std::span<const std::unique_ptr<Transport>> ranks() const { return ranks_; }
  FakeWire& wire(int rank) const { return *wires_[static_cast<std::size_t>(rank)]; }

 private:
  class Rank : public Transport {
   public:
    Rank(Topology topology, Transport& threads, Wire& wire)
        : topology_(std::move(topology)), threads_(threads), wire_(wire) {}

    int rank() const override { return threads_.rank(); }
    const Topology& topology() const override { return topology_; }
    const std::string& host_name(int rank) const override { return threads_.host_name(rank); }
    std::string agree(const std::string& mine, const Decide& decide) override {
      return threads_.agree(mine, decide);
    }
    void share(std::size_t bytes) override { threads_.share(bytes); }
    std::span<std::byte> memory_of(int rank) const override {
      if (!topology_.same_host(rank, this->rank())) return {};
      return threads_.memory_of(rank);
    }
    Wire* wire() override {
      const auto is_here = [&](int host) { return host == topology_.host_of.front(); };
      return std::ranges::all_of(topology_.host_of, is_here) ? nullptr : &wire_;
    }
    void fail(const Error& error) override { threads_.fail(error); }
    void check() const override { threads_.check(); }
    void wish_end() override { threads_.wish_end(); }
    bool end_wished() const override { return threads_.end_wished(); }
    void at_step(std::int64_t step) override { threads_.at_step(step); }

   private:
    const Topology topology_;
    Transport& threads_;
    Wire& wire_;
  };

  std::vector<std::unique_ptr<Transport>> threads_, ranks_;
  std::vector<std::unique_ptr<FakeWire>> wires_;
};

// For tests: runs work(transport) on a thread per rank. One that throws ends all; throws what the
// lowest rank threw.
template <typename Work>
void on_every_rank(std::span<const std::unique_ptr<Transport>> ranks, const Work& work) {
  std::vector<std::exception_ptr> thrown(ranks.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      threads.emplace_back([&, rank] {
        try {
          work(*ranks[rank]);
        } catch (const Error& error) {
          thrown[rank] = std::current_exception();
          ranks[rank]->fail(error);
        }
      });
    }
  }
  for (const std::exception_ptr& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

}  // namespace lockstep::comm
