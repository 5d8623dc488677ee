#include "tests/equivalence/strategies.h"

namespace lockstep::equivalence {

std::vector<spec::StrategyRow> synchronous_strategies() {
  std::vector<spec::StrategyRow> rows;
  for (const spec::StrategyRow& row : spec::strategies()) {
    if (row.in_step || !row.averages) rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> all_reduces(const spec::StrategyRow& row) {
  if (row.name != "replicated") return {"auto"};
  std::vector<std::string> names = {"auto", "ring#2", "owner#2"};
  for (const comm::AlgorithmRow& algorithm : comm::algorithms()) names.emplace_back(algorithm.name);
  return names;
}

}  // namespace lockstep::equivalence
