#include "spec/numbers.h"

#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace lockstep::spec {

std::vector<double> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  if (text.empty()) return numbers;
  for (const std::string& word : split(text, ',')) {
    const std::optional<double> number = parse_double(trim(word));
    if (!number || !std::isfinite(*number) || *number <= 0) {
      throw Error(ExitCode::usage,
                  fmt::format("'{}' has '{}' where a number above 0 belongs", text, word),
                  "write numbers with commas between them: 10,20,50");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace lockstep::spec
