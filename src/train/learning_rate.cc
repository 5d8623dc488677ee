#include "train/learning_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "spec/piecewise.h"

namespace lockstep::train {
namespace {

// Only the ResNets' rates for ImageNet are given for a batch size.
bool follows_batch(const model::OwnLearningRate& own) {
  return own.base_batch != 0;
}

}  // namespace

LearningRate::LearningRate(const spec::LearningRate& asked, const model::OwnLearningRate& own,
                           std::int64_t global_batch, std::int64_t examples_per_epoch) {
  LOCKSTEP_CHECK(global_batch > 0);
  const auto steps = [&](double epochs) {
    constexpr double kNever = 0x1p62;  // no run gets there; larger ones do not fit
    const double exact =
        epochs * static_cast<double>(examples_per_epoch) / static_cast<double>(global_batch);
    return static_cast<std::int64_t>(std::min(exact, kNever));
  };
  const auto decay = [&](double epochs, double factor) {
    if (epochs <= 0) return;
    decay_steps_ = std::max<std::int64_t>(1, steps(epochs));
    decay_factor_ = factor;
  };

  if (!asked.piecewise.empty()) {
    for (const spec::EpochPiece& piece : spec::parse_piecewise(asked.piecewise)) {
      pieces_.push_back({steps(piece.from_epoch), piece.rate});
    }
    warmup_steps_ = steps(asked.warmup_epochs);
  } else if (asked.initial) {
    pieces_.push_back({0, *asked.initial});
    if (asked.decay_factor > 0) {
      decay(asked.epochs_per_decay, asked.decay_factor);
      minimum_ = asked.minimum;
    }
    warmup_steps_ = steps(asked.warmup_epochs);
  } else {
    double base = double{own.base};
    if (follows_batch(own)) {
      base = asked.resnet_base.value_or(base) * static_cast<double>(global_batch) / own.base_batch;
    }
    pieces_.push_back({0, base});
    LOCKSTEP_CHECK(own.decay_epochs.size() == own.decay_factors.size());
    for (std::size_t i = 0; i < own.decay_epochs.size(); ++i) {
      pieces_.push_back({steps(double{own.decay_epochs[i]}), base * double{own.decay_factors[i]}});
    }
    decay(double{own.step_epochs}, double{own.step_factor});
    warmup_steps_ = steps(double{own.warmup_epochs});
  }
}

double LearningRate::at(std::int64_t step) const {
  if (step < warmup_steps_) {
    return pieces_.front().rate * static_cast<double>(step) / static_cast<double>(warmup_steps_);
  }
  const auto next = std::ranges::upper_bound(pieces_, step, {}, &Piece::from_step);
  double rate = std::prev(next)->rate;
  if (decay_steps_ > 0) {
    const std::int64_t decays = step / decay_steps_;
    rate *= std::pow(decay_factor_, static_cast<double>(decays));
  }
  return std::max(rate, minimum_);
}

std::optional<std::string> unused_rate(const spec::LearningRate& asked,
                                       const model::OwnLearningRate& own) {
  const bool uses_own = !asked.initial && asked.piecewise.empty();
  if (!asked.resnet_base || !uses_own || follows_batch(own)) return std::nullopt;
  return fmt::format("--resnet_base_lr={} has no effect: it acts on the ResNets for imagenet only",
                     *asked.resnet_base);
}

}  // namespace lockstep::train
