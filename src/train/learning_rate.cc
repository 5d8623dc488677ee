#include "train/learning_rate.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"

namespace lockstep::train {
namespace {

// Only the ResNets' rates for ImageNet are given for a batch size.
bool follows_batch(const model::OwnLearningRate& own) {
  return own.base_batch != 0;
}

[[noreturn]] void refuse(std::string_view text, const std::string& reason) {
  throw Error(ExitCode::usage, fmt::format("the learning-rate schedule '{}' {}", text, reason),
              "write rates and the epochs where they change in turn: 0.1;30;0.01;60;0.001");
}

// A number that a rate or an epoch can be.
double parse_number(std::string_view schedule, std::string_view number) {
  const std::optional<double> value = parse_double(trim(number));
  if (!value || !std::isfinite(*value) || *value < 0) {
    refuse(schedule, fmt::format("has '{}' where a number of at least 0 belongs", number));
  }
  return *value;
}

}  // namespace

std::vector<EpochPiece> parse_piecewise(std::string_view text) {
  const std::vector<std::string> parts = split(text, ';');
  if (parts.size() % 2 == 0) refuse(text, "ends in an epoch without a rate");
  std::vector<EpochPiece> pieces = {{0, parse_number(text, parts[0])}};
  for (std::size_t i = 1; i < parts.size(); i += 2) {
    const double epoch = parse_number(text, parts[i]);
    if (epoch <= pieces.back().from_epoch) {
      refuse(text, fmt::format("has epoch {} behind epoch {}", epoch, pieces.back().from_epoch));
    }
    pieces.push_back({epoch, parse_number(text, parts[i + 1])});
  }
  return pieces;
}

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
    for (const EpochPiece& piece : parse_piecewise(asked.piecewise)) {
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
