#include "record/recorder.h"

#include "base/clock.h"

namespace lockstep::record {

Recorder::Recorder(std::size_t capacity) {
  samples_.reserve(capacity);
}

void Recorder::begin() {
  last_ = now();
  if (origin_ < 0) origin_ = last_;
  current_ = Sample{.step = static_cast<std::int64_t>(samples_.size()), .begin = last_ - origin_};
}

void Recorder::end(Phase phase) {
  const double time = now();
  current_.phases[static_cast<std::size_t>(phase)] += time - last_;
  last_ = time;
}

void Recorder::move(Phase from, Phase to, double seconds) {
  current_.phases[static_cast<std::size_t>(from)] -= seconds;
  current_.phases[static_cast<std::size_t>(to)] += seconds;
}

void Recorder::exchanged(double waiting, double wire) {
  current_.waiting += waiting;
  current_.wire += wire;
}

void Recorder::finish(float loss, float base_loss, float top_1, float top_5) {
  current_.end = now() - origin_;
  current_.loss = loss;
  current_.base_loss = base_loss;
  current_.top_1 = top_1;
  current_.top_5 = top_5;
  if (samples_.size() == samples_.capacity()) samples_.reserve(2 * samples_.size() + 1);
  samples_.push_back(current_);
}

}  // namespace lockstep::record
