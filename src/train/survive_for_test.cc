#include "train/survive_for_test.h"

#include <functional>
#include <numeric>
#include <string>

#include "base/check.h"
#include "base/error.h"
#include "data/crc32c.h"
#include "train/checkpoint.h"

namespace lockstep::train {
namespace {

void check(data::Bytes bytes) {
  try {
    for (const Checkpoint::Tensor& tensor : parse_checkpoint(bytes, "checkpoint-1").tensors) {
      const std::int64_t elements = std::accumulate(tensor.shape.begin(), tensor.shape.end(),
                                                    std::int64_t{1}, std::multiplies<>());
      LOCKSTEP_CHECK(elements == static_cast<std::int64_t>(tensor.values.size()));
    }
  } catch (const Error& refusal) {
    LOCKSTEP_CHECK(refusal.code() == ExitCode::usage);
  }
}

// The front is eight bytes of a name, a version and the length of the header.
std::string with_checksum_of_header(std::string bytes) {
  constexpr std::size_t kFront = 16;
  if (bytes.size() < kFront) return bytes;
  const std::size_t end =
      kFront + data::load_le<std::uint32_t>(data::bytes_of(bytes).subspan(kFront - 4));
  if (end > bytes.size() || bytes.size() - end < 4) return bytes;
  std::string sum;
  data::append_le(sum, data::crc32c(data::bytes_of(bytes).first(end)));
  return bytes.replace(end, sum.size(), sum);
}

}  // namespace

void survive_checkpoint(data::Bytes bytes) {
  check(bytes);
  check(data::bytes_of(with_checksum_of_header(std::string(data::text_of(bytes)))));
}

}  // namespace lockstep::train
