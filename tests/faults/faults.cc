// Preloaded into the program (LD_PRELOAD), lets something go wrong where tests want it to. Files in
// the directory FAULTS say what: "crash in a layer on HOST" and "sleep in a layer on HOST", from
// the next layer on, and "crash in MPI_Init on HOST". The last one before Slurm's PMIx has heard of
// the rank: when it loses one that it knows, it may or may not kill the others.

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "oneapi/dnnl/dnnl.h"

namespace {

bool asked_to(const char* what) {
  const char* const directory = std::getenv("FAULTS");
  if (directory == nullptr) return false;
  std::array<char, 256> host{};
  std::array<char, 4096> file;
  gethostname(host.data(), host.size() - 1);
  std::snprintf(file.data(), file.size(), "%s/%s on %s", directory, what, host.data());
  return access(file.data(), F_OK) == 0;
}

void crash() {
  *static_cast<volatile int*>(nullptr) = 0;
}

}  // namespace

extern "C" {

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                     int count, const dnnl_exec_arg_t* arguments) {
  static const auto next =
      reinterpret_cast<decltype(&dnnl_primitive_execute)>(dlsym(RTLD_NEXT, __func__));
  if (asked_to("crash in a layer")) crash();
  if (asked_to("sleep in a layer")) usleep(1000);
  return next(primitive, stream, count, arguments);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  static const auto next = reinterpret_cast<decltype(&MPI_Init_thread)>(dlsym(RTLD_NEXT, __func__));
  if (asked_to("crash in MPI_Init")) crash();
  return next(argc, argv, required, provided);
}

}  // extern "C"
