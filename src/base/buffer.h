#pragma once

#include <cstddef>
#include <span>

namespace lockstep {

// A block of zeroed memory from the kernel, on huge pages where the machine has them. Its start is
// aligned to 2 MiB. Throws Error(environment) when the machine cannot give that much.
class Buffer {
 public:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  Buffer() = default;
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<float> floats() const {
    return {reinterpret_cast<float*>(data_), size_ / sizeof(float)};
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
};

}  // namespace lockstep
