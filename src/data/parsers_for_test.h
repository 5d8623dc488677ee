#pragma once

#include <span>
#include <string_view>

#include "data/bytes.h"

namespace lockstep::data {

// A parser of files, as tests that give it damaged bytes see it. Where files have checksums, they
// are made right first: behind them the damage goes further.
struct FileParser {
  std::string_view name;
  // Ends the program where the parser answers with something outside of the bytes. A fault is as
  // good an answer as any.
  void (*survive)(Bytes bytes);
};

std::span<const FileParser> file_parsers();

}  // namespace lockstep::data
