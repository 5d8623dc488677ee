#include "report/advice.h"
#include "result/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace lockstep::report {
namespace {

using stats::Part;

struct Facts {
  const RowView& row;
  const Series& series;
  const stats::Losses& losses;

  int devices() const { return row.point().devices; }
};

// Each rule speaks of one thing; empty: it has nothing to say.
using Rule = std::string(const Facts& facts);

bool known_well(const Facts& facts) {
  const auto precision = facts.row.summary().speed->precision();
  return precision && *precision <= kMatters;
}

std::string measure_better(const Facts& facts) {
  if (known_well(facts)) return {};
  return "The speed is not known well enough to decide anything from it: end what else runs "
         "(`lockstep doctor` looks for it), and measure more often (`--repeats`, "
         "`--target_precision=0.02`).";
}

std::string find_the_slowest(const Facts&) {
  return "Ranks wait for the slowest one: \"Waiting for others\" shows which it is. `lockstep "
         "doctor` looks for what disturbs it, and compares hosts.";
}

std::string exchange_less(const Facts& facts) {
  std::string text =
      "Gradients are exchanged while nobody computes: a larger batch for each device exchanges "
      "less often, and other ways to exchange (`--strategies`) or other buckets "
      "(`--fusion_threshold_mb`) may hide more of it.";
  const stats::Launch* launch = stats::first_launch(facts.row.record());
  if (launch != nullptr && launch->hosts > 1) {
    text += " Between hosts, `--wire_precision=bf16` sends half as much.";
  }
  return text;
}

std::string share_less(const Facts& facts) {
  if (facts.row.row().scaling == spec::Scaling::strong) {
    return "Devices are slower than one alone even without any exchange: each has fewer images at "
           "once, and they share memory and caches. A larger batch in all helps against the one, "
           "fewer devices with more threads each (`--threads_per_device`) against the other.";
  }
  return "Devices side by side are slower than one alone even without any exchange: they share "
         "memory and caches. Fewer devices with more threads each (`--threads_per_device`) share "
         "less.";
}

std::string feed_faster(const Facts&) {
  return "Steps wait for images. `--inputs=synthetic,cached,real` tells preprocessing from "
         "reading: to the one, fewer threads of each device (`--threads_per_device`) leave cores; "
         "against the other, `--datasets_use_caching` keeps files in memory.";
}

std::string update_less(const Facts&) {
  return "Updating the weights takes time at every step: a larger batch for each device does it "
         "less often, and `--optimizer=sgd` shows what a simpler rule would give.";
}

std::string measure_the_ceiling(const Facts& facts) {
  const bool alone = facts.row.row().baseline == facts.row.row().point;
  if (facts.losses.contention || facts.devices() == 1 || alone) return {};
  return "What devices lose by sharing memory is not known here: `--ceiling` measures them without "
         "exchange, beside a smallest number of devices.";
}

std::string add_devices(const Facts& facts) {
  const auto counts = [&] {
    std::vector<int> all;
    for (const Curve& curve : facts.series.curves) {
      for (const RowView& row : curve.rows) all.push_back(row.point().devices);
    }
    return all;
  }();
  if (std::ranges::min(counts) == std::ranges::max(counts)) {
    return "Only one number of devices was measured: `--devices=1:8` shows how it scales.";
  }
  const auto& efficiency = facts.row.summary().efficiency;
  if (!efficiency || efficiency->value < 1 - kMatters || !known_well(facts)) return {};
  return "It scales well: more devices are worth a measurement.";
}

// What to do against a loss that matters.
Rule* remedy(const Loss& loss) {
  static const std::map<std::string_view, Rule*> remedies = {{"share_waiting", find_the_slowest},
                                                             {"share_exchange", exchange_less},
                                                             {"share_contention", share_less},
                                                             {"share_input", feed_faster},
                                                             {"share_update", update_less}};
  return remedies.at(loss.column);
}

}  // namespace

std::vector<std::string> advice(const RowView& row, const Series& series) {
  std::vector<std::string> sentences;
  if (row.summary().losses) {
    const Facts facts{row, series, *row.summary().losses};
    std::vector<Rule*> rules = {measure_better};
    for (const Loss& loss : losses_of(row)) {  // the largest first
      if (loss.matters()) rules.push_back(remedy(loss));
    }
    rules.insert(rules.end(), {measure_the_ceiling, add_devices});
    for (Rule* rule : rules) {
      if (std::string sentence = rule(facts); !sentence.empty()) sentences.push_back(sentence);
    }
  }
  if (sentences.empty()) sentences.emplace_back("No rule of this page has anything to suggest.");
  return sentences;
}

bool Loss::large() const {
  return share.value >= kMatters;
}

bool Loss::matters() const {
  return large() && (!share.interval || share.interval->low > 0);
}

std::vector<Loss> losses_of(const RowView& row) {
  std::vector<Loss> all;
  const auto& losses = row.summary().losses;
  if (!losses) return all;
  if (losses->contention) all.push_back({"contention", "share_contention", *losses->contention});
  for (const result::StepPart& part : result::step_parts()) {
    if (part.computes || part.part == Part::other) continue;
    const result::Metric& share = result::share_of(part);
    all.push_back({share.label, share.key, (*losses)[part.part]});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), [](const Loss& loss) {
    return std::pair(loss.matters(), loss.share.value);
  });
  return all;
}

}  // namespace lockstep::report
