#include "comm/tcp/wire.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <array>
#include <asio/co_spawn.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "comm/encoding.h"
#include "comm/tcp/frame.h"
#include "comm/tcp/signal.h"

namespace lockstep::comm::tcp {
namespace {

// What is encoded, decoded or added at a time: stays in the second-level cache.
constexpr std::size_t kPieceFloats = std::size_t{64} << 10;

// What the kernel holds back of a connection beyond what the line has room for. Less, and the line
// may run dry; more, and the next message waits behind it, however urgent.
constexpr int kUnsentBytes = 256 << 10;

// Of a message that nobody waits for yet, as far as a peer's word is taken for its length.
constexpr std::size_t kReserved = std::size_t{64} << 20;
constexpr std::size_t kMostFloats = std::size_t{1} << 40;

void limit_unsent(Socket& socket) {
#ifdef TCP_NOTSENT_LOWAT
  setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentBytes,
             sizeof kUnsentBytes);
#endif
}

// Reads all of it. The kernel wakes us when the next piece is there, not for every packet: where it
// has no other core for us, it interrupts a thread that computes.
asio::awaitable<void> read_all(Socket& socket, std::byte* data, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t piece = std::min(bytes, kPieceFloats * sizeof(float));
    const int enough = static_cast<int>(piece);
    setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVLOWAT, &enough, sizeof enough);
    const std::size_t got =
        co_await socket.async_read_some(asio::buffer(data, piece), asio::use_awaitable);
    data += got;
    bytes -= got;
  }
}

// asio on its own moves 64 KiB per call of the kernel.
std::size_t move_all(const asio::error_code& error, std::size_t /*so_far*/) {
  return error ? 0 : std::size_t{1} << 20;
}

struct MessageHeader {
  std::uint32_t tag = 0;
  Encoding encoding = Encoding::fp32;
  std::array<std::uint8_t, 3> unused = {};
  std::uint64_t floats = 0;
};

// What a peer's header may say.
bool is_sound(const MessageHeader& header) {
  return header.floats <= kMostFloats &&
         (header.encoding == Encoding::fp32 || header.encoding == Encoding::fp16 ||
          header.encoding == Encoding::bf16);
}

struct Outgoing {
  std::uint32_t tag = 0;
  std::span<const float> data;
  Encoding encoding = Encoding::fp32;
  Wire::Done done;
};

struct Awaited {
  std::span<float> into;
  bool add = false;
  Wire::Done done;
};

// A message, or the begin of one, that came before anybody waited for it.
struct Early {
  MessageHeader header;
  std::size_t floats = 0;  // so many of them
  std::vector<std::byte> payload;
};

// Messages with one tag from one peer; one of the two queues is empty.
struct Mailbox {
  std::deque<Awaited> awaited;
  std::deque<Early> early;
};

struct Peer {
  Peer(asio::io_context& io, int of, Socket connected)
      : rank(of), socket(std::move(connected)), outbox_changed(io) {}

  int rank;
  Socket socket;
  std::multimap<std::uint32_t, Outgoing, std::greater<>> outbox;  // by tag, the most urgent first
  Signal outbox_changed;
  std::unordered_map<std::uint32_t, Mailbox> mailboxes;
  std::size_t awaited = 0;  // in all mailboxes
  bool ended = false;       // nothing more will come
  std::vector<std::byte> encoding_piece, decoding_piece;
};

class TcpWire final : public Wire {
 public:
  TcpWire(std::unique_ptr<asio::io_context> io, std::vector<DataLink> links, Broken broken)
      : io_(std::move(io)), work_(io_->get_executor()), broken_(std::move(broken)) {
    for (DataLink& link : links) {
      Peer& peer =
          peers_.try_emplace(link.peer, *io_, link.peer, std::move(link.socket)).first->second;
      limit_unsent(peer.socket);
      asio::co_spawn(*io_, read(peer), rethrow);
      asio::co_spawn(*io_, write(peer), rethrow);
    }
    thread_ = std::thread([this] { io_->run(); });
  }

  // Closing lets the kernel deliver what was sent.
  ~TcpWire() override {
    io_->stop();
    thread_.join();
  }
  TcpWire(const TcpWire&) = delete;
  TcpWire& operator=(const TcpWire&) = delete;

  void post(std::function<void()> job) override { asio::post(*io_, std::move(job)); }

  void send(int to, std::uint32_t tag, std::span<const float> data, Encoding encoding,
            Done done) override {
    Peer& peer = peers_.at(to);
    peer.outbox.emplace(tag, Outgoing{tag, data, encoding, std::move(done)});
    peer.outbox_changed.notify();
  }

  void receive(int from, std::uint32_t tag, std::span<float> into, bool add, Done done) override {
    Peer& peer = peers_.at(from);
    Mailbox& mailbox = peer.mailboxes[tag];
    if (!mailbox.early.empty()) {
      const Early early = std::move(mailbox.early.front());
      mailbox.early.pop_front();
      if (early.header.floats != into.size()) return broken_(peer.rank, kMalformed);
      open(early, {into, add, nullptr});
      asio::post(*io_, std::move(done));  // never from within the call
      return;
    }
    mailbox.awaited.push_back({into, add, std::move(done)});
    ++peer.awaited;
    if (peer.ended) broken_(peer.rank, kClosed);
  }

  std::uint64_t bytes_sent() const override { return sent_; }
  std::uint64_t bytes_received() const override { return received_; }

 private:
  static constexpr const char* kClosed = "it closed its connection for data";
  static constexpr const char* kMalformed = "it sent data that nobody asked for";

  asio::awaitable<void> write(Peer& peer) {
    try {
      for (;;) {
        while (peer.outbox.empty()) co_await peer.outbox_changed.wait();
        const Outgoing message = std::move(peer.outbox.begin()->second);
        peer.outbox.erase(peer.outbox.begin());
        co_await write_message(peer, message);
        sent_ += encoded_bytes(message.data.size(), message.encoding);
        message.done();
      }
    } catch (const std::system_error& error) {
      broken_(peer.rank, trouble(error));
    }
  }

  static asio::awaitable<void> write_message(Peer& peer, const Outgoing& message) {
    const MessageHeader header = {
        .tag = message.tag, .encoding = message.encoding, .floats = message.data.size()};
    std::array<asio::const_buffer, 2> buffers = {asio::buffer(&header, sizeof header), {}};
    if (message.encoding == Encoding::fp32) {
      buffers[1] = asio::buffer(message.data.data(), message.data.size_bytes());
      co_await asio::async_write(peer.socket, buffers, move_all, asio::use_awaitable);
      co_return;
    }
    peer.encoding_piece.resize(kPieceFloats * sizeof(float));
    std::byte* piece = peer.encoding_piece.data();
    co_await asio::async_write(peer.socket, buffers, move_all, asio::use_awaitable);
    for (std::size_t begin = 0; begin < message.data.size(); begin += kPieceFloats) {
      const auto part =
          message.data.subspan(begin, std::min(kPieceFloats, message.data.size() - begin));
      encode(part, message.encoding, piece);
      const std::size_t bytes = encoded_bytes(part.size(), message.encoding);
      co_await asio::async_write(peer.socket, asio::buffer(piece, bytes), move_all,
                                 asio::use_awaitable);
    }
  }

  asio::awaitable<void> read(Peer& peer) {
    try {
      for (;;) {
        MessageHeader header;
        co_await read_all(peer.socket, reinterpret_cast<std::byte*>(&header), sizeof header);
        if (!is_sound(header)) not_ours();
        Mailbox& mailbox = peer.mailboxes[header.tag];
        Early early = co_await read_until_awaited(peer, header, mailbox);
        if (mailbox.awaited.empty()) {
          mailbox.early.push_back(std::move(early));
          continue;
        }
        if (header.floats != mailbox.awaited.front().into.size()) not_ours();
        open(early, mailbox.awaited.front());
        co_await read_rest(peer, header, early.floats, mailbox.awaited.front());
        const Awaited message = std::move(mailbox.awaited.front());
        mailbox.awaited.pop_front();
        --peer.awaited;
        message.done();
      }
    } catch (const std::system_error& error) {
      peer.ended = true;
      if (peer.awaited > 0 || !by_the_peer(error)) broken_(peer.rank, trouble(error));
    }
  }

  // Keeps what arrives while nobody waits for it: nothing, mostly.
  asio::awaitable<Early> read_until_awaited(Peer& peer, MessageHeader header,
                                            const Mailbox& mailbox) {
    Early early = {header, 0, {}};
    while (early.floats < header.floats && mailbox.awaited.empty()) {
      early.payload.reserve(std::min(encoded_bytes(header.floats, header.encoding), kReserved));
      const std::size_t floats = std::min(kPieceFloats, header.floats - early.floats);
      const std::size_t begin = early.payload.size();
      const std::size_t bytes = encoded_bytes(floats, header.encoding);
      early.payload.resize(begin + bytes);
      co_await read_all(peer.socket, early.payload.data() + begin, bytes);
      early.floats += floats;
      received_ += bytes;
    }
    co_return early;
  }

  static void open(const Early& early, const Awaited& awaited) {
    decode(early.payload.data(), early.header.encoding, awaited.into.first(early.floats),
           awaited.add);
  }

  asio::awaitable<void> read_rest(Peer& peer, MessageHeader header, std::size_t begin,
                                  const Awaited& awaited) {
    const std::span<float> rest = awaited.into.subspan(begin);
    if (header.encoding == Encoding::fp32 && !awaited.add) {
      co_await read_all(peer.socket, reinterpret_cast<std::byte*>(rest.data()), rest.size_bytes());
      received_ += rest.size_bytes();
      co_return;
    }
    peer.decoding_piece.resize(kPieceFloats * sizeof(float));
    std::byte* piece = peer.decoding_piece.data();
    for (std::size_t at = 0; at < rest.size(); at += kPieceFloats) {
      const std::span<float> part = rest.subspan(at, std::min(kPieceFloats, rest.size() - at));
      const std::size_t bytes = encoded_bytes(part.size(), header.encoding);
      co_await read_all(peer.socket, piece, bytes);
      decode(piece, header.encoding, part, awaited.add);
      received_ += bytes;
    }
  }

  // Whether the peer ended it, which is in order unless somebody waits for more.
  static bool by_the_peer(const std::system_error& error) {
    return error.code() == asio::error::eof || error.code() == asio::error::connection_reset;
  }

  static std::string trouble(const std::system_error& error) {
    if (error.code() == asio::error::eof) return kClosed;
    if (is_not_ours(error)) return kMalformed;
    return fmt::format("its connection broke ({})", error.code().message());
  }

  std::unique_ptr<asio::io_context> io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  Broken broken_;
  std::map<int, Peer> peers_;
  std::atomic<std::uint64_t> sent_ = 0;
  std::atomic<std::uint64_t> received_ = 0;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Wire> make_wire(std::unique_ptr<asio::io_context> io, std::vector<DataLink> links,
                                Broken broken) {
  return std::make_unique<TcpWire>(std::move(io), std::move(links), std::move(broken));
}

}  // namespace lockstep::comm::tcp
