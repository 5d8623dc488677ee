// Preloaded into the program (LD_PRELOAD), lets it crash where tests want it to: in the next layer
// that computes once a file "crash in a layer on HOST" is in the directory CRASH, and in MPI_Init
// if there is a "crash in MPI_Init on HOST". The latter before Slurm's PMIx has heard of the rank:
// when it loses one that it knows, it may or may not kill the others.

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "oneapi/dnnl/dnnl.h"

namespace {

void crash_if_asked(const char* where) {
  const char* const directory = std::getenv("CRASH");
  if (directory == nullptr) return;
  std::array<char, 256> host{};
  std::array<char, 4096> file;
  gethostname(host.data(), host.size() - 1);
  std::snprintf(file.data(), file.size(), "%s/crash in %s on %s", directory, where, host.data());
  if (access(file.data(), F_OK) == 0) *static_cast<volatile int*>(nullptr) = 0;
}

}  // namespace

extern "C" {

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                     int count, const dnnl_exec_arg_t* arguments) {
  static const auto next =
      reinterpret_cast<decltype(&dnnl_primitive_execute)>(dlsym(RTLD_NEXT, __func__));
  crash_if_asked("a layer");
  return next(primitive, stream, count, arguments);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  static const auto next = reinterpret_cast<decltype(&MPI_Init_thread)>(dlsym(RTLD_NEXT, __func__));
  crash_if_asked("MPI_Init");
  return next(argc, argv, required, provided);
}

}  // extern "C"
