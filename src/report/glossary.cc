#include "report/glossary.h"

#include <algorithm>

#include "base/check.h"
#include "result/metrics.h"

namespace lockstep::report {
namespace {

// Those that are not metrics.
constexpr Term kWords[] = {
    {"95 % interval",
     "Student's t over the launches of a point, on the logarithms of speeds and of ratios: what "
     "differs from start to start is in it. One launch has none."},
    {"weak and strong scaling",
     "When devices are added, weak scaling keeps the batch of each device, strong scaling that of "
     "all."},
    {"share of the step",
     "Mean time of a part over the mean step, over all ranks of a launch; the mean over launches "
     "and its interval by Student's t."},
    {"other", "What no part of the step claims."},
    {"warm-up",
     "Steps before the measurement, until three in a row agree within 3 %; and timed steps after "
     "them that still do not belong with the rest, which are left out with a warning."},
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

std::vector<Term> glossary() {
  std::vector<Term> terms;
  for (const result::Metric* metric : result::page_metrics()) {
    terms.push_back({metric->label, metric->meaning});
  }
  terms.insert(terms.end(), std::begin(kWords), std::end(kWords));
  return terms;
}

std::string anchor(std::string_view name) {
  LOCKSTEP_CHECK(std::ranges::count(glossary(), name, &Term::name) == 1);
  std::string text = "def-";
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    text += plain ? c : '-';
  }
  return text;
}

}  // namespace lockstep::report
