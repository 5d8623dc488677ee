#include "base/buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
Buffer::Buffer(std::size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  mapped_ = (bytes + kHugePage - 1) / kHugePage * kHugePage + kHugePage;
  mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw Error(ExitCode::environment,
                fmt::format("out of memory: cannot allocate {}", human_bytes(double(bytes))),
                "lower --batch_size, or use a smaller model");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  data_ = reinterpret_cast<std::byte*>((address + kHugePage - 1) / kHugePage * kHugePage);
  // A huge page of which less than half is needed is not worth its memory. Advice only: a kernel
  // without transparent huge pages gives ordinary ones.
  const std::size_t huge = (bytes + kHugePage / 2) / kHugePage * kHugePage;
  madvise(data_, huge, MADV_HUGEPAGE);
  if (huge < bytes) madvise(data_ + huge, kHugePage, MADV_NOHUGEPAGE);
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

}  // namespace lockstep
