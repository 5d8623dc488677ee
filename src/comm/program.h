#pragma once

#include <functional>
#include <vector>

#include "comm/collective.h"
#include "comm/wire.h"

namespace lockstep::comm {

// Ranks of one host read each other's memory, so a schedule needs to say when that is safe. Every
// rank counts what it has done to a chunk; an operation of a program waits until peers have done so
// many of theirs:
//
//   send        needs nothing: counting it publishes the range
//   recv(_add)  waits until the peer has counted the matching send
//   whatever writes a range waits until everybody who was sent it has counted the matching recv
//   put         writes the range into the peer's memory: waits for the peer's gradients, behind
//               which the peer does not touch it
//   got         waits until the peer has counted the matching put
//
// The proof (proof.h, program_test.cc) shows for all algorithms and worlds that any order which
// respects the waits orders every two conflicting accesses, and leaves the right sums; and that
// neighbouring recv_adds of one range may be done in one pass with its update and its puts, behind
// the waits of all of them.
enum class Array : std::uint8_t { gradients, parameters };

struct Wait {
  int peer = 0;
  int count = 0;  // of the peer's operations on this chunk

  bool operator==(const Wait&) const = default;
};

struct Operation {
  enum class Kind : std::uint8_t { send, recv, recv_add, update, put, got };
  Kind kind = Kind::send;
  Array array = Array::gradients;
  int peer = -1;  // none: an update
  Range range;
  std::vector<Wait> waits;
  bool from_owner = false;  // got: what the peer has updated, which is this range and no other

  bool writes_own_memory() const {
    return kind == Kind::recv || kind == Kind::recv_add || kind == Kind::update;
  }
};

// What one rank does to one chunk in one step, one operation after the other: the moves of `reduce`
// on gradients, one update per owned range, the moves of `distribute` on parameters.
//
// A step's count of a chunk is 0 until the rank's own gradients of it are final, then 1, and one
// more behind every operation; a rank that contributes none is at 1 once the step before is
// settled. So a wait for count 1 waits for gradients, and for count i + 2 for operations[i].
struct Program {
  std::vector<Operation> operations;
  // Before the chunk's next step: everything that was sent has been read. (Of messages to other
  // hosts the wire says so.) Within a step no algorithm writes what a message may still read.
  std::vector<Wait> settled;
  bool vendor = false;                 // as in Exchange
  Encoding encoding = Encoding::fp32;  // of gradients that leave the host
};

// What one rank does to one chunk, as its strategy has it: reduce gradients, update what it owns,
// distribute parameters.
struct Exchange {
  Collective collective;
  bool contributes = true;  // has gradients of its own: a dedicated server has none
  // The transport's own all-reduce makes the sums, in one opaque act before the update.
  bool vendor = false;
};

// The waits of `rank` follow from the schedules of its peers: `of(peer)` gives them. Only ranks of
// the same host are waited for: what goes to other hosts and comes from them is a message.
Program compile(const Topology& topology, int rank, const std::function<Exchange(int peer)>& of);
// The programs of `rank` for so many chunks: `of(chunk, peer)` is what that rank does to it.
std::vector<Program> compile_chunks(const Topology& topology, int rank, std::size_t chunks,
                                    const std::function<Exchange(std::size_t chunk, int peer)>& of);

// The range in chunks: each small enough that its first half can be on its way back while the
// second is summed, large enough that waiting is cheap beside moving.
std::vector<Range> cut_into_chunks(Range range);

}  // namespace lockstep::comm
