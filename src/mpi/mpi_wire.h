#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "comm/schedule.h"
#include "comm/wire.h"
#include "mpi/mpi_thread.h"

namespace lockstep::mpi {

// A wire of MPI messages. What it is given to carry travels in chunks, so that one is encoded,
// decoded or added while others are on their way. The length of a chunk tells its encoding: there
// are no headers for which memory would have to be copied or another message waited for.
class MpiWire : public comm::Wire {
 public:
  explicit MpiWire(MpiThread& thread) : thread_(thread) {}

  void post(std::function<void()> job) override { thread_.post(std::move(job)); }
  void send(int peer, std::uint32_t tag, std::span<const float> data, comm::Encoding encoding,
            Done done) override;
  void receive(int peer, std::uint32_t tag, std::span<float> into, bool add, Done done) override;

  std::uint64_t bytes_sent() const override { return bytes_sent_; }
  std::uint64_t bytes_received() const override { return bytes_received_; }

 private:
  using Scratch = std::vector<std::byte>;
  using StartChunk = std::function<void(comm::Range chunk, Done chunk_done)>;

  struct Message {
    std::size_t length = 0;  // elements, like the others
    StartChunk start;
    Done done;
    std::size_t started = 0, finished = 0;
  };
  // MPI matches messages of one peer and tag by order, so their chunks are started in order; few at
  // a time, to bound the memory that they are encoded into or received in.
  struct Channel {
    std::deque<std::shared_ptr<Message>> waiting;  // not all of their chunks are started
    int in_flight = 0;                             // chunks
  };
  struct Way {
    bool out = false;
    int peer = 0;
    std::uint32_t tag = 0;

    auto operator<=>(const Way&) const = default;
  };

  void carry(const Way& way, std::size_t length, StartChunk start, Done done);
  void advance(Channel& channel);
  Scratch take_scratch();
  void put_back(Scratch scratch) { spare_.push_back(std::move(scratch)); }

  MpiThread& thread_;
  std::map<Way, Channel> channels_;
  std::vector<Scratch> spare_;
  std::atomic<std::uint64_t> bytes_sent_ = 0, bytes_received_ = 0;
};

}  // namespace lockstep::mpi
