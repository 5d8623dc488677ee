#include "comm/tcp/handshake.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <unistd.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <iterator>
#include <memory>
#include <utility>

#include "base/check.h"
#include "comm/tcp/frame.h"

namespace lockstep::comm::tcp {
namespace {

constexpr std::size_t kNonceBytes = 32;
constexpr std::size_t kProofBytes = 32;  // of SHA-256

// Different for the two ends: a proof of one cannot be replayed as that of the other.
constexpr std::string_view kDials = "lockstep dials";
constexpr std::string_view kAccepts = "lockstep accepts";

std::string make_nonce() {
  std::string nonce(kNonceBytes, '\0');
  LOCKSTEP_CHECK(getentropy(nonce.data(), nonce.size()) == 0);
  return nonce;
}

// Both nonces have the same length whoever made them, so that no two texts join to the same one.
std::string proof(const std::string& key, std::string_view end, const std::string& nonces,
                  const std::string& text) {
  const std::string message = std::string(end) + nonces + text;
  std::string result(kProofBytes, '\0');
  unsigned size = 0;
  const auto* made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                          reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                          reinterpret_cast<unsigned char*>(result.data()), &size);
  LOCKSTEP_CHECK(made != nullptr && size == kProofBytes);
  return result;
}

void require_proof(const std::string& expected, std::string_view given) {
  if (given.size() != expected.size() ||
      CRYPTO_memcmp(expected.data(), given.data(), expected.size()) != 0) {
    throw std::system_error(std::make_error_code(std::errc::permission_denied));
  }
}

// Ends the connection unless it is destroyed in time.
class Deadline {
 public:
  explicit Deadline(Socket& socket) : timer_(socket.get_executor(), kHandshakeTime) {
    timer_.async_wait([&socket, alive = std::weak_ptr(alive_)](asio::error_code cancelled) {
      asio::error_code closed;
      if (!cancelled && !alive.expired()) socket.close(closed);
    });
  }

 private:
  std::shared_ptr<bool> alive_ = std::make_shared<bool>();
  asio::steady_timer timer_;
};

asio::awaitable<std::string> receive_hello(Socket& socket, const std::string& key) {
  const Deadline deadline(socket);
  const std::string theirs = co_await read_frame(socket, Frame::Kind::greeting);
  if (theirs.size() != kNonceBytes) not_ours();
  const std::string ours = make_nonce();
  const std::string nonces = theirs + ours;
  const Frame challenge = {Frame::Kind::challenge, ours + proof(key, kAccepts, nonces, {})};
  co_await write_frame(socket, challenge);
  const std::string answer = co_await read_frame(socket, Frame::Kind::hello);
  if (answer.size() < kProofBytes) not_ours();
  std::string hello = answer.substr(kProofBytes);
  require_proof(proof(key, kDials, nonces, hello), std::string_view(answer).substr(0, kProofBytes));
  const Frame welcome = {Frame::Kind::welcome, {}};
  co_await write_frame(socket, welcome);
  co_return hello;
}

}  // namespace

asio::awaitable<void> introduce(Socket& socket, std::string key, std::string hello) {
  const Deadline deadline(socket);
  const std::string ours = make_nonce();
  const Frame greeting = {Frame::Kind::greeting, ours};
  co_await write_frame(socket, greeting);
  const std::string challenge = co_await read_frame(socket, Frame::Kind::challenge);
  if (challenge.size() != kNonceBytes + kProofBytes) not_ours();
  const std::string nonces = ours + challenge.substr(0, kNonceBytes);
  // They are to hear of it as well: a hello that proves nothing, and says nothing.
  const std::string expected = proof(key, kAccepts, nonces, {});
  const std::string_view given = std::string_view(challenge).substr(kNonceBytes);
  if (CRYPTO_memcmp(expected.data(), given.data(), kProofBytes) != 0) hello.clear();
  const Frame answer = {Frame::Kind::hello, proof(key, kDials, nonces, hello) + hello};
  co_await write_frame(socket, answer);
  require_proof(expected, given);
  co_await read_frame(socket, Frame::Kind::welcome);
}

bool has_another_key(const std::system_error& error) {
  return error.code() == std::errc::permission_denied;
}

std::string dialling_trouble(const std::system_error& error) {
  if (has_another_key(error)) return "it has another token";
  if (is_not_ours(error)) return "it does not speak the protocol of this version of lockstep";
  return error.code().message();
}

std::string Gate::describe_dropped(const std::string& host, bool another_key) {
  return fmt::format("a connection from {} {}", host,
                     another_key ? "with another token"
                                 : "that does not speak the protocol of this version of lockstep");
}

Gate::Gate(asio::io_context& io, Listener listener, std::string key, Welcome welcome,
           Dropped dropped)
    : io_(io),
      acceptor_(open_listener(io, std::move(listener))),
      key_(std::move(key)),
      welcome_(std::move(welcome)),
      dropped_(std::move(dropped)) {
  asio::co_spawn(io_, receive(), rethrow);
}

asio::awaitable<void> Gate::receive() {
  asio::steady_timer timer(io_);
  for (;;) {
    asio::error_code trouble;
    Socket socket =
        co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, trouble));
    if (!trouble) {
      unproved_.push_back(std::move(socket));
      asio::co_spawn(io_, examine(std::prev(unproved_.end())), rethrow);
    }
    if (trouble || unproved_.size() > kUnproved) drop_the_oldest();
    if (trouble) {  // most likely there is no descriptor left
      timer.expires_after(kBetweenAttempts);
      co_await timer.async_wait(asio::use_awaitable);
    }
  }
}

void Gate::drop_the_oldest() {
  const auto oldest = std::ranges::find_if(unproved_, [](Socket& one) { return one.is_open(); });
  asio::error_code closed;
  if (oldest != unproved_.end()) oldest->close(closed);
}

asio::awaitable<void> Gate::examine(std::list<Socket>::iterator visitor) {
  std::string host;
  try {
    prepare(*visitor);
    host = remote_host(*visitor);
    std::string hello = co_await receive_hello(*visitor, key_);
    Socket socket = std::move(*visitor);
    unproved_.erase(visitor);
    visitor = unproved_.end();
    co_await welcome_(std::move(socket), std::move(hello));
  } catch (const std::system_error& error) {
    if (has_another_key(error) || is_not_ours(error)) dropped_(host, has_another_key(error));
  }
  if (visitor != unproved_.end()) unproved_.erase(visitor);
}

}  // namespace lockstep::comm::tcp
