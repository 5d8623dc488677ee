#include "cli/run.h"

#include <fmt/format.h>

#include "spec/flags.h"

namespace lockstep::cli {

ExitCode run(Arguments arguments) {
  const spec::Parsed parsed = spec::parse_run(arguments, process_getenv);
  for (const std::string& warning : parsed.warnings) print_warning(warning);
  for (const std::string& note : parsed.notes) print_note(note);
  if (parsed.print_config) {
    fmt::print("{}\n", to_json(parsed.trial));
    return ExitCode::ok;
  }
  throw Error(ExitCode::environment, "this build cannot train",
              "--print_config shows what would be trained");
}

}  // namespace lockstep::cli
