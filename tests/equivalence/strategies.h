#pragma once

#include <string>
#include <vector>

#include "strategy/strategy.h"

namespace lockstep::equivalence {

// Those whose results depend on no clock.
std::vector<spec::StrategyRow> synchronous_strategies();

// What --all_reduce_spec may say beside "vendor" where it has a say in the strategy's exchange;
// "auto" alone where it has none, or where only the name differs from a strategy before.
std::vector<std::string> all_reduces(const spec::StrategyRow& row);

}  // namespace lockstep::equivalence
