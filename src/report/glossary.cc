#include "report/glossary.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep::report {
namespace {

constexpr Term kTerms[] = {
    {"images/s",
     "Throughput: images of all devices over the wall time of the kept steps; of several launches "
     "the geometric mean."},
    {"95 % interval",
     "Student's t over the launches of a point, on the logarithms of speeds and of ratios: what "
     "differs from start to start is in it. One launch has none."},
    {"speed-up",
     "Speed over that of the baseline, the same configuration with the smallest number of devices; "
     "strategies that do the same work on one device share the first of them. Its interval is that "
     "of launches of the same round divided by each other, so that a drift of the machine "
     "cancels."},
    {"efficiency",
     "Speed-up times the devices of the baseline over the devices. With weak scaling that is "
     "images/s(N) / (N images/s(1)), with strong scaling t(1) / (N t(N)) for the same global "
     "batch. 100 % is ideal."},
    {"of independent",
     "Speed over that of as many devices that exchange nothing: what is left of the speed without "
     "any exchange."},
    {"weak and strong scaling",
     "When devices are added, weak scaling keeps the batch of each device, strong scaling that of "
     "all."},
    {"step",
     "One synchronous iteration: input, forward, backward, exchange, update. It lasts until the "
     "next one begins, so that steps add up to the wall time."},
    {"share of the step",
     "Mean time of a part over the mean step, over all ranks of a launch; the mean over launches "
     "and its interval by Student's t."},
    {"contention",
     "(t(independent) - t(baseline)) / t: the share of the step by which as many devices side by "
     "side are slower than the baseline even if they exchange nothing, because they share memory "
     "and caches (and with strong scaling have fewer images at once). t is the time that a device "
     "needs for an image. Most of it lies within forward and backward; it may be negative by "
     "chance."},
    {"exposed exchange",
     "The share of the step in which a rank's own threads move or add what others have, without "
     "waiting: what is not hidden behind computation."},
    {"waiting",
     "The share of the step in which a rank has nothing to do but wait for others: the slowest "
     "one, or the network."},
    {"input", "The share of the step in which a rank waits for its images."},
    {"I/O overhead",
     "1 - speed / speed with synthetic images of the same configuration, launches of the same "
     "round divided by each other. Of cached images it is the cost of preprocessing, of real ones "
     "that of reading as well; it may be negative by chance."},
    {"update",
     "The share of the step that updates the weights where nothing is added: one rank alone, or no "
     "exchange. Otherwise the update follows the addition at once and is part of the exchange."},
    {"other", "What no part of the step claims."},
    {"warm-up",
     "Steps before the measurement, until three in a row agree within 3 %; and timed steps behind "
     "them that still do not belong with the rest, which are left out with a warning."},
    {"stable",
     "Half the width of a launch's own interval and the drift of its step time are both at most 5 "
     "% of the mean."},
    {"GFLOP/s",
     "10^9 operations per second: 2 per multiply-add of the model, three times those of the "
     "forward pass when training, whatever algorithm computes them."},
    {"share of peak",
     "GFLOP/s over the rate of fused multiply-adds in registers, measured in the same run on the "
     "same cores."},
    {"energy of an image",
     "What the processor packages of all hosts took during the timed steps (RAPL; memory, disks "
     "and "
     "GPUs are not in it), over the images of these steps; in joules."},
    {"cost of a million images",
     "In the currency of --price_per_hour, the price of a host: so many hosts for as long as a "
     "million images take."},
    {"told apart",
     "The 95 % interval of the ratio of two speeds, launches of the same round divided by each "
     "other, lies all on one side of 1. What is not told apart may be equally fast; more launches "
     "(--repeats) tell more."},
    {"best",
     "Told apart from all other configurations of one network, batch, scaling and number of "
     "devices, and faster; independent devices, which do not train one network, are not among "
     "them. The fastest that is not told apart from another is no winner."},
};

}  // namespace

std::span<const Term> glossary() {
  return kTerms;
}

std::string anchor(std::string_view name) {
  LOCKSTEP_CHECK(std::ranges::count(kTerms, name, &Term::name) == 1);
  std::string text = "def-";
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    text += plain ? c : '-';
  }
  return text;
}

}  // namespace lockstep::report
