#include "data/record_reader.h"

#include <memory>

namespace lockstep::data {

RecordReader::RecordReader(const Source& source, Split split, bool keeps)
    : source_(source),
      split_(split),
      kept_(keeps && source.index().encoding != Encoding::pixels ? source.index().of(split).size()
                                                                 : 0) {}

RecordReader::~RecordReader() {
  for (const auto& record : kept_) delete record.load();
}

const Stored& RecordReader::read(std::size_t i, Memory& memory) {
  if (kept_.empty()) {
    memory.stored = source_.fetch(split_, i, memory.bytes);
    return memory.stored;
  }
  std::atomic<const Memory*>& kept = kept_[i];
  if (const Memory* found = kept.load()) return found->stored;
  auto fresh = std::make_unique<Memory>();
  fresh->stored = source_.fetch(split_, i, fresh->bytes);
  const Memory* expected = nullptr;
  // Of two threads that read it at the same time one keeps it.
  if (kept.compare_exchange_strong(expected, fresh.get())) return fresh.release()->stored;
  return expected->stored;
}

}  // namespace lockstep::data
