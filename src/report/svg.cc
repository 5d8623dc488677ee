#include "report/svg.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "report/characters.h"

namespace lockstep::report {
namespace {

std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

// The length of the character at the begin of `text` that XML allows; 0: there is none.
std::size_t character(std::string_view text) {
  const auto first = first_character(text);
  if (!first) return 0;
  const std::uint32_t code = first->code;
  const bool control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
  return control || code == 0x7f || code == 0xfffe || code == 0xffff ? 0 : first->bytes;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length == 0) {
      out += kReplacement;
    } else if (text[0] == '<') {
      out += "&lt;";
    } else if (text[0] == '>') {
      out += "&gt;";
    } else if (text[0] == '&') {
      out += "&amp;";
    } else if (text[0] == '"') {
      out += "&quot;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

const std::string_view kSvgStyle =
    "@media screen and (prefers-color-scheme:dark){.ink{fill:#e8e8e8}.paper{fill:#15181d}"
    ".soft{fill:#b4b9c2}.grid{stroke:#343a44}.axis{stroke:#b4b9c2}.faint{stroke:#8a919c}"
    ".hollow{fill:#15181d;stroke:#b4b9c2}.limit{stroke:#b4b9c2}}";

void Svg::line(XY from, XY to, std::string_view attributes) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", number(from.x),
                       number(from.y), number(to.x), number(to.y), attributes);
}

void Svg::polyline(std::span<const XY> points, std::string_view attributes) {
  std::string list;
  for (const XY& point : points) {
    list += fmt::format("{}{},{}", list.empty() ? "" : " ", number(point.x), number(point.y));
  }
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", list, attributes);
}

void Svg::text(XY at, std::string_view text, std::string_view attributes) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", number(at.x), number(at.y),
                       attributes, xml_escaped(text));
}

void Svg::path(std::string_view data, std::string_view attributes, std::string_view title) {
  body_ += fmt::format("<path d=\"{}\" {}>", data, attributes);
  if (!title.empty()) body_ += fmt::format("<title>{}</title>", xml_escaped(title));
  body_ += "</path>\n";
}

void Svg::rect(XY corner, XY size, std::string_view attributes, std::string_view title) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}>", number(corner.x),
                       number(corner.y), number(size.x), number(size.y), attributes);
  if (!title.empty()) body_ += fmt::format("<title>{}</title>", xml_escaped(title));
  body_ += "</rect>\n";
}

void Svg::begin_group(std::string_view attributes) {
  body_ += fmt::format("<g {}>\n", attributes);
}

void Svg::end_group() {
  body_ += "</g>\n";
}

void Svg::begin_window(XY corner, XY size, std::string_view attributes) {
  body_ += fmt::format(
      "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" "
      "preserveAspectRatio=\"none\" {}>\n",
      number(corner.x), number(corner.y), number(size.x), number(size.y), number(size.x),
      number(size.y), attributes);
}

void Svg::end_window() {
  body_ += "</svg>\n";
}

void Svg::insert(XY at, const Svg& other) {
  begin_group(fmt::format("transform=\"translate({} {})\"", number(at.x), number(at.y)));
  body_ += other.body_;
  end_group();
}

std::string Svg::document(XY size, std::string_view label) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" role=\"img\" aria-label=\"{2}\" class=\"ink\" fill=\"#222222\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\">\n"
      "<style>{3}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" class=\"paper\" fill=\"#ffffff\"/>\n{4}</svg>\n",
      number(size.x), number(size.y), xml_escaped(label), kSvgStyle, body_);
}

std::string_view series_colour(std::size_t series) {
  // Okabe and Ito's colours, which people of all kinds of sight tell apart.
  constexpr std::array<std::string_view, 6> kColours = {"#0072b2", "#d55e00", "#009e73",
                                                        "#cc79a7", "#e69f00", "#56b4e9"};
  return kColours[series % kColours.size()];
}

std::string marker_path(XY at, std::size_t series) {
  const double r = 4.5;
  const auto [x, y] = at;
  switch (series % 4) {
    case 0:
      return fmt::format("M{:.2f} {:.2f}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z", x - r, y,
                         fmt::arg("r", r), fmt::arg("d", 2 * r));
    case 1:
      return fmt::format("M{:.2f} {:.2f}h{d}v{d}h-{d}z", x - 4, y - 4, fmt::arg("d", 8));
    case 2:
      return fmt::format("M{:.2f} {:.2f}l5 9h-10z", x, y - 5.5);
    default:
      return fmt::format("M{:.2f} {:.2f}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", x, y - 5.5);
  }
}

std::vector<double> linear_ticks(double high, int most) {
  const double rough = high / (most - 1);
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double factor : {5, 2, 1}) {
    if (factor * decade >= rough) step = factor * decade;
  }
  std::vector<double> ticks;
  for (int i = 0; i * step <= high; ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high, int most) {
  // From the finest to the coarsest: the first that is not too many.
  const std::vector<double> fineness[] = {
      {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.4, 2.6, 2.8,
       3, 3.5, 4,   4.5, 5,   5.5, 6,   6.5, 7,   7.5, 8, 8.5, 9,   9.5},
      {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9},
      {1, 1.5, 2, 3, 4, 5, 6, 8},
      {1, 2, 3, 5},
      {1, 2, 5},
      {1},
  };
  std::vector<double> ticks;
  for (const std::vector<double>& steps : fineness) {
    ticks.clear();
    for (int decade = static_cast<int>(std::floor(std::log10(low))); std::pow(10, decade) <= high;
         ++decade) {
      for (const double step : steps) {
        const double tick = step * std::pow(10, decade);
        if (tick >= low && tick <= high) ticks.push_back(tick);
      }
    }
    if (ticks.size() <= static_cast<std::size_t>(most)) return ticks;
  }
  return ticks;
}

std::vector<double> minor_ticks(double low, double high) {
  std::vector<double> ticks;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (int step = 1; step <= 9; ++step) {
      if (step * decade >= low && step * decade <= high) ticks.push_back(step * decade);
    }
  }
  return ticks;
}

std::string log_scale(std::string_view label) {
  return fmt::format("{} (log scale)", label);
}

}  // namespace lockstep::report
