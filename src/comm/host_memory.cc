#include "comm/host_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"

namespace lockstep::comm {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr int kCollapse = 25;  // MADV_COLLAPSE, which glibc knows since 2.37

// Most kernels are set up to share small pages only, where an exchange between processes takes half
// as long again. Since Linux 6.1 they make large ones of them for who asks, where a page is in use.
// What they cannot do stays as it is.
void take_large_pages(std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += kHugePage) {
    static_cast<volatile std::byte&>(bytes[i]) = std::byte{0};
  }
  madvise(bytes.data(), bytes.size(), kCollapse);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ExitCode::environment, fmt::format("{}: {}", what, std::strerror(errno)),
              "ranks of one host share memory: they need the same user and enough memory");
}

// Other files could be shorter than they are said to be, or become so: to read on would crash.
void require_memory(int file, std::int64_t bytes) {
  struct stat status = {};
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(file, &status) == 0 &&
      status.st_size >= bytes) {
    return;
  }
  throw Error(ExitCode::rank_failed, "a rank of this host sent a place that is not its memory");
}

}  // namespace

HostMemory HostMemory::create(std::size_t bytes) {
  HostMemory memory;
  memory.file_ = Descriptor(memfd_create("lockstep", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.file_ || ftruncate(memory.file_.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(memory.file_.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    refuse(fmt::format("cannot share {} of memory", human_bytes(double(bytes))));
  }
  memory.map(bytes);
  take_large_pages(memory.bytes_);
  return memory;
}

HostMemory HostMemory::open(const std::string& ticket) {
  const auto parts = lockstep::split(ticket, ' ');
  const auto bytes = parts.size() == 2 ? parse_int(parts[1]) : std::nullopt;
  if (!bytes || *bytes < 0) {
    throw Error(ExitCode::rank_failed, "a rank of this host sent no place of its memory");
  }
  HostMemory memory;
  memory.file_ = Descriptor(::open(parts[0].c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!memory.file_) refuse("cannot map another rank's memory, " + parts[0]);
  require_memory(memory.file_.get(), *bytes);
  memory.map(static_cast<std::size_t>(*bytes));
  memory.close_ticket();
  return memory;
}

// Takes addresses first, more than needed, then lays the memory over an aligned part of them.
void HostMemory::map(std::size_t bytes) {
  if (bytes == 0) return;
  reserved_bytes_ = bytes + kHugePage;
  void* reserved = mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED) refuse(fmt::format("cannot map {}", human_bytes(double(bytes))));
  reserved_ = reserved;
  const auto address = reinterpret_cast<std::uintptr_t>(reserved);
  void* aligned = reinterpret_cast<void*>((address + kHugePage - 1) / kHugePage * kHugePage);
  if (mmap(aligned, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_.get(), 0) ==
      MAP_FAILED) {
    refuse(fmt::format("cannot map {}", human_bytes(double(bytes))));
  }
  madvise(aligned, bytes, MADV_HUGEPAGE);  // advice only
  bytes_ = {static_cast<std::byte*>(aligned), bytes};
}

std::string HostMemory::ticket() const {
  LOCKSTEP_CHECK(file_);
  return fmt::format("/proc/{}/fd/{} {}", getpid(), file_.get(), bytes_.size());
}

void HostMemory::close_ticket() {
  file_.close();
}

HostMemory::~HostMemory() {
  if (reserved_ != nullptr) munmap(reserved_, reserved_bytes_);
}

HostMemory::HostMemory(HostMemory&& other) noexcept {
  *this = std::move(other);
}

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(bytes_, other.bytes_);
  std::swap(reserved_, other.reserved_);
  std::swap(reserved_bytes_, other.reserved_bytes_);
  return *this;
}

}  // namespace lockstep::comm
