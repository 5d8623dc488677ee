#pragma once

#include <string>

#include "base/error_for_test.h"
#include "base/files.h"
#include "report/import/formats.h"
#include "report/import/imported_sweep.h"

namespace lockstep::report {

// A sample log of the tests, named as whoever imports it would: FILE.
inline Source fixture(const std::string& file) {
  return {file, read_file(LOCKSTEP_SOURCE_DIR "/src/report/import/fixtures/" + file)};
}

// Why these files cannot be taken over: "2 MESSAGE | HINT".
inline std::string refusal(std::vector<Source> sources, const ImportOptions& options = {}) {
  const Error error = error_of([&] { sweep_of(import_sources(std::move(sources), options).runs); });
  return fmt::format("{} {} | {}", static_cast<int>(error.code()), error.what(), error.hint());
}

}  // namespace lockstep::report
