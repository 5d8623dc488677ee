#include "report/report_page.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "report/assets.h"
#include "report/page_parts.h"
#include "result/metrics.h"

namespace lockstep::report {
namespace {

// What the page consists of, below its warnings. What there is nothing of is not there.
struct Chapter {
  std::string_view id, title;
  std::string html;
};

std::vector<Chapter> parts_of(const Evidence& evidence) {
  const std::vector<Series> series = series_of(evidence.sweeps);
  std::vector<Chapter> parts = {
      {"summary", "At a glance", summary_part(series)},
      {"figures", "Figures", figures_part(figures(evidence), series)},
      {"results", "All results", results_part(evidence)},
      {"provenance", "Configuration and environment", provenance_part(evidence)},
      {"glossary", "What the words mean", glossary_part()},
  };
  std::erase_if(parts, [](const Chapter& part) { return part.html.empty(); });
  return parts;
}

std::string header(const Evidence& evidence, const std::vector<Chapter>& parts) {
  std::string text = "<header>\n<h1>How training scales</h1>\n";
  for (const result::SweepResults& sweep : evidence.sweeps) {
    std::string date;
    for (const stats::PointRecord& record : sweep.records) {
      if (const stats::Launch* launch = stats::first_launch(record); launch && date.empty()) {
        date = launch->date;
      }
    }
    text += fmt::format("<p><strong>{}</strong> {} {}</p>\n", html_name(sweep.id), html_name(date),
                        html_name(sweep.machine, 200));
  }
  std::vector<std::string> links;
  for (const Chapter& part : parts) {
    links.push_back(fmt::format("<a href=\"#{}\">{}</a>", part.id, part.title));
  }
  return text + fmt::format("<nav aria-label=\"Parts of this page\">{}</nav>\n</header>\n",
                            join(links, " "));
}

// Of the parts of a step that are shown as lost.
std::string part_colours() {
  std::string css;
  for (const result::StepPart& part : result::step_parts()) {
    if (!part.computes)
      css += fmt::format(".part.{} {{ background: {}; }}\n", part.name, part.colour);
  }
  return css;
}

}  // namespace

std::string report_page(const Evidence& evidence) {
  const std::vector<Chapter> parts = parts_of(evidence);
  std::string body;
  for (const Chapter& part : parts) body += part.html;
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n"
             "<title>How training scales{}</title>\n<link rel=\"icon\" href=\"data:,\">\n"
             "<style>\n{}{}</style>\n</head>\n<body>\n",
             evidence.sweeps.empty() ? "" : ": " + xml_escaped(evidence.sweeps.front().id),
             report_css(), part_colours()) +
         header(evidence, parts) + "<main>\n" + warnings_part(evidence) +
         conclusions_part(evidence) + body + "</main>\n" +
         fmt::format("<script>\n{}</script>\n</body>\n</html>\n", report_js());
}

}  // namespace lockstep::report
