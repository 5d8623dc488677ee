#include "cli/strategies.h"

#include <nlohmann/json.hpp>

#include "base/table.h"
#include "spec/strategies.h"

namespace lockstep::cli {

std::string list_strategies() {
  const auto word = [](bool is) { return std::string(is ? "yes" : "no"); };
  Table table({{"strategy", Table::Align::left},
               {"averages gradients", Table::Align::left},
               {"in step", Table::Align::left},
               {"servers", Table::Align::left},
               {"what it does", Table::Align::left}});
  for (const spec::StrategyRow& row : spec::strategies()) {
    table.add({spec::title(row), word(row.averages), word(row.in_step), word(row.served),
               std::string(row.summary)});
  }
  return table.text() +
         "\n--variable_update of lockstep run takes one of them, --strategies of lockstep sweep a "
         "list.\n"
         "Averages gradients: over all devices. In step: devices wait for each other in every "
         "step.\n"
         "Servers: parameters are kept by servers, --num_ps processes or threads of their own or "
         "the\n"
         "devices themselves. Asynchronous: with --cross_replica_sync=false or "
         "--replicas_to_aggregate.\n";
}

std::string list_strategies_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const spec::StrategyRow& row : spec::strategies()) {
    list.push_back({{"name", spec::title(row)},
                    {"averages_gradients", row.averages},
                    {"in_step", row.in_step},
                    {"servers", row.served},
                    {"summary", row.summary}});
  }
  return list.dump(2) + '\n';
}

}  // namespace lockstep::cli
