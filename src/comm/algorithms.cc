#include "comm/collective.h"

namespace lockstep::comm {

namespace {

constexpr AlgorithmRow kAlgorithms[] = {
    {.name = "ring",
     .make = ring,
     .summary = "neighbours only: bandwidth of every link, 2(n-1) rounds"},
    {.name = "halving_doubling",
     .make = halving_doubling,
     .summary = "bandwidth of every link, 2 log2(n) rounds"},
    {.name = "tree", .make = tree, .summary = "whole ranges up a binomial tree to rank 0 and back"},
    {.name = "direct",
     .make = direct,
     .summary = "everybody to the owner of each share and back, in one round each"},
    {.name = "owner",
     .make = owner,
     .one_owner = true,
     .summary = "everything to rank 0 and back, as with a single parameter server"},
    {.name = "hierarchical",
     .make = hierarchical,
     .by_host = true,
     .summary = "direct within hosts, rings between them"},
};

}  // namespace

std::span<const AlgorithmRow> algorithms() {
  return kAlgorithms;
}

}  // namespace lockstep::comm
