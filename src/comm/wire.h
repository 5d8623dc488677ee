#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace lockstep::comm {

// How floats travel. Whatever the encoding, sums are kept in 32 bits.
enum class Encoding : std::uint8_t { fp32, fp16, bf16 };

// Carries floats between hosts, on a thread of its own that runs beside the training threads and
// sleeps while no byte moves. Messages match by order: the k-th that a rank sends to a peer with a
// tag is the k-th that the peer receives from it with that tag; messages with different tags are
// independent of each other, but for the line that they share. Where several wait for it, a wire
// may let the highest tag go first: it is of the layer that the next step reads first.
class Wire {
 public:
  using Done = std::function<void()>;  // runs on the wire's thread

  virtual ~Wire() = default;

  // Runs the job on the wire's thread, soon. From any thread.
  virtual void post(std::function<void()> job) = 0;

  // On the wire's thread only. Memory stays the caller's and must not change before `done`.
  virtual void send(int peer, std::uint32_t tag, std::span<const float> data, Encoding encoding,
                    Done done) = 0;
  // The message replaces `into`, or is added to it. A message of another length is our own bug.
  virtual void receive(int peer, std::uint32_t tag, std::span<float> into, bool add, Done done) = 0;

  // Payload so far, as encoded; from any thread.
  virtual std::uint64_t bytes_sent() const = 0;
  virtual std::uint64_t bytes_received() const = 0;
};

class Transport;

// Returns when the transport's wire, if it has one, is done with the job that it is at now, so that
// whoever has told its jobs to do nothing can end. When a rank is lost the wire may be stuck in a
// library that waits for that one, and in no job of ours: then this does not wait for it.
void let_wire_finish_job(Transport& transport);

}  // namespace lockstep::comm
