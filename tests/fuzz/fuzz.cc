// libFuzzer calls this with bytes of its own invention, for the parser that LOCKSTEP_PARSER names:
// tools/fuzz.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "data/parsers_for_test.h"

namespace {

const lockstep::data::FileParser& chosen() {
  const char* name = std::getenv("LOCKSTEP_PARSER");
  const auto parsers = lockstep::data::file_parsers();
  const auto found = std::ranges::find(parsers, std::string_view(name == nullptr ? "" : name),
                                       &lockstep::data::FileParser::name);
  if (found != parsers.end()) return *found;
  std::fputs("LOCKSTEP_PARSER has to name a parser, a folder of tests/fuzz/corpus\n", stderr);
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const lockstep::data::FileParser& parser = chosen();
  parser.survive({bytes, size});
  return 0;
}
