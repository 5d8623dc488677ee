#include "mpi/pace.h"

#include <algorithm>

namespace lockstep::mpi {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kShortest = microseconds(20);
constexpr Seconds kLongest = milliseconds(1);
// Nothing is awaited, but MPI may still hold something back that others wait for.
constexpr Seconds kLongestWhenIdle = milliseconds(100);

// Of the time without news so far, and of what everything in flight is expected to take. Messages
// need answers under way, so that the second has to be smaller.
constexpr double kPartOfSilence = 1.0 / 8;
constexpr double kPartOfFlight = 1.0 / 32;

// Bytes. Between two looks no more moves than the buffers of sockets hold, however much is in
// flight: so much of a fast line.
constexpr double kMostInALook = 512 * 1024;

constexpr double kMemory = 0.75;
// A peer that computes is no slow line. What takes longer makes the longest sleep anyhow.
constexpr Seconds kLongestTransfer = kLongest / kPartOfSilence;

}  // namespace

void Pace::finish(std::size_t bytes, Time now) {
  in_flight_ -= static_cast<double>(bytes);
  bytes_ = kMemory * bytes_ + static_cast<double>(bytes);
  seconds_ = kMemory * seconds_ + std::min<Seconds>(now - news_, kLongestTransfer).count();
  news_ = now;
}

microseconds Pace::sleep(Time now) const {
  const Seconds silence = now - news_;
  const double moving = std::min(in_flight_, kMostInALook / kPartOfFlight);
  const Seconds flight(bytes_ > 0 ? moving * seconds_ / bytes_ : 0);
  const Seconds longest = in_flight_ > 0 ? kLongest : kLongestWhenIdle;
  return std::chrono::duration_cast<microseconds>(
      std::clamp(std::max(silence * kPartOfSilence, flight * kPartOfFlight), kShortest, longest));
}

}  // namespace lockstep::mpi
