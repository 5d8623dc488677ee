#include "report/import/survive_for_test.h"

#include <optional>
#include <variant>

#include "base/check.h"
#include "base/error.h"
#include "report/import/formats.h"
#include "report/import/imported_json.h"
#include "report/import/imported_sweep.h"
#include "result/run_file.h"
#include "spec/sweep_flags.h"

namespace lockstep::report {
namespace {

struct Taken {
  Imported imported;
  ImportedSweep sweep;
};

std::optional<Taken> taken(std::string_view text, const ImportOptions& options) {
  try {
    Taken taken;
    taken.imported = import_sources({{"net_b8.csv", std::string(text)}}, options);
    taken.sweep = sweep_of(taken.imported.runs);
    return taken;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void check_sweep(const spec::Sweep& sweep) {
  const std::vector<std::string> arguments = {"--spec=sweep.json"};
  const auto nothing = [](const char*) -> const char* { return nullptr; };
  const auto read = [&](const std::string&) { return spec::to_json(sweep); };
  LOCKSTEP_CHECK(spec::parse_sweep(arguments, nothing, {}, read).sweep == sweep);
}

void check_run(const ImportedRun& run) {
  const result::RunFile file = result::read_run_json(imported_run_json({}, run));
  LOCKSTEP_CHECK(std::get<stats::Launch>(file).images_per_second == run.images_per_second);
}

}  // namespace

void survive_import(std::string_view text) {
  for (const ImportFormat& format : import_formats()) {
    ImportOptions options{.format = std::string(format.name),
                          .given = {.strategy = "replicated"},
                          .pattern = "([0-9.e+-]+) img"};
    if (format.looks_like == nullptr) {
      options.given = {.model = "net", .strategy = "replicated", .batch_size = 8, .devices = 1};
    }
    const auto found = taken(text, options);
    if (!found) continue;
    if (!found->imported.runs.empty()) check_sweep(found->sweep.sweep);
    for (const ImportedRun& run : found->imported.runs) check_run(run);
    for (const ImportedCollectives& table : found->imported.collectives) {
      LOCKSTEP_CHECK(!imported_comm_json({}, table).empty());
    }
  }
}

}  // namespace lockstep::report
