#include "report/watch_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/or_null.h"
#include "base/text.h"
#include "report/assets.h"
#include "report/characters.h"
#include "report/svg.h"
#include "report/watch_text.h"

namespace lockstep::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr XY kSpeeds{600, 120};  // the drawing of the last steps

std::string title_of(const SweepView& view) {
  return fmt::format("{}/{} {}", view.done, view.expected, printable(view.report.id));
}

// Changes when there is something new to draw.
std::string drawn(const SweepView& view) {
  return fmt::format("{}-{}-{}", view.report.rows.size(), view.done, view.failed);
}

std::string state_json(const SweepView& view) {
  constexpr const char* kStates[] = {"waiting", "running", "complete", "stopped"};
  Json texts = Json::object();
  for (const WatchField& field : watch_fields(view)) texts[field.id] = field.text;
  Json running;
  if (view.running) {
    running = {{"point", view.report.plan.points[view.running->point].id},
               {"launch", view.running->round + 1},
               {"steps", view.running->steps},
               {"images_per_s", or_null(current_speed(view))}};
  }
  Json problems = Json::array();
  for (const std::string& problem : view.problems) problems.push_back(printable(problem, 300));
  const Json document = {{"schema", {{"name", "lockstep-watch"}, {"version", 1}}},
                         {"name", printable(view.report.id)},
                         {"title", title_of(view)},
                         {"state", kStates[static_cast<std::size_t>(view.state)]},
                         {"done", view.done},
                         {"expected", view.expected},
                         {"at_least", view.at_least},
                         {"failed", view.failed},
                         {"seconds_left", or_null(view.seconds_left)},
                         {"running", running},
                         {"texts", texts},
                         {"columns", watch_rows(view).columns},
                         {"rows", watch_rows(view).rows},
                         {"problems", problems},
                         {"drawn", drawn(view)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string cells(const std::vector<std::string>& texts, std::string_view tag) {
  std::string html = "<tr>";
  for (const std::string& text : texts)
    html += fmt::format("<{0}>{1}</{0}>", tag, xml_escaped(text));
  return html + "</tr>\n";
}

std::string page(const SweepView& view) {
  std::string fields, rows, problems;
  for (const auto& [id, label, text] : watch_fields(view)) {
    fields += fmt::format("<dt>{}</dt><dd id=\"{}\">{}</dd>\n", label, id, xml_escaped(text));
  }
  const WatchRows table = watch_rows(view);
  for (const auto& row : table.rows) rows += cells(row, "td");
  for (const std::string& problem : view.problems) {
    problems += fmt::format("<li>{}</li>\n", xml_escaped(printable(problem, 300)));
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{title}</title>\n<link rel=\"icon\" href=\"speeds.svg\">\n"
      "<link rel=\"stylesheet\" href=\"watch.css\">\n"
      "<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>\n"
      "<script src=\"watch.js\" defer></script>\n</head>\n<body data-drawn=\"{drawn}\">\n"
      "<h1 id=\"name\">{name}</h1>\n"
      "<progress id=\"progress\" max=\"{expected}\" value=\"{done}\" "
      "aria-label=\"Launches\"></progress>\n"
      "<ul id=\"problems\">{problems}</ul>\n<dl>\n{fields}</dl>\n"
      "<p><img id=\"speeds\" src=\"speeds.svg\" width=\"{width}\" height=\"{height}\" "
      "alt=\"Speed of the last steps\"></p>\n"
      "<p><picture><source id=\"narrow\" media=\"(max-width: 600px)\" srcset=\"narrow.svg\">"
      "<img id=\"throughput\" src=\"throughput.svg\" alt=\"Speed over devices, as far as it is "
      "measured\"></picture></p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Results so far\"><table>\n<thead>{names}</thead>\n"
      "<tbody id=\"rows\">\n{rows}</tbody>\n</table></div>\n</body>\n</html>\n",
      fmt::arg("title", xml_escaped(title_of(view))), fmt::arg("drawn", drawn(view)),
      fmt::arg("name", xml_escaped(printable(view.report.id))),
      fmt::arg("expected", std::max(view.expected, 1)), fmt::arg("done", view.done),
      fmt::arg("problems", problems), fmt::arg("fields", fields),
      fmt::arg("names", cells(table.columns, "th")), fmt::arg("rows", rows),
      fmt::arg("width", kSpeeds.x), fmt::arg("height", kSpeeds.y));
}

// The speeds of the last steps, from 0 on.
std::string speeds_svg(const SweepView& view) {
  const std::vector<double> speeds = view.running ? view.running->speeds : std::vector<double>();
  constexpr double kTop = 24;
  Svg svg;
  std::string label = "no steps are running";
  if (!speeds.empty()) {
    const double most = std::ranges::max(speeds);
    const double step =
        kSpeeds.x / static_cast<double>(std::max<std::size_t>(speeds.size() - 1, 1));
    std::vector<XY> points;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      points.push_back({step * static_cast<double>(i),
                        kSpeeds.y - 1 - (kSpeeds.y - 1 - kTop) * speeds[i] / most});
    }
    label = fmt::format("last {}: {} images/s at most, from 0 on",
                        counted(std::ssize(speeds), "step"), speed_text(most));
    svg.polyline(points, fmt::format("stroke=\"{}\" stroke-width=\"1.5\"", series_colour(0)));
  }
  svg.text({0, 14}, label, "");
  svg.line({0, kSpeeds.y - 0.5}, {kSpeeds.x, kSpeeds.y - 0.5}, kAxisLine);
  return svg.document(kSpeeds, label);
}

}  // namespace

std::map<std::string, WebFile> watch_site(const SweepView& view) {
  constexpr const char* kSvg = "image/svg+xml";
  return {{"/", {"text/html; charset=utf-8", page(view)}},
          {"/state.json", {"application/json", state_json(view)}},
          {"/throughput.svg", {kSvg, throughput_svg(view.report)}},
          {"/narrow.svg", {kSvg, throughput_svg(view.report, 1)}},
          {"/speeds.svg", {kSvg, speeds_svg(view)}},
          {"/watch.css", {"text/css; charset=utf-8", std::string(watch_css())}},
          {"/watch.js", {"text/javascript; charset=utf-8", std::string(watch_js())}}};
}

}  // namespace lockstep::report
