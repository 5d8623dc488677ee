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
        texts(static_cast<std::size_t>(world)) {}

  const Topology topology;
  const std::string host_name;
  std::vector<Buffer> memory;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> texts;  // of the gathering under way
  int arrived = 0;
  std::vector<std::string> gathered;  // by the last one that is complete
  std::int64_t gatherings = 0;
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
  std::vector<std::string> all_gather(const std::string& mine) override {
    meet(mine);
    return hub_->gathered;
  }
  std::vector<std::string> gather(const std::string& mine) override {
    meet(mine);
    return rank_ == 0 ? hub_->gathered : std::vector<std::string>{};
  }
  void share(std::size_t bytes) override {
    hub_->memory[static_cast<std::size_t>(rank_)] = Buffer(bytes);
    all_gather({});
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
    hub_->changed.notify_all();
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
  // Behind it all texts are in hub_->gathered.
  void meet(const std::string& mine) {
    std::unique_lock lock(hub_->mutex);
    hub_->texts[static_cast<std::size_t>(rank_)] = mine;
    const std::int64_t before = hub_->gatherings;
    if (++hub_->arrived == world()) {
      hub_->arrived = 0;
      hub_->gathered = std::exchange(hub_->texts, std::vector<std::string>(hub_->texts.size()));
      ++hub_->gatherings;
      hub_->changed.notify_all();
    }
    hub_->changed.wait(lock, [&] { return hub_->gatherings > before || hub_->cause; });
    if (hub_->gatherings == before) throw Error(*hub_->cause);
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
