#include "tests/equivalence/post.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

namespace lockstep::equivalence {

void run_serially(const std::vector<comm::Schedule>& schedules,
                  const std::vector<std::span<float>>& arrays, const OnTheWay& on_the_way) {
  std::map<std::pair<int, int>, std::deque<std::vector<float>>> post;  // from, to
  std::vector<std::size_t> next(schedules.size());
  for (bool any = true; any;) {
    any = false;
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      const int me = static_cast<int>(rank);
      for (; next[rank] < schedules[rank].size(); ++next[rank], any = true) {
        const comm::Move& move = schedules[rank][next[rank]];
        const std::span<float> mine = arrays[rank].subspan(move.range.begin, move.range.size());
        if (move.act == comm::Act::send) {
          auto& letter = post[{me, move.peer}].emplace_back(mine.begin(), mine.end());
          if (on_the_way) on_the_way(me, move.peer, letter);
          continue;
        }
        auto& letters = post[{move.peer, me}];
        if (letters.empty()) break;
        for (std::size_t i = 0; i < mine.size(); ++i) {
          mine[i] = move.act == comm::Act::recv ? letters.front()[i] : mine[i] + letters.front()[i];
        }
        letters.pop_front();
      }
    }
  }
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    ASSERT_EQ(next[rank], schedules[rank].size()) << "rank " << rank << " is stuck";
  }
}

}  // namespace lockstep::equivalence
