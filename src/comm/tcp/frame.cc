#include "comm/tcp/frame.h"

#include <asio/read.hpp>
#include <asio/use_awaitable.hpp>
#include <bit>
#include <cstring>

namespace lockstep::comm::tcp {
namespace {

static_assert(std::endian::native == std::endian::little, "headers travel as they are in memory");

// Also the version of all that follows: ranks of different builds refuse each other.
constexpr std::uint32_t kMagic = 0x31'50'53'4c;  // "LSP1"
constexpr std::uint32_t kLargest = 1U << 30;

struct FrameHeader {
  std::uint32_t magic = kMagic;
  Frame::Kind kind = Frame::Kind::hello;
  std::uint32_t bytes = 0;
};

[[noreturn]] void not_ours() {
  throw std::system_error(std::make_error_code(std::errc::bad_message));
}

}  // namespace

std::string to_bytes(const Frame& frame) {
  const FrameHeader header = {.kind = frame.kind,
                              .bytes = static_cast<std::uint32_t>(frame.body.size())};
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + frame.body;
}

asio::awaitable<Frame> read_frame(Socket& socket) {
  FrameHeader header;
  co_await asio::async_read(socket, asio::buffer(&header, sizeof header), asio::use_awaitable);
  if (header.magic != kMagic || header.bytes > kLargest) not_ours();
  Frame frame = {header.kind, std::string(header.bytes, '\0')};
  co_await asio::async_read(socket, asio::buffer(frame.body), asio::use_awaitable);
  co_return frame;
}

std::string pack(std::span<const std::string> texts) {
  std::string packed;
  for (const std::string& text : texts) {
    const std::uint64_t size = text.size();
    packed.append(reinterpret_cast<const char*>(&size), sizeof size);
    packed += text;
  }
  return packed;
}

std::vector<std::string> unpack(std::string_view packed) {
  std::vector<std::string> texts;
  while (!packed.empty()) {
    std::uint64_t size = 0;
    if (packed.size() < sizeof size) not_ours();
    std::memcpy(&size, packed.data(), sizeof size);
    packed.remove_prefix(sizeof size);
    if (packed.size() < size) not_ours();
    texts.emplace_back(packed.substr(0, size));
    packed.remove_prefix(size);
  }
  return texts;
}

}  // namespace lockstep::comm::tcp
