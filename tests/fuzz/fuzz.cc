// libFuzzer calls this with bytes of its own invention, for the parser that LOCKSTEP_PARSER names:
// tools/fuzz.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "comm/tcp/survive_for_test.h"
#include "data/parsers_for_test.h"
#include "report/import/survive_for_test.h"
#include "train/survive_for_test.h"

namespace {

using lockstep::data::FileParser;

void survive_import(lockstep::data::Bytes bytes) {
  lockstep::report::survive_import(lockstep::data::text_of(bytes));
}

void survive_frames(lockstep::data::Bytes bytes) {
  lockstep::comm::tcp::survive_frames(bytes);
}

FileParser chosen() {
  const char* name = std::getenv("LOCKSTEP_PARSER");
  const auto of_data = lockstep::data::file_parsers();
  std::vector<FileParser> parsers(of_data.begin(), of_data.end());
  parsers.push_back({"checkpoint", lockstep::train::survive_checkpoint});
  parsers.push_back({"import", survive_import});
  parsers.push_back({"frames", survive_frames});
  const auto found =
      std::ranges::find(parsers, std::string_view(name == nullptr ? "" : name), &FileParser::name);
  if (found != parsers.end()) return *found;
  std::fputs("LOCKSTEP_PARSER has to name a parser, a folder of tests/fuzz/corpus\n", stderr);
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const FileParser parser = chosen();
  parser.survive({bytes, size});
  return 0;
}
