#include "data/cifar.h"

namespace lockstep::data {
namespace {

using namespace std::string_view_literals;

void append_string(std::string& out, std::string_view text) {
  out += 'U';  // SHORT_BINSTRING
  out += static_cast<char>(text.size());
  out += text;
}

}  // namespace

// Opcodes of protocol 2: see pickle.cc.
std::string pickle_cifar_batch(std::string_view pixels, const std::vector<int>& labels) {
  std::string out = "\x80\x02}(";
  append_string(out, "labels");
  out += "](";
  for (const int label : labels) {
    out += 'K';
    out += static_cast<char>(label);
  }
  out += 'e';
  append_string(out, "data");
  // An empty array of bytes ...
  out +=
      "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01"
      "b\x87R"sv;
  // ... gets its state: version, shape, type, order, bytes.
  out += "(K\x01J"sv;
  append_le(out, static_cast<std::uint32_t>(labels.size()));
  out += 'J';
  append_le(out, static_cast<std::uint32_t>(kCifarImageBytes));
  out +=
      "\x86"
      "cnumpy\ndtype\nU\x02u1K\0K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"
      "\x89T"sv;
  append_le(out, static_cast<std::uint32_t>(pixels.size()));
  out += pixels;
  out += "tbu.";
  return out;
}

}  // namespace lockstep::data
