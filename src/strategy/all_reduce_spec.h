#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "comm/collective.h"

namespace lockstep::strategy {

// Which all-reduce takes tensors up to which size, as tf_cnn_benchmarks' --all_reduce_spec says it:
//
//   spec      = algorithm { ":" limit ":" algorithm }   pscpu:2k:pscpu#2:64k:xring
//   algorithm = name [ "/" name ] [ "#" shards ]        within hosts / between them
//   limit     = number [ "k" | "K" | "M" | "G" | "T" ]  elements, powers of 1024; inclusive
//
// Its names stand for ours, which are accepted as well: xring is ring, pscpu is owner, rechd is
// halving_doubling, collective is auto, and every pair is hierarchical.
struct AllReduceChoice {
  std::size_t largest = 0;  // elements; SIZE_MAX in the last choice
  std::string algorithm;    // a row of comm::algorithms(), "vendor" or "auto"
  int shards = 1;           // parts that travel by themselves; of `owner`, each has its own owner

  bool is_vendor() const { return algorithm == "vendor"; }  // MPI's own
  bool operator==(const AllReduceChoice&) const = default;
};
struct AllReduceSpec {
  std::vector<AllReduceChoice> choices;  // ascending, at least one; the last takes all sizes
  std::vector<std::string> notes;        // where we do something else than the name says

  const AllReduceChoice& for_size(std::size_t elements) const;
};

// Throws Error(usage) that says where the text goes wrong and what is known.
AllReduceSpec parse_all_reduce_spec(std::string_view text);
// Parses back to the same choices.
std::string print(const AllReduceSpec& spec);

// Where `auto` changes its mind between hosts, as `lockstep comm` measured it (bench/README.md):
// below the first, rounds count and tree has the fewest; up to the second, halving_doubling has
// fewer than ring and moves the same bytes, where the ranks are a power of two.
inline constexpr std::size_t kTreeBelowElements = 16 * 1024;
inline constexpr std::size_t kRingFromElements = 64 * 1024;

// The algorithm that `auto` takes.
std::string_view choose(std::size_t elements, const comm::Topology& topology);

}  // namespace lockstep::strategy
