#include "train/layout.h"

#include <fmt/format.h>

#include <functional>
#include <stdexcept>

#include "base/text.h"

namespace lockstep::train {

Layout layout_of(const engine::Engine& engine) {
  Layout layout;
  for (const engine::Parameter& p : engine.parameters()) {
    layout.segments.push_back({p.offset, p.size, p.plain.decays});
  }
  layout.floats = engine.parameter_floats();
  // A parameter's order follows from the code that computes its gradient and from the data around.
  std::string orders;
  for (const engine::PlannedStep& step : engine.plan().steps) {
    orders += fmt::format("{} {} {}\n", step.layer, step.implementation, step.layout);
  }
  layout.orders = std::hash<std::string>()(orders);
  return layout;
}

std::string to_text(const Layout& layout) {
  std::string text = fmt::format("{} {}", layout.floats, layout.orders);
  for (const Layout::Segment& segment : layout.segments) {
    text += fmt::format(" {}:{}:{}", segment.offset, segment.size, segment.decays ? 1 : 0);
  }
  return text;
}

Layout layout_from_text(std::string_view text) {
  const std::vector<std::string> words = split(text, ' ');
  const auto require = [](bool fits) {
    if (!fits) throw std::invalid_argument("not a layout");
  };
  require(words.size() >= 2);
  const auto number = [](const std::string& word) {
    return static_cast<std::size_t>(std::stoull(word));
  };
  Layout layout;
  layout.floats = number(words[0]);
  layout.orders = number(words[1]);
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::vector<std::string> fields = split(words[i], ':');
    require(fields.size() == 3);
    layout.segments.push_back({number(fields[0]), number(fields[1]), fields[2] == "1"});
  }
  return layout;
}

}  // namespace lockstep::train
