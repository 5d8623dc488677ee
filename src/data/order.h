#pragma once

#include <cstdint>
#include <optional>

namespace lockstep::data {

// Which record comes at each position of a training run. Positions are counted over all ranks and
// all steps, so as many of them as there are records are an epoch and have each record once,
// however they are spread over ranks and batches; and training can go on from any position, with
// another number of ranks, too.
//
// Shuffling is a function of seed, epoch and place in it (a Feistel network that is walked until it
// ends inside), not a list: it takes no memory, and every rank computes it for itself.
class Order {
 public:
  // Without a seed: the order of the files.
  Order(std::uint64_t records, std::optional<std::uint64_t> seed);

  std::uint64_t record(std::uint64_t position) const;

 private:
  std::uint64_t records_;
  std::optional<std::uint64_t> seed_;
  int half_bits_;  // of numbers just large enough to count the records
};

}  // namespace lockstep::data
