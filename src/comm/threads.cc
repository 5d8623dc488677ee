#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/buffer.h"
#include "comm/lost.h"
#include "comm/transport.h"

namespace lockstep::comm {
namespace {

// What the ranks of the process have in common.
struct Hub {
  explicit Hub(int world)
      : topology{std::vector<int>(static_cast<std::size_t>(world), 0)},
        host_name(own_host_name()),
        memory(static_cast<std::size_t>(world)),
        parts(static_cast<std::size_t>(world)) {}

  const Topology topology;
  const std::string host_name;
  std::vector<Buffer> memory;

  std::mutex mutex;
  Transport::Parts parts;  // of the agreement under way
  int arrived = 0;
  std::condition_variable all_here;  // for rank 0
  std::string agreed;                // by the last one that is complete
  std::int64_t agreements = 0;
  std::condition_variable agreed_again;  // for the others
  std::optional<Error> cause;
  std::atomic<bool> failed = false;  // there is a cause
  std::atomic<bool> end_wished = false;
};

class ThreadTransport : public Transport {
 public:
  ThreadTransport(std::shared_ptr<Hub> hub, int rank) : hub_(std::move(hub)), rank_(rank) {}

  int rank() const override { return rank_; }
  const Topology& topology() const override { return hub_->topology; }
  const std::string& host_name(int) const override { return hub_->host_name; }

  // Nobody can complete the next one before this rank has come to it, too.
  std::string agree(const std::string& mine, const Decide& decide) override {
    std::unique_lock lock(hub_->mutex);
    hub_->parts[static_cast<std::size_t>(rank_)] = mine;
    if (++hub_->arrived == world()) hub_->all_here.notify_one();
    if (rank_ != 0) {
      const std::int64_t before = hub_->agreements;
      wait(lock, hub_->agreed_again, [&] { return hub_->agreements > before; });
      return hub_->agreed;
    }
    wait(lock, hub_->all_here, [&] { return hub_->arrived == world(); });
    hub_->arrived = 0;
    Parts parts = std::exchange(hub_->parts, Parts(hub_->parts.size()));
    lock.unlock();
    std::string agreed = decide(std::move(parts));
    lock.lock();
    hub_->agreed = agreed;
    ++hub_->agreements;
    hub_->agreed_again.notify_all();
    return agreed;
  }
  void share(std::size_t bytes) override {
    hub_->memory[static_cast<std::size_t>(rank_)] = Buffer(bytes);
    barrier();
  }
  std::span<std::byte> memory_of(int rank) const override {
    const Buffer& memory = hub_->memory[static_cast<std::size_t>(rank)];
    return {memory.data(), memory.size()};
  }

  Wire* wire() override { return nullptr; }

  void fail(const Error& error) override {
    const std::lock_guard lock(hub_->mutex);
    if (hub_->cause) return;
    hub_->cause = lost_rank(rank_, hub_->host_name, step_.load(), error);
    hub_->failed = true;
    hub_->all_here.notify_all();
    hub_->agreed_again.notify_all();
  }
  void check() const override {
    if (!hub_->failed) return;
    const std::lock_guard lock(hub_->mutex);
    throw Error(*hub_->cause);
  }
  void wish_end() override { hub_->end_wished = true; }
  bool end_wished() const override { return hub_->end_wished; }
  void at_step(std::int64_t step) override { step_ = step; }

 private:
  // Throws the first cause if there is one and the condition does not hold.
  template <typename Condition>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
            const Condition& condition) {
    changed.wait(lock, [&] { return condition() || hub_->cause; });
    if (!condition()) throw Error(*hub_->cause);
  }

  const std::shared_ptr<Hub> hub_;
  const int rank_;
  std::atomic<std::int64_t> step_ = -1;
};

}  // namespace

std::vector<std::unique_ptr<Transport>> connect_threads(int world) {
  const auto hub = std::make_shared<Hub>(world);
  std::vector<std::unique_ptr<Transport>> ranks;
  for (int rank = 0; rank < world; ++rank) {
    ranks.push_back(std::make_unique<ThreadTransport>(hub, rank));
  }
  return ranks;
}

}  // namespace lockstep::comm
