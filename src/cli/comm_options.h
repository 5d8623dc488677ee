#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/getenv.h"
#include "cli/comm_operation.h"
#include "spec/flags.h"

namespace lockstep::cli {

enum class CommFormat { table, json, csv };

// What the command line of `lockstep comm` comes to.
struct CommOptions {
  spec::Parsed parsed;                  // the flags that it shares with run: where, and which model
  bool devices_given = false;           // else there are as many as cores
  std::vector<std::size_t> sizes;       // bytes; of a model's buckets: empty
  std::vector<std::string> algorithms;  // empty: all that make sense
  CommKind kind = CommKind::all_reduce;
  int iterations = 0;  // 0: by time
  bool check = true;
  CommFormat format = CommFormat::table;
};

// Throws Error(usage).
CommOptions parse_comm(std::span<const std::string> arguments, const Getenv& getenv);

// "1KB:64MB": from the first size to the last, doubling; "4KB,100MB": these. Units are powers of
// 1024. Throws Error(usage) for anything else, and for sizes that are no whole floats.
std::vector<std::size_t> parse_sizes(std::string_view text);

std::string comm_help(bool full);

}  // namespace lockstep::cli
