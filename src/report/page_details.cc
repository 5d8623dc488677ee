#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/text.h"
#include "report/characters.h"
#include "report/page_parts.h"
#include "report/remarks.h"
#include "result/metrics.h"
#include "spec/names.h"

namespace lockstep::report {
namespace {

// A column of the table of all results.
struct Column {
  std::string title;  // HTML
  bool number = true;
  std::function<std::string(const RowView& row)> cell;
};

// A metric at a row. The first column of a row without numbers says why.
std::string metric_cell(const result::Metric& metric, const RowView& row, bool first) {
  if (metric.of_row != nullptr) {
    const auto estimate = metric.of_row(row.summary());
    if (!estimate && first) {
      return fmt::format("<strong>{}</strong>", speed_or_status(row.record(), row.summary()));
    }
    return fmt::format("{}{}", metric.limit ? limit_mark(row.summary()) : "",
                       html_estimate(row, metric.key, estimate, estimate_text(metric)));
  }
  const auto value = result::value(metric, row.record());
  if (!value) return std::string(kNone);
  if (result::is_yes_or_no(metric)) return *value != 0 ? "yes" : "<strong>no</strong>";
  return html_number(row, metric.key, *value, fmt::format("{:.4g}", *value));
}

std::vector<Column> columns() {
  std::vector<Column> all = {
      {"model", false, [](const RowView& row) { return html_name(row.point().model); }},
      {term("weak and strong scaling", "scaling"), false,
       [](const RowView& row) { return std::string(name(row.row().scaling)); }},
      {"batch", true, [](const RowView& row) { return fmt::format("{}", row.point().batch_size); }},
      {"strategy", false,
       [](const RowView& row) {
         return html_name(configuration(row.point())) + (row.summary().best ? "&nbsp;*" : "");
       }},
      {"devices", true, [](const RowView& row) { return fmt::format("{}", row.point().devices); }},
  };
  for (bool first = true; const result::Metric* metric : result::page_metrics()) {
    all.push_back({term(metric->label, metric->heading.empty() ? metric->label : metric->heading),
                   !result::is_yes_or_no(*metric), [metric, first](const RowView& row) {
                     return metric_cell(*metric, row, first);
                   }});
    first = false;
  }
  return all;
}

std::string notes_below(const result::SweepResults& sweep) {
  std::vector<std::string> notes = remarks(sweep);
  if (std::ranges::any_of(sweep.rows, &stats::RowSummary::best)) {
    notes.emplace(notes.begin(), kBestMark);
  }
  std::string html;
  for (const std::string& note : notes) {
    html += fmt::format("<p class=\"note\">{}</p>\n", html_name(note, 500));
  }
  return html;
}

// Columns of which no row knows anything are only named below it.
std::string results_table(const result::SweepResults& sweep) {
  std::vector<Column> all = columns();
  std::vector<std::string> unknown;
  std::erase_if(all, [&](const Column& column) {
    for (std::size_t r = 0; r < sweep.rows.size(); ++r) {
      if (column.cell({&sweep, r}) != kNone) return false;
    }
    unknown.push_back(column.title);
    return true;
  });
  std::string head, body;
  for (const Column& column : all) {
    head += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"r\"" : "",
                        column.title);
  }
  for (std::size_t r = 0; r < sweep.rows.size(); ++r) {
    const RowView row{&sweep, r};
    body += "<tr>";
    for (const Column& column : all) {
      body += fmt::format("<td{}>{}</td>", column.number ? " class=\"r\"" : "", column.cell(row));
    }
    body += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"All results\"><table "
      "class=\"sortable\">\n<caption>{}. {}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}"
      "</tbody></table></div>\n{}{}",
      html_name(sweep.id), html_name(sweep.machine, 200), head, body, notes_below(sweep),
      unknown.empty()
          ? ""
          : fmt::format("<p class=\"note\">Not available: {}.</p>\n", join(unknown, ", ")));
}

std::string listing(std::string_view title, const Provenance::Lines& lines) {
  if (lines.empty()) return {};
  std::string rows;
  for (const auto& [name, value] : lines) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html_name(name),
                        html_name(value, 2000));
  }
  return fmt::format(
      "<h3>{0}</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table "
      "class=\"listing\"><tbody>\n{1}"
      "</tbody></table></div>\n",
      title, rows);
}

// About as high as it is on a wide screen: what a page reserves until it has to draw it.
double height_of(const Figure& figure) {
  constexpr double kPage = 1200, kGap = 16, kTexts = 50;
  const double columns = std::max(1.0, std::floor((kPage + kGap) / (figure.size.x + kGap)));
  const double lines = std::ceil(static_cast<double>(figure.panels.size()) / columns);
  return lines * (figure.size.y + kGap) + kTexts;
}

std::string figure(const Figure& figure) {
  std::string panels;
  for (const Figure::Panel& panel : figure.panels) {
    panels += panel.drawing.document(figure.size, panel.label);
  }
  return fmt::format(
      "<figure id=\"{}\" style=\"contain-intrinsic-height:auto {:.0f}px\">\n<h3>{}</h3>\n<div "
      "class=\"panels\">\n{}</div>\n<figcaption>{}</figcaption>"
      "\n</figure>\n",
      figure.name, height_of(figure), xml_escaped(figure.title), panels,
      xml_escaped(figure.caption));
}

// A box for each of several configurations, which a script shows.
std::string toggles(const std::vector<Series>& series) {
  std::set<std::string> labels;
  for (const Series& one : series) {
    for (const Curve& curve : one.curves) labels.insert(curve.label);
  }
  if (labels.size() < 2) return {};
  std::string boxes;
  for (const std::string& label : labels) {
    boxes += fmt::format("<label><input type=\"checkbox\" checked value=\"{}\"> {}</label>\n",
                         xml_escaped(label), html_name(label));
  }
  return fmt::format("<fieldset id=\"toggles\" hidden><legend>Show</legend>\n{}</fieldset>\n",
                     boxes);
}

}  // namespace

std::string figures_part(const std::vector<Figure>& figures, const std::vector<Series>& series) {
  if (figures.empty()) return {};
  std::string text = "<section id=\"figures\">\n<h2>Figures</h2>\n" + toggles(series);
  for (const Figure& one : figures) text += figure(one);
  return text + "</section>\n";
}

std::string results_part(const Evidence& evidence) {
  if (evidence.sweeps.empty()) return {};
  std::string text = "<section id=\"results\">\n<h2>All results</h2>\n";
  for (const result::SweepResults& sweep : evidence.sweeps) text += results_table(sweep);
  return text +
         fmt::format(
             "<p class=\"note\">Small figures: the {}. *: the {} with as many devices. -: not "
             "available.</p>\n"
             "</section>\n",
             term("95 % interval"), term("best", "fastest"));
}

std::string provenance_part(const Evidence& evidence) {
  if (evidence.provenances.empty()) return {};
  std::string text = "<section id=\"provenance\">\n<h2>Configuration and environment</h2>\n";
  for (std::size_t s = 0; s < evidence.provenances.size(); ++s) {
    const Provenance& origin = evidence.provenances[s];
    text += fmt::format("<details><summary>{}</summary>\n", html_name(evidence.sweeps[s].id));
    text += listing("Configuration", origin.options);
    text += listing("Environment of the first launch", origin.environment);
    if (!origin.command.empty()) {
      text += fmt::format("<h3>Its command</h3>\n<pre>{}</pre>\n",
                          html_name(join(origin.command, " "), 4000));
    }
    text += "</details>\n";
  }
  return text + "</section>\n";
}

}  // namespace lockstep::report
