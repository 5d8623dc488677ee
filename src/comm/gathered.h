#pragma once

#include <exception>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "comm/transport.h"

namespace lockstep::comm {

// What `read` makes of bytes that a rank has sent: whatever it cannot read is that rank's fault,
// and named after it.
template <typename Read>
auto read_gathered(const Transport& transport, int rank, const Read& read) {
  try {
    return read();
  } catch (const std::exception&) {
    throw Error(ExitCode::rank_failed,
                fmt::format("rank {} on {} sent a text that cannot be read", rank,
                            transport.host_name(rank)),
                "start the same version of lockstep everywhere");
  }
}

// Collective: everybody's values combined two at a time, in the order of the ranks.
template <typename Value, typename Combine>
Value combined(Transport& transport, const Value& mine, const Combine& combine) {
  const auto value_of = [&](int rank, const std::string& bytes) {
    return read_gathered(transport, rank, [&] { return BytesReader(bytes).take<Value>(); });
  };
  const std::string result = transport.agree(bytes_of(mine), [&](const Transport::Parts& parts) {
    Value value = value_of(0, parts.front());
    for (int rank = 1; rank < transport.world(); ++rank) {
      value = combine(value, value_of(rank, parts[static_cast<std::size_t>(rank)]));
    }
    return bytes_of(value);
  });
  return value_of(0, result);
}

// Collective: rank 0's values, as many as everybody has.
template <typename Value>
std::vector<Value> broadcast(Transport& transport, std::span<const Value> mine) {
  const std::string bytes = transport.broadcast(
      std::string(reinterpret_cast<const char*>(mine.data()), mine.size_bytes()));
  return read_gathered(transport, 0, [&] {
    if (bytes.size() != mine.size_bytes()) throw std::length_error("another number of values");
    std::vector<Value> values(mine.size());
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  });
}

}  // namespace lockstep::comm
