#include "data/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace lockstep::data {
namespace {

constexpr int kGzipWindow = 16 + MAX_WBITS;  // zlib's way to say: with gzip's header and checksum
constexpr std::size_t kInflatedPiece = std::size_t{1} << 16;

// Ends the stream on every path out.
struct Inflating {
  z_stream stream{};
  Inflating() { LOCKSTEP_CHECK(inflateInit2(&stream, kGzipWindow) == Z_OK); }
  ~Inflating() { inflateEnd(&stream); }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;
};

// zlib counts what it is given in 32 bits.
uInt at_once(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

}  // namespace

bool is_gzip(Bytes bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

Parsed<std::string> gunzip(Bytes bytes, std::uint64_t most) {
  Inflating inflating;
  z_stream& stream = inflating.stream;
  std::string content;
  std::size_t at = 0;
  while (true) {
    char piece[kInflatedPiece];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = kInflatedPiece;
    const uInt given = at_once(bytes.size() - at);
    stream.next_in = const_cast<Bytef*>(bytes.data() + at);  // which it only reads
    stream.avail_in = given;
    const int code = inflate(&stream, Z_NO_FLUSH);
    at += given - stream.avail_in;
    content.append(piece, kInflatedPiece - stream.avail_out);
    if (content.size() > most) {
      return Fault{at, fmt::format("decompresses to more than {} bytes", most)};
    }
    if (code == Z_STREAM_END) {
      if (at == bytes.size()) return content;
      inflateReset(&stream);  // another member follows
    } else if (code == Z_BUF_ERROR ||
               (code == Z_OK && at == bytes.size() && stream.avail_out > 0)) {
      return Fault{at, "the compressed data end too early"};
    } else if (code != Z_OK) {
      return Fault{at, fmt::format("damaged gzip data: {}",
                                   stream.msg == nullptr ? "no reason given" : stream.msg)};
    }
  }
}

std::string gzip(std::string_view content) {
  z_stream stream{};
  LOCKSTEP_CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                              Z_DEFAULT_STRATEGY) == Z_OK);
  LOCKSTEP_CHECK(content.size() < std::numeric_limits<uInt>::max());
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  LOCKSTEP_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace lockstep::data
