#include "report/report_page.h"

#include <fmt/format.h>

#include "report/page_parts.h"

namespace lockstep::report {
namespace {

std::string header(const Evidence& evidence) {
  std::string text = "<header>\n<h1>How training scales</h1>\n";
  for (const SweepReport& sweep : evidence.sweeps) {
    std::string date;
    for (const stats::PointRecord& record : sweep.records) {
      if (const stats::Launch* launch = stats::first_launch(record); launch && date.empty()) {
        date = launch->date;
      }
    }
    text += fmt::format("<p><strong>{}</strong> {} {}</p>\n", html_name(sweep.id), html_name(date),
                        html_name(sweep.machine, 200));
  }
  return text +
         "<nav aria-label=\"Parts of this page\"><a href=\"#summary\">At a glance</a> <a "
         "href=\"#figures\">Figures</a> <a href=\"#results\">All results</a> <a "
         "href=\"#provenance\">Configuration and environment</a> <a href=\"#glossary\">What the "
         "words mean</a></nav>\n</header>\n";
}

}  // namespace

std::string report_page(const Evidence& evidence) {
  const std::vector<Series> series = series_of(evidence.sweeps);
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n"
             "<title>How training scales: {}</title>\n<link rel=\"icon\" href=\"data:,\">\n"
             "<style>\n{}</style>\n</head>\n<body>\n",
             xml_escaped(evidence.sweeps.empty() ? "" : evidence.sweeps.front().id), kPageStyle) +
         header(evidence) + "<main>\n" + warnings_part(evidence) + summary_part(series) +
         figures_part(figures(evidence), series) + results_part(evidence) +
         provenance_part(evidence) + glossary_part() + "</main>\n" +
         fmt::format(
             "<script>\n\"use strict\";\n(() => "
             "{{\n{}\n{}\n{}}})();\n</script>\n</body>\n</html>\n",
             kPageScript, kPageTips, kPageZoom);
}

}  // namespace lockstep::report
