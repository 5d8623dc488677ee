#include "strategy/all_reduce_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/unknown_name.h"

namespace lockstep::strategy {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
constexpr int kMostShards = 1024;
constexpr std::string_view kUnits = "kMGT";  // powers of 1024

constexpr std::string_view kSharedMemory =
    "{} is taken as hierarchical: ranks of a host sum up through shared memory, hosts in a ring";

struct Name {
  std::string_view spelling;
  std::string_view algorithm;  // empty: it needs a GPU
  std::string_view note = {};  // with a place for the spelling
};
constexpr Name kForeignNames[] = {
    {"xring", "ring"},
    {"rechd", "halving_doubling"},
    {"pscpu", "owner"},
    {"collective", "auto"},
    {"direct/ring", "hierarchical"},
    {"nccl/xring", "hierarchical", kSharedMemory},
    {"nccl/rechd", "hierarchical", kSharedMemory},
    {"nccl/pscpu", "hierarchical", kSharedMemory},
    {"pscpu/pscpu", "hierarchical", kSharedMemory},
    {"nccl", "hierarchical", kSharedMemory},
    {"psgpu", ""},
};

std::vector<Name> known_names() {
  std::vector<Name> names;
  for (const comm::AlgorithmRow& row : comm::algorithms()) names.push_back({row.name, row.name});
  names.push_back({"vendor", "vendor"});
  names.push_back({"auto", "auto"});
  names.insert(names.end(), std::begin(kForeignNames), std::end(kForeignNames));
  return names;
}

std::vector<std::string> usable_names() {
  std::vector<std::string> usable;
  for (const Name& name : known_names()) {
    if (!name.algorithm.empty()) usable.emplace_back(name.spelling);
  }
  return usable;
}

// Reads from left to right, so that an error knows its place.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  AllReduceSpec parse() {
    AllReduceSpec spec;
    for (std::size_t smallest = 0;;) {
      AllReduceChoice choice = algorithm(spec.notes);
      if (done()) {
        choice.largest = kUnlimited;
        spec.choices.push_back(std::move(choice));
        return spec;
      }
      ++at_;  // the colon
      choice.largest = limit(smallest);
      smallest = choice.largest;
      spec.choices.push_back(std::move(choice));
      if (done()) fail(at_, "what takes larger tensors is missing");
      ++at_;
    }
  }

 private:
  bool done() const { return at_ == text_.size(); }

  std::string_view until(std::string_view separators) {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(separators, at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  AllReduceChoice algorithm(std::vector<std::string>& notes) {
    const std::size_t begin = at_;
    const std::string_view spelling = until("#:");
    const std::vector<Name> names = known_names();
    const auto name = std::ranges::find(names, spelling, &Name::spelling);
    if (name == names.end()) {
      if (spelling.empty()) fail(begin, "an algorithm is missing");
      const std::string near = did_you_mean(spelling, usable_names());
      fail(begin, fmt::format("unknown algorithm {}{}", spelling, near.empty() ? "" : ": " + near));
    }
    if (name->algorithm.empty()) fail(begin, fmt::format("{} needs GPUs", spelling));
    if (!name->note.empty()) {
      const std::string note = fmt::format(fmt::runtime(name->note), spelling);
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
    }
    AllReduceChoice choice;
    choice.algorithm = name->algorithm;
    if (!done() && text_[at_] == '#') choice.shards = shards();
    return choice;
  }

  int shards() {
    const std::size_t begin = ++at_;
    const std::string_view digits = until(":");
    const std::optional<std::int64_t> count = parse_int(digits);
    if (!count || *count < 1 || *count > kMostShards) {
      fail(begin, fmt::format("'{}' is not a number of shards from 1 to {}", digits, kMostShards));
    }
    return static_cast<int>(*count);
  }

  std::size_t limit(std::size_t above) {
    const std::size_t begin = at_;
    const std::string_view text = until(":");
    std::string_view digits = text;
    int shift = 0;
    if (!text.empty()) {
      const char unit = text.back() == 'K' ? 'k' : text.back();
      if (const std::size_t power = kUnits.find(unit); power != std::string_view::npos) {
        digits.remove_suffix(1);
        shift = 10 * static_cast<int>(power + 1);
      }
    }
    const std::optional<std::int64_t> number = parse_int(digits);
    if (!number || *number < 1 || *number > (std::numeric_limits<std::int64_t>::max() >> shift)) {
      fail(begin, fmt::format("'{}' is not a number of elements such as 64k or 2M", text));
    }
    const std::size_t elements = static_cast<std::size_t>(*number) << shift;
    if (elements <= above) {
      fail(begin, fmt::format("the limit {} is not above the one before it", text));
    }
    return elements;
  }

  [[noreturn]] void fail(std::size_t place, const std::string& what) const {
    throw Error(ExitCode::usage,
                fmt::format("all_reduce_spec '{}', character {}: {}", text_, place + 1, what),
                fmt::format("the form is algorithm[#shards] or algorithm:limit:algorithm...; "
                            "known algorithms: {}",
                            join(usable_names(), ", ")));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const AllReduceChoice& AllReduceSpec::for_size(std::size_t elements) const {
  return *std::ranges::find_if(
      choices, [&](const AllReduceChoice& choice) { return elements <= choice.largest; });
}

AllReduceSpec parse_all_reduce_spec(std::string_view text) {
  return Parser(text).parse();
}

std::string print(const AllReduceSpec& spec) {
  std::string text;
  for (const AllReduceChoice& choice : spec.choices) {
    text += choice.algorithm;
    if (choice.shards > 1) text += fmt::format("#{}", choice.shards);
    if (choice.largest != kUnlimited) text += fmt::format(":{}:", choice.largest);
  }
  return text;
}

std::string_view choose(std::size_t elements, const comm::Topology& topology) {
  const int hosts = 1 + std::ranges::max(topology.host_of);
  if (hosts == 1) return "direct";
  if (hosts < topology.world()) return "hierarchical";
  if (elements < kTreeBelowElements) return "tree";
  const bool even = std::has_single_bit(topology.host_of.size());
  return even && elements < kRingFromElements ? "halving_doubling" : "ring";
}

}  // namespace lockstep::strategy
