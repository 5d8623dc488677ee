#include "mpi/mpi_wire.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "base/check.h"
#include "comm/encoding.h"

namespace lockstep::mpi {
namespace {

using comm::Encoding;
using comm::Range;

// Elements. Large enough for the line's full rate, small enough that the last add is short.
constexpr std::size_t kChunk = 128 * 1024;
constexpr int kChunksInFlight = 4;

// bfloat16 is as long as half precision: a byte behind it tells the two apart.
std::size_t chunk_bytes(Encoding encoding, std::size_t elements) {
  return comm::encoded_bytes(elements, encoding) + (encoding == Encoding::bf16 ? 1 : 0);
}

Encoding encoding_of(std::size_t bytes, std::size_t elements) {
  for (const Encoding encoding : {Encoding::fp32, Encoding::fp16, Encoding::bf16}) {
    if (bytes == chunk_bytes(encoding, elements)) return encoding;
  }
  constexpr bool kKnownEncoding = false;
  LOCKSTEP_CHECK(kKnownEncoding);
  std::abort();
}

int mpi_tag(std::uint32_t tag) {
  LOCKSTEP_CHECK(tag <= INT_MAX);
  return static_cast<int>(tag);
}

MPI_Request start_send(const void* data, std::size_t bytes, int peer, std::uint32_t tag) {
  MPI_Request request;
  require(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, peer, mpi_tag(tag), MPI_COMM_WORLD,
                    &request),
          "MPI_Isend");
  return request;
}

MPI_Request start_receive(void* data, std::size_t bytes, int peer, std::uint32_t tag) {
  MPI_Request request;
  require(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, mpi_tag(tag), MPI_COMM_WORLD,
                    &request),
          "MPI_Irecv");
  return request;
}

}  // namespace

void MpiWire::send(int peer, std::uint32_t tag, std::span<const float> data, Encoding encoding,
                   Done done) {
  const auto start = [this, peer, tag, data, encoding](Range chunk, const Done& chunk_done) {
    const auto part = data.subspan(chunk.begin, chunk.size());
    const std::size_t payload = comm::encoded_bytes(chunk.size(), encoding);
    const auto sent = [this, payload, chunk_done] {
      bytes_sent_ += payload;
      chunk_done();
    };
    if (encoding == Encoding::fp32) {
      thread_.watch(start_send(part.data(), payload, peer, tag), payload,
                    [sent](std::size_t) { sent(); });
      return;
    }
    const auto scratch = std::make_shared<Scratch>(take_scratch());
    comm::encode(part, encoding, scratch->data());
    const std::size_t bytes = chunk_bytes(encoding, chunk.size());
    thread_.watch(start_send(scratch->data(), bytes, peer, tag), bytes,
                  [this, scratch, sent](std::size_t) {
                    put_back(std::move(*scratch));
                    sent();
                  });
  };
  carry({.out = true, .peer = peer, .tag = tag}, data.size(), start, std::move(done));
}

void MpiWire::receive(int peer, std::uint32_t tag, std::span<float> into, bool add, Done done) {
  const auto start = [this, peer, tag, into, add](Range chunk, const Done& chunk_done) {
    const auto part = into.subspan(chunk.begin, chunk.size());
    const auto scratch = std::make_shared<Scratch>(take_scratch());
    void* const target = add ? static_cast<void*>(scratch->data()) : part.data();
    const auto received = [this, part, add, scratch, chunk_done](std::size_t bytes) {
      const Encoding encoding = encoding_of(bytes, part.size());
      if (add) {
        comm::decode(scratch->data(), encoding, part, /*add=*/true);
      } else if (encoding != Encoding::fp32) {
        std::copy_n(reinterpret_cast<const std::byte*>(part.data()), bytes, scratch->data());
        comm::decode(scratch->data(), encoding, part, /*add=*/false);
      }
      put_back(std::move(*scratch));
      bytes_received_ += comm::encoded_bytes(part.size(), encoding);
      chunk_done();
    };
    thread_.watch(start_receive(target, part.size_bytes(), peer, tag), part.size_bytes(), received);
  };
  carry({.out = false, .peer = peer, .tag = tag}, into.size(), start, std::move(done));
}

void MpiWire::carry(const Way& way, std::size_t length, StartChunk start, Done done) {
  if (length == 0) {  // both sides know, so there is nothing to tell
    post(std::move(done));
    return;
  }
  Channel& channel = channels_[way];
  channel.waiting.push_back(
      std::make_shared<Message>(Message{length, std::move(start), std::move(done)}));
  advance(channel);
}

void MpiWire::advance(Channel& channel) {
  while (!channel.waiting.empty() && channel.in_flight < kChunksInFlight) {
    const std::shared_ptr<Message> message = channel.waiting.front();
    const Range chunk = {message->started, std::min(message->started + kChunk, message->length)};
    message->started = chunk.end;
    if (message->started == message->length) channel.waiting.pop_front();
    ++channel.in_flight;
    message->start(chunk, [this, &channel, message, size = chunk.size()] {
      --channel.in_flight;
      advance(channel);  // first, for the line's sake
      message->finished += size;
      if (message->finished == message->length) message->done();
    });
  }
}

MpiWire::Scratch MpiWire::take_scratch() {
  if (spare_.empty()) return Scratch(kChunk * sizeof(float));
  Scratch scratch = std::move(spare_.back());
  spare_.pop_back();
  return scratch;
}

}  // namespace lockstep::mpi
