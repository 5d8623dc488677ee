#include "data/tfrecord.h"

#include <fmt/format.h>

#include "data/crc32c.h"

namespace lockstep::data {

std::vector<Fault> scan_frames(
    std::uint64_t size, const ReadAt& read,
    const std::function<void(std::uint64_t offset, Bytes payload)>& record) {
  std::vector<Fault> faults;
  std::uint64_t at = 0;
  while (at < size) {
    if (size - at < kFrameHead) {
      faults.push_back({at, "the head of a record is cut off"});
      break;
    }
    const Bytes head = read(at, kFrameHead);
    if (masked_crc32c(head.first(8)) != load_le<std::uint32_t>(head.subspan(8))) {
      faults.push_back({at, "the length of a record is damaged: what follows is lost"});
      break;
    }
    const auto length = load_le<std::uint64_t>(head);
    const std::uint64_t rest = size - at - kFrameHead;
    if (rest < kFrameTail || length > rest - kFrameTail) {
      faults.push_back({at, fmt::format("a record of {} bytes is cut off", length)});
      break;
    }
    const std::uint64_t payload_at = at + kFrameHead;
    const Bytes body = read(payload_at, length + kFrameTail);
    const Bytes payload = body.first(length);
    if (tail_matches(payload, body.subspan(length))) {
      record(payload_at, payload);
    } else {
      faults.push_back({payload_at, fmt::format("a record of {} bytes is damaged", length)});
    }
    at = payload_at + length + kFrameTail;
  }
  return faults;
}

bool tail_matches(Bytes payload, Bytes tail) {
  return masked_crc32c(payload) == load_le<std::uint32_t>(tail);
}

void append_frame(std::string& out, Bytes payload) {
  std::string length;
  append_le(length, std::uint64_t{payload.size()});
  out += length;
  append_le(out, masked_crc32c(bytes_of(length)));
  out += text_of(payload);
  append_le(out, masked_crc32c(payload));
}

}  // namespace lockstep::data
