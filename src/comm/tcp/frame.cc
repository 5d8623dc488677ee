#include "comm/tcp/frame.h"

#include <algorithm>
#include <array>
#include <asio/read.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

namespace lockstep::comm::tcp {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

}  // namespace

void not_ours() {
  throw std::system_error(std::make_error_code(std::errc::bad_message));
}

bool is_not_ours(const std::system_error& error) {
  return error.code() == std::errc::bad_message;
}

asio::awaitable<Frame> read_frame(Socket& socket) {
  std::array<char, kHeaderBytes> bytes;
  co_await asio::async_read(socket, asio::buffer(bytes), asio::use_awaitable);
  const auto header = parse_header(bytes);
  if (!header) not_ours();
  Frame frame = {header->kind, {}};
  while (frame.body.size() < header->bytes) {
    const std::size_t begin = frame.body.size();
    frame.body.resize(begin + std::min(kPieceBytes, header->bytes - begin));
    co_await asio::async_read(socket,
                              asio::buffer(frame.body.data() + begin, frame.body.size() - begin),
                              asio::use_awaitable);
  }
  co_return frame;
}

asio::awaitable<std::string> read_frame(Socket& socket, Frame::Kind expected) {
  Frame frame = co_await read_frame(socket);
  if (frame.kind != expected) not_ours();
  co_return std::move(frame.body);
}

asio::awaitable<void> write_frame(Socket& socket, const Frame& frame) {
  const std::string bytes = to_bytes(frame);
  co_await asio::async_write(socket, asio::buffer(bytes), asio::use_awaitable);
}

}  // namespace lockstep::comm::tcp
