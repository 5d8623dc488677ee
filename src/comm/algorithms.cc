#include <array>

#include "comm/collective.h"

namespace lockstep::comm {

std::span<const AlgorithmRow> algorithms() {
  static constexpr std::array<AlgorithmRow, 6> kRows{{
      {"ring", ring, "neighbours only: bandwidth of every link, 2(n-1) rounds"},
      {"halving_doubling", halving_doubling, "bandwidth of every link, 2 log2(n) rounds"},
      {"tree", tree, "whole ranges up a binomial tree to rank 0 and back"},
      {"direct", direct, "everybody to the owner of each share and back, in one round each"},
      {"owner", owner, "everything to rank 0 and back, as with a single parameter server"},
      {"hierarchical", hierarchical, "direct within hosts, rings between them"},
  }};
  return kRows;
}

}  // namespace lockstep::comm
