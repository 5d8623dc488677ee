#include "comm/collective.h"

namespace lockstep::comm {

Traffic traffic(const Schedule& schedule) {
  Traffic traffic;
  for (const Move& move : schedule) {
    (move.act == Act::send ? traffic.sent : traffic.received) += move.range.size();
  }
  return traffic;
}

Schedule between_hosts(const Topology& topology, int rank, const Schedule& schedule) {
  Schedule moves;
  for (const Move& move : schedule) {
    if (!topology.same_host(rank, move.peer)) moves.push_back(move);
  }
  return moves;
}

}  // namespace lockstep::comm
