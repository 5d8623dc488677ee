#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "comm/collective.h"
#include "comm/wire.h"

namespace lockstep::comm {

// The collective of the library that a transport is made of, as one opaque act.
class VendorAllReduce {
 public:
  virtual ~VendorAllReduce() = default;

  // Collective; returns with the sums over all ranks. The data lies in memory that the rank shares:
  // when a rank is lost, this throws while the library may still write there.
  virtual void all_reduce(std::span<float> data) = 0;
};

// One rank's membership in the world. Ranks of one host share memory whatever the transport; a wire
// carries what goes between hosts. One thread of the rank calls everything but fail(); another may
// gather meanwhile.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual const Topology& topology() const = 0;
  int world() const { return topology().world(); }
  virtual const std::string& host_name(int rank) const = 0;

  // Collective, at the start, at the end and for decisions in between: rank 0 gets everybody's
  // bytes, and all ranks get what `decide` makes of them there. So only rank 0 deals with as many
  // bytes as the world has ranks. Throws what `decide` throws on rank 0; on the others, and when a
  // rank is lost meanwhile, the first cause.
  using Parts = std::vector<std::string>;  // by rank
  using Decide = std::function<std::string(Parts parts)>;
  virtual std::string agree(const std::string& mine, const Decide& decide) = 0;

  // Made of that:
  void barrier();                                    // until everybody has come
  std::string broadcast(const std::string& rank0s);  // rank 0's, whatever the others bring
  Parts gather(const std::string& mine);             // on rank 0; nothing on the others
  Parts all_gather(const std::string& mine);         // on all: the square of the world in bytes

  // Collective, once: takes `bytes` of zeroed memory, aligned to 2 MiB, that all ranks of this host
  // can read and write. Nothing of it outlives the processes, however they end.
  virtual void share(std::size_t bytes) = 0;
  // The memory of a rank of this host, behind share(); empty for ranks of other hosts.
  virtual std::span<std::byte> memory_of(int rank) const = 0;

  // Null where all ranks are on one host.
  virtual Wire* wire() = 0;
  // Null where there is no such library.
  virtual VendorAllReduce* vendor() { return nullptr; }

  // Tells every rank, whatever it waits for, that this one cannot go on; from any thread. The first
  // cause in the world wins.
  virtual void fail(const Error& error) = 0;
  // Throws Error(rank_failed) with the first cause when some rank failed or is lost: its rank, its
  // host, what happened. Cheap: a waiting rank calls it every millisecond or so.
  virtual void check() const = 0;

  // Tells every rank, soon, that this one wishes the run to end in order: for ranks that have no
  // steps in common in which they could agree on that.
  virtual void wish_end() = 0;
  virtual bool end_wished() const = 0;  // by any rank

  // What ranks say of each other's progress when one is lost: "at step 12".
  virtual void at_step(std::int64_t step) = 0;
};

// All ranks in this process, one thread each; result[r] is rank r's.
std::vector<std::unique_ptr<Transport>> connect_threads(int world);

}  // namespace lockstep::comm
