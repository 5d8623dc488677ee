#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::report {

// Text as XML carries it: markup is escaped, and what XML cannot say becomes U+FFFD.
std::string xml_escaped(std::string_view text);

struct XY {
  double x = 0, y = 0;
};

// Attributes of what is not data. On a screen that is dark their colours turn: see kSvgStyle.
inline constexpr std::string_view kGridLine = "class=\"grid\" stroke=\"#e4e4e4\"";
inline constexpr std::string_view kAxisLine = "class=\"axis\" fill=\"none\" stroke=\"#222222\"";
inline constexpr std::string_view kSoftText = "class=\"soft\" fill=\"#555555\"";
inline constexpr std::string_view kSoftLine = "class=\"faint\" stroke=\"#888888\"";
extern const std::string_view kSvgStyle;

// Elements of a drawing, one after the other. Attributes are written as given, text is escaped.
class Svg {
 public:
  void line(XY from, XY to, std::string_view attributes);
  void polyline(std::span<const XY> points, std::string_view attributes);
  void text(XY at, std::string_view text, std::string_view attributes);
  void path(std::string_view data, std::string_view attributes, std::string_view title = {});
  void rect(XY corner, XY size, std::string_view attributes, std::string_view title = {});
  // Elements up to the next `end_group` belong together.
  void begin_group(std::string_view attributes);
  void end_group();
  // A window onto what is drawn up to the next `end_window`, with the origin in its corner: nothing
  // is seen outside of it.
  void begin_window(XY corner, XY size, std::string_view attributes);
  void end_window();
  // All of another drawing, moved there.
  void insert(XY at, const Svg& other);

  // The whole document. The label is read aloud in its place.
  std::string document(XY size, std::string_view label) const;

 private:
  std::string body_;
};

// The colour of a series and the outline of its markers at `at`; what is left when a drawing is
// printed without colours is the shape.
std::string_view series_colour(std::size_t series);
std::string marker_path(XY at, std::size_t series);

// Round numbers from 0 to `high`, evenly spaced, at most `most` of them.
std::vector<double> linear_ticks(double high, int most);

// Positions of ticks in [low, high] on a logarithmic axis: round numbers, at most `most` of them,
// as many as that allows.
std::vector<double> logarithmic_ticks(double low, double high, int most);

// 1, 2, ... 9 times each power of ten in [low, high]: by their spacing a logarithmic axis is known.
std::vector<double> minor_ticks(double low, double high);

// The label of a logarithmic axis.
std::string log_scale(std::string_view label);

}  // namespace lockstep::report
