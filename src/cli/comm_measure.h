#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/comm_operation.h"

namespace lockstep::cli {

// What is measured: every algorithm on every case.
struct CommSweep {
  CommKind kind = CommKind::all_reduce;
  std::vector<Buckets> cases = {};
  std::vector<std::string> algorithms = {};  // rows of comm::algorithms(), kVendor or kAuto
  int iterations = 0;                        // 0: by time
  bool check = true;
  bool spin = true;  // every thread has a core of its own
};
inline constexpr std::string_view kVendor = "vendor";
inline constexpr std::string_view kAuto = "auto";  // for each bucket what training takes for it

struct CommRow {
  std::size_t bytes = 0;
  std::size_t buckets = 1;
  std::string algorithm = {};
  std::string taken = {};       // by kAuto: its algorithm, or those of the buckets, with + between
  double seconds = 0;           // one operation: median over samples of the slowest rank's
  std::int64_t operations = 0;  // timed ones
  std::optional<std::int64_t> wrong = {};  // elements, of all ranks; nothing: not checked

  double algbw() const { return static_cast<double>(bytes) / seconds / 1e9; }  // GB/s
};

// What a link carries for each byte of an array, at least: busbw / algbw.
double bus_factor(CommKind kind, int world);

// The algorithms that make sense for the operation between these ranks where none is asked for.
std::vector<std::string> sensible_algorithms(CommKind kind, comm::Transport& transport);
// Throws Error(usage) for names that are not known or cannot do the operation here.
void check_algorithms(CommKind kind, comm::Transport& transport,
                      const std::vector<std::string>& algorithms);

// Collective: all ranks measure the same. `on_row` on each of them.
void measure_collectives(comm::Transport& transport, const CommSweep& sweep,
                         const std::function<void(const CommRow&)>& on_row);

}  // namespace lockstep::cli
