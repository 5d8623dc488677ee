#include "cli/catalogues.h"

#include <nlohmann/json.hpp>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "comm/collective.h"
#include "data/formats.h"
#include "engine/engine.h"
#include "launch/launchers.h"
#include "report/import/formats.h"
#include "result/metrics.h"
#include "spec/strategies.h"
#include "spec/transports.h"

namespace lockstep::cli {
namespace {

using Json = nlohmann::ordered_json;

const Catalogue::Column kWhatItDoes = {"what it does", "summary"};

// Of a table that has nothing but names and summaries.
Catalogue summaries(const std::string& title, const auto& table, const std::string& note,
                    const Catalogue::Column& summary = kWhatItDoes) {
  Catalogue catalogue{.columns = {{title, "name"}, summary}, .rows = {}, .note = note};
  for (const auto& row : table) catalogue.rows.push_back(Json::array({row.name, row.summary}));
  return catalogue;
}

std::string cell(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.get<std::string>();
}

}  // namespace

Catalogue list_strategies() {
  Catalogue catalogue{
      .columns = {{"strategy", "name"},
                  {"averages gradients", "averages_gradients"},
                  {"in step", "in_step"},
                  {"servers", "servers"},
                  kWhatItDoes},
      .rows = {},
      .note =
          "--variable_update of lockstep run takes one of them, --strategies of lockstep sweep "
          "a list.\n"
          "Averages gradients: over all devices. In step: devices wait for each other in every "
          "step.\n"
          "Servers: parameters are kept by servers, --num_ps processes or threads of their own "
          "or the\n"
          "devices themselves. Asynchronous: with --cross_replica_sync=false or "
          "--replicas_to_aggregate.\n"};
  for (const spec::StrategyRow& row : spec::strategies()) {
    catalogue.rows.push_back(
        Json::array({spec::title(row), row.averages, row.in_step, row.served, row.summary}));
  }
  return catalogue;
}

Catalogue list_launchers() {
  Catalogue catalogue{
      .columns = {{"launcher", "name"},
                  {"other hosts", "other_hosts"},
                  {"MPI", "mpi"},
                  {"allocation", "allocation"},
                  kWhatItDoes},
      .rows = {},
      .note =
          "--launcher of lockstep sweep takes one of them.\n"
          "MPI: it joins the ranks; without it they meet by tcp, or are threads of one process.\n"
          "Allocation: a scheduler gives the hosts.\n"};
  for (const launch::LauncherRow& row : launch::launchers()) {
    catalogue.rows.push_back(
        Json::array({row.name, !row.here, row.by_mpi, row.allocation != nullptr, row.summary}));
  }
  return catalogue;
}

Catalogue list_transports() {
  return summaries("transport", spec::transports(),
                   "--transport of lockstep run takes one of them; without it, the way that ranks "
                   "are started decides.\n");
}

Catalogue list_algorithms() {
  return summaries("all-reduce", comm::algorithms(),
                   "--all_reduce_spec of lockstep run and --algorithms of lockstep comm take them, "
                   "and also\n"
                   "auto (by size and hosts) and vendor (MPI's own).\n");
}

Catalogue list_engines() {
  Catalogue catalogue{.columns = {{"engine", "name"}, {"library", "library"}, kWhatItDoes},
                      .rows = {}};
  for (const engine::EngineRow& row : engine::engines()) {
    catalogue.rows.push_back(Json::array({row.name, row.library(), row.summary}));
  }
  return catalogue;
}

Catalogue list_metrics() {
  Catalogue catalogue{.columns = {{"metric", "key"},
                                  {"unit", "unit"},
                                  {"what it is", "label"},
                                  {"in docs/measurement.md", "section"}},
                      .rows = {},
                      .note = "run.json and results.csv have them under these names.\n"};
  for (const result::Metric& metric : result::metrics()) {
    catalogue.rows.push_back(Json::array({metric.key, metric.unit, metric.label, metric.section}));
  }
  return catalogue;
}

Catalogue list_formats() {
  return summaries("format", report::import_formats(),
                   "--format of lockstep import takes one of them; without it, the files tell.\n",
                   {"files", "summary"});
}

Catalogue list_datasets() {
  Catalogue catalogue{.columns = {{"dataset", "name"}, {"files", "files"}},
                      .rows = {},
                      .note = "--data_dir takes a directory with such files.\n"};
  for (const data::Format& format : data::formats()) {
    catalogue.rows.push_back(Json::array({format.name, format.files}));
  }
  return catalogue;
}

std::string as_text(const Catalogue& catalogue) {
  std::vector<Table::Column> columns;
  for (const Catalogue::Column& column : catalogue.columns) {
    columns.push_back({column.title, Table::Align::left, 1});
  }
  columns.front().dispensable = columns.back().dispensable = 0;
  Table table(std::move(columns));
  for (const Json& row : catalogue.rows) {
    std::vector<std::string> cells;
    for (const Json& value : row) cells.push_back(cell(value));
    table.add(std::move(cells));
  }
  table.fold(output_width());
  std::string text = table.text();
  if (catalogue.note.empty()) return text;
  for (const std::string& line : split("\n" + catalogue.note, '\n')) {
    text += join(wrap(line, output_width()), "\n") + '\n';
  }
  text.pop_back();  // that of nothing after the last line
  return text;
}

std::string as_json(const Catalogue& catalogue) {
  Json list = Json::array();
  for (const Json& row : catalogue.rows) {
    Json& object = list.emplace_back(Json::object());
    for (std::size_t i = 0; i < row.size(); ++i) object[catalogue.columns[i].key] = row[i];
  }
  return list.dump(2) + '\n';
}

}  // namespace lockstep::cli
