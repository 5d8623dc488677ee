#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "comm/executor.h"

namespace lockstep::comm {

// For tests: small integers, so that sums are exact in any order and survive 16 bits.
inline float contribution(int rank, int step, std::size_t element) {
  return static_cast<float>((rank + 1) * (1 + static_cast<int>(element % 5)) + step % 3);
}
inline float sum_of_contributions(int contributors, int step, std::size_t element) {
  float sum = 0;
  for (int rank = 0; rank < contributors; ++rank) sum += contribution(rank, step, element);
  return sum;
}

// For tests: a rank whose new parameters are the sums that it is given, and whose figure is the
// number of elements. Whatever may be overwritten, it overwrites at once: who reads it all the same
// gets no number.
class SummingRank : public Keeper {
 public:
  using ExchangeOf = std::function<Exchange(Range chunk, int rank)>;

  // Collective. Chunks are apart.
  SummingRank(Transport& transport, std::vector<Range> chunks, const ExchangeOf& exchange_of,
              bool spin = false, Encoding encoding = Encoding::fp32)
      : rank_(transport.rank()), chunks_(std::move(chunks)) {
    std::size_t floats = 0;
    for (const Range& chunk : chunks_) floats = std::max(floats, chunk.end);
    contributes_ = exchange_of(chunks_.front(), rank_).contributes;
    std::vector<Program> programs =
        compile_chunks(transport.topology(), rank_, chunks_.size(),
                       [&](std::size_t i, int rank) { return exchange_of(chunks_[i], rank); });
    for (Program& program : programs) program.encoding = encoding;
    std::vector<Window> windows = share_windows(transport, chunks_.size(), floats);
    mine_ = windows[static_cast<std::size_t>(rank_)];
    executor_.emplace(transport, std::move(programs), std::move(windows), *this, spin);
  }

  // The parts of a step, and all of it.
  void begin() {
    executor_->begin();
    executor_->settle();
    std::ranges::fill(mine_.gradients, kPoison);
    std::ranges::fill(mine_.parameters, kPoison);
    elements_ = 0;
  }
  void produce(int chunk) {
    if (contributes_) {
      const Range range = chunks_[static_cast<std::size_t>(chunk)];
      for (std::size_t i = range.begin; i < range.end; ++i) {
        mine_.gradients[i] = contribution(rank_, step_, i);
      }
    }
    executor_->produced(chunk);
    executor_->progress();
  }
  void produce_all() {
    for (int chunk = 0; chunk < static_cast<int>(chunks_.size()); ++chunk) produce(chunk);
  }
  void finish() {
    executor_->finish();
    ++step_;
  }
  void step() {
    begin();
    produce_all();
    finish();
  }

  // Behind a step: whether all parameters are the sums over the first `contributors` ranks.
  void expect_sums(int contributors) const {
    expect_parameters(
        [&](std::size_t i) { return sum_of_contributions(contributors, step_ - 1, i); });
  }
  // Or follow the rank's own gradients.
  void expect_own() const {
    expect_parameters([&](std::size_t i) { return contribution(rank_, step_ - 1, i); });
  }

  double update(Range range, const float* sums) override {
    std::copy_n(sums, range.size(), &mine_.parameters[range.begin]);
    elements_ += range.size();
    return static_cast<double>(range.size());
  }
  double received(Range range, const float* /*values*/) override {
    elements_ += range.size();
    return static_cast<double>(range.size());
  }

  const Executor& executor() const { return *executor_; }
  Executor& executor() { return *executor_; }
  const Window& window_of_mine() const { return mine_; }
  std::size_t elements() const { return elements_; }  // that this step has updated so far
  std::size_t all_elements() const {
    std::size_t sum = 0;
    for (const Range& chunk : chunks_) sum += chunk.size();
    return sum;
  }

 private:
  template <typename Value>
  void expect_parameters(const Value& value) const {
    for (const Range& range : chunks_) {
      for (std::size_t i = range.begin; i < range.end; ++i) {
        ASSERT_EQ(mine_.parameters[i], value(i))
            << "element " << i << " on rank " << rank_ << " in step " << step_ - 1;
      }
    }
  }

  static constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

  const int rank_;
  const std::vector<Range> chunks_;
  bool contributes_ = true;
  Window mine_;
  int step_ = 0;
  std::atomic<std::size_t> elements_ = 0;
  std::optional<Executor> executor_;  // first to go: the wire may still call the keeper
};

}  // namespace lockstep::comm
