#include "tests/equivalence/strategies.h"

namespace lockstep::equivalence {

std::vector<strategy::StrategyRow> synchronous_strategies() {
  std::vector<strategy::StrategyRow> rows;
  for (const strategy::StrategyRow& row : strategy::strategies()) {
    if (row.in_step || !row.averages) rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> all_reduces(const strategy::StrategyRow& row) {
  if (row.name != "replicated") return {"auto"};
  std::vector<std::string> names = {"auto", "ring#2", "owner#2"};
  for (const comm::AlgorithmRow& algorithm : comm::algorithms()) names.emplace_back(algorithm.name);
  return names;
}

}  // namespace lockstep::equivalence
