#pragma once

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "bench/positive.h"
#include "machine/cores.h"

namespace lockstep::bench {

// A program that measures networks one after another: [MODEL:BATCH...] [--rounds R] [--threads T].
struct OfNetworks {
  const char* usage;
  std::vector<std::string> models;  // without any on the command line
  int rounds;
  void (*measure)(const std::string& model, int batch, int rounds);
};

// Its main().
inline int run(OfNetworks bench, int argc, char** argv) {
  try {
    machine::correct_openmp_environment(argv);
    int threads = 0;
    std::vector<std::string> models;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--rounds") == 0) {
        bench.rounds = positive(i + 1 < argc ? argv[++i] : "", bench.usage);
      } else if (std::strcmp(argv[i], "--threads") == 0) {
        threads = positive(i + 1 < argc ? argv[++i] : "", bench.usage);
      } else {
        models.emplace_back(argv[i]);
      }
    }
    if (models.empty()) models = bench.models;
    machine::join_team(machine::place(machine::allowed(), 1, threads).front());
    for (const std::string& model : models) {
      const auto parts = split(model, ':');
      bench.measure(parts[0], positive(parts.size() == 2 ? parts[1] : "", bench.usage),
                    bench.rounds);
    }
  } catch (const Error& e) {
    fmt::print(stderr, "error: {}\nhint: {}\n", e.what(), e.hint());
    return static_cast<int>(e.code());
  }
  return 0;
}

}  // namespace lockstep::bench
