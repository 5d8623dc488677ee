#include "spec/slurm.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace lockstep::spec {
namespace {

// More than any cluster has: a mistyped range must not fill the memory.
constexpr std::size_t kMaxHosts = 1 << 16;

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view reason) {
  throw Error(ExitCode::usage, fmt::format("{} '{}': {}", what, text, reason),
              "scontrol show hostnames shows what Slurm makes of it");
}

// Digits and nothing else, so few that the number fits.
std::optional<std::int64_t> parse_digits(std::string_view text) {
  const bool digits = !text.empty() && text.size() <= 9 &&
                      std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return digits ? parse_int(text) : std::nullopt;
}

class Hostlist {
 public:
  explicit Hostlist(std::string_view text) : text_(text) {}

  std::vector<std::string> expand() {
    std::vector<std::string> hosts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      const char c = i < text_.size() ? text_[i] : ',';
      if (c == '[' && ++depth > 1) wrong("brackets within brackets");
      if (c == ']' && --depth < 0) wrong("a bracket is closed that was not opened");
      if (i == text_.size() && depth > 0) wrong("a bracket is not closed");
      if (c != ',' || depth > 0) continue;
      const std::vector<std::string> more = expand_name(text_.substr(begin, i - begin));
      if (hosts.size() + more.size() > kMaxHosts) wrong("too many hosts");
      hosts.insert(hosts.end(), more.begin(), more.end());
      begin = i + 1;
    }
    return hosts;
  }

 private:
  [[noreturn]] void wrong(std::string_view reason) const { refuse("host list", text_, reason); }

  // "rack[1-2]node[01-04]": the first bracket changes slowest.
  std::vector<std::string> expand_name(std::string_view name) const {
    if (name.empty()) wrong("a name is missing");
    const std::size_t open = name.find('[');
    if (open == std::string_view::npos) return {std::string(name)};
    const std::size_t close = name.find(']', open);
    const std::vector<std::string> numbers =
        expand_numbers(name.substr(open + 1, close - open - 1));
    const std::string_view rest = name.substr(close + 1);
    const std::vector<std::string> ends =
        rest.empty() ? std::vector<std::string>{""} : expand_name(rest);
    if (numbers.size() * ends.size() > kMaxHosts) wrong("too many hosts");
    std::vector<std::string> hosts;
    for (const std::string& number : numbers) {
      for (const std::string& end : ends) {
        hosts.push_back(fmt::format("{}{}{}", name.substr(0, open), number, end));
      }
    }
    return hosts;
  }

  // "10,20,025-037"
  std::vector<std::string> expand_numbers(std::string_view ranges) const {
    std::vector<std::string> numbers;
    for (const std::string& range : split(ranges, ',')) {
      const std::size_t dash = range.find('-');
      const std::string low = range.substr(0, dash);
      const std::string high = dash == std::string::npos ? low : range.substr(dash + 1);
      const auto first = parse_digits(low);
      const auto last = parse_digits(high);
      if (!first || !last || *first > *last) {
        wrong(fmt::format("'{}' is no number and no range of numbers", range));
      }
      if (static_cast<std::size_t>(*last - *first) >= kMaxHosts - numbers.size()) {
        wrong("too many hosts");
      }
      for (auto n = *first; n <= *last; ++n) {
        numbers.push_back(fmt::format("{:0{}}", n, low.size()));
      }
    }
    return numbers;
  }

  std::string_view text_;
};

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view text) {
  return Hostlist(text).expand();
}

std::vector<int> expand_task_counts(std::string_view text) {
  std::vector<int> counts;
  for (const std::string& entry : split(text, ',')) {
    const std::size_t open = entry.find("(x");
    const bool repeated = open != std::string::npos && entry.ends_with(')');
    const auto tasks = parse_digits(entry.substr(0, repeated ? open : std::string::npos));
    const auto hosts = repeated ? parse_digits(entry.substr(open + 2, entry.size() - open - 3)) : 1;
    if (!tasks || !hosts) {
      refuse("task counts", text, fmt::format("'{}' is no count such as 2 or 2(x3)", entry));
    }
    if (counts.size() + static_cast<std::size_t>(*hosts) > kMaxHosts) {
      refuse("task counts", text, "too many hosts");
    }
    counts.insert(counts.end(), static_cast<std::size_t>(*hosts), static_cast<int>(*tasks));
  }
  return counts;
}

}  // namespace lockstep::spec
