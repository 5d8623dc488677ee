#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "report/figure.h"
#include "report/sweep_report.h"

namespace lockstep::report {

// What `lockstep comm --json` measured of one collective operation.
struct Collectives {
  struct Row {
    std::string algorithm;  // with more than one bucket, how many of them at once
    double bytes = 0;
    double bus_bandwidth = 0;  // GB/s
  };
  std::string operation, transport;  // empty: not told
  std::string program;               // that measured: "lockstep", "nccl-tests"
  std::string directory;             // of its file
  int ranks = 0, hosts = 0;
  std::vector<Row> rows = {};
};

// Those in the files comm*.json of a directory. A file that is none of comm's, and rows with wrong
// sums, are named in `problems` and left out.
std::vector<Collectives> read_collectives(const std::filesystem::path& directory,
                                          std::vector<std::string>& problems);

// Bandwidths over sizes, a panel for each file, a line for each algorithm.
Figure collectives_figure(std::span<const Collectives> collectives);

// Those of several directories side by side: a panel for each operation, a line for each directory
// and algorithm.
Figure collectives_comparison(std::span<const Collectives> collectives);
// The same in numbers. Bandwidths are compared with the highest that the first directory has for
// the operation and the size.
std::string collectives_table(std::span<const Collectives> collectives,
                              std::size_t width = kAnyWidth);

}  // namespace lockstep::report
