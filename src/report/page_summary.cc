#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/advice.h"
#include "report/page_parts.h"
#include "result/metrics.h"

namespace lockstep::report {
namespace {

using stats::Part;

// The fastest choice for each number of devices.
std::map<int, RowView> fastest_by_devices(const Series& series) {
  std::map<int, RowView> fastest;
  for (const Curve& curve : series.curves) {
    for (const RowView& row : curve.rows) {
      if (row.summary().fastest) fastest.emplace(row.point().devices, row);
    }
  }
  return fastest;
}

// Other choices with as many devices, of which the launches do not show that they are slower.
std::vector<std::string> not_told_apart(const RowView& fastest) {
  std::vector<std::string> labels;
  for (const std::size_t rival : fastest.summary().rivals) {
    labels.push_back(choice_of({fastest.report, rival}));
  }
  return labels;
}

std::vector<std::string> doing_the_same(const RowView& row, const Series& series) {
  std::vector<std::string> labels;
  const stats::Measurements measurements{row.report->plan, row.report->records};
  for (const Curve& curve : series.curves) {
    for (const RowView& other : curve.rows) {
      const bool same = !curve.ceiling && other.row().point != row.row().point &&
                        stats::same_work(measurements, other.row().point, row.row().point);
      if (same) labels.push_back(curve.label);
    }
  }
  return labels;
}

// A piece of the bar that shows what a step consists of.
struct Piece {
  std::string_view name;   // of the style
  std::string_view shown;  // for people
  double share = 0;
};

std::vector<Piece> pieces_of(const stats::Losses& losses) {
  double computing = 0;
  for (const result::StepPart& part : result::step_parts()) {
    if (part.computes) computing += losses[part.part].value;
  }
  const double contention =
      losses.contention ? std::clamp(losses.contention->value, 0.0, computing) : 0;
  std::vector<Piece> pieces = {{"compute", "computing", computing - contention},
                               {"contention", "contention", contention}};
  for (const result::StepPart& part : result::step_parts()) {
    if (part.computes) continue;
    pieces.push_back({part.name, result::share_of(part).label, losses[part.part].value});
  }
  return pieces;
}

std::string bar(const stats::Losses& losses) {
  std::string spans;
  std::string label;
  for (const Piece& piece : pieces_of(losses)) {
    if (piece.share <= 0) continue;
    const std::string text = fmt::format("{} {:.1f} %", piece.shown, 100 * piece.share);
    spans += fmt::format("<span class=\"part {}\" style=\"width:{:.2f}%\" title=\"{}\"></span>",
                         piece.name, 100 * piece.share, text);
    label += (label.empty() ? "" : ", ") + text;
  }
  return fmt::format("<div class=\"bar\" role=\"img\" aria-label=\"Of the step: {}\">{}</div>\n",
                     label, spans);
}

std::string_view style_of(const Loss& loss) {
  return loss.column.substr(std::string_view("share_").size());
}

// Beside the same configuration with synthetic images.
std::string io_overhead(const RowView& row) {
  return html_estimate(row, "io_overhead", row.summary().io_overhead, percent_text);
}

std::string lost(const RowView& row) {
  const auto& losses = row.summary().losses;
  if (!losses) return "<p>The launches do not tell what their steps spent.</p>\n";
  std::string list;
  for (const Loss& loss : losses_of(row)) {
    list += fmt::format("<li{}><span class=\"sign part {}\"></span>{} {}</li>\n",
                        loss.matters() ? "" : " class=\"minor\"", style_of(loss), term(loss.name),
                        html_estimate(row, loss.column, loss.share, percent_text));
  }
  std::string text = bar(*losses) + "<ul class=\"lost\">\n" + list + "</ul>\n" +
                     fmt::format(
                         "<p class=\"note\">{}; the rest: <span class=\"key\"><span class=\"sign "
                         "part compute\"></span>computing</span>, <span class=\"key\"><span "
                         "class=\"sign part other\"></span>{}</span></p>\n",
                         term("share of the step", "shares of the step"), term("other"));
  if (!row.summary().io_overhead) return text;
  return text + fmt::format("<p>{} {}</p>\n", io_overhead(row), term("I/O overhead"));
}

// `flags` as code.
std::string with_code(std::string_view sentence) {
  std::string out;
  bool code = false;
  for (const char c : xml_escaped(sentence)) {
    if (c != '`') {
      out += c;
      continue;
    }
    out += code ? "</code>" : "<code>";
    code = !code;
  }
  return out;
}

std::string next(const RowView& row, const Series& series) {
  std::string list;
  for (const std::string& sentence : advice(row, series)) {
    list += fmt::format("<li>{}</li>\n", with_code(sentence));
  }
  return "<ul class=\"next\">\n" + list + "</ul>\n";
}

std::string limit(const RowView& row) {
  const std::vector<Loss> losses = losses_of(row);
  if (losses.empty()) return std::string(kNone);
  const Loss& first = losses.front();
  if (!first.large()) return fmt::format("nothing above {:.0f} %", 100 * kMatters);
  const std::string text = fmt::format(
      "{} {}", term(first.name),
      html_number(row, first.column, first.share.value, percent_text(first.share.value)));
  return first.matters() ? text : fmt::format("not known: launches differ ({})", text);
}

std::string choice(const RowView& row, const Series& series) {
  std::string text = html_name(choice_text(row.point()));
  if (const auto others = not_told_apart(row); !others.empty()) {
    text += fmt::format(" <span class=\"note\">or {}: {}</span>", html_name(join(others, ", ")),
                        term("told apart", "not told apart"));
  }
  if (const auto others = doing_the_same(row, series); !others.empty()) {
    text += fmt::format(" <span class=\"note\">{}: the same work</span>",
                        html_name(join(others, ", ")));
  }
  return text;
}

std::string by_devices(const std::map<int, RowView>& fastest, const Series& series) {
  const bool inputs = std::ranges::any_of(
      fastest, [](const auto& entry) { return entry.second.summary().io_overhead.has_value(); });
  std::string rows;
  for (const auto& [devices, row] : fastest) {
    rows += fmt::format(
        "<tr><td class=\"r\">{}</td><td class=\"r\">{}</td><td class=\"r\">{}</td><td>{}</td>"
        "<td>{}</td>{}</tr>\n",
        devices, html_estimate(row, "images_per_s", row.summary().speed, speed_text),
        html_estimate(row, "efficiency", row.summary().efficiency, percent_text),
        choice(row, series), limit(row),
        inputs ? fmt::format("<td>{}</td>", io_overhead(row)) : "");
  }
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Best at each number of "
      "devices\"><table class=\"fastest\">\n<caption>The {}, and what limits it</caption>\n"
      "<thead><tr><th class=\"r\" scope=\"col\">devices</th><th class=\"r\" "
      "scope=\"col\">{}</th>"
      "<th class=\"r\" scope=\"col\">{}</th><th scope=\"col\">configuration</th>"
      "<th scope=\"col\">most is lost to</th>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
      term("best", "fastest"), term("images/s"), term("efficiency"),
      inputs ? fmt::format("<th scope=\"col\">{}</th>", term("I/O overhead")) : "", rows);
}

std::string tile(std::string_view title, std::string_view content) {
  return fmt::format("<div class=\"tile\"><h3>{}</h3>\n{}</div>\n", title, content);
}

std::string scaling(const RowView& row) {
  const stats::RowSummary& summary = row.summary();
  std::string text;
  if (summary.baseline_devices == 0 || summary.baseline_devices == row.point().devices) {
    text = "<p>Fewer devices were not measured: there is nothing to compare it with.</p>\n";
  } else if (!summary.efficiency) {
    text = "<p>Its baseline was not measured: there is nothing to compare it with.</p>\n";
  } else {
    text = fmt::format(
        "<p class=\"big\">{} {}</p>\n<p>{} {}</p>\n",
        html_estimate(row, "efficiency", summary.efficiency, percent_text), term("efficiency"),
        html_estimate(row, "speedup", summary.speed_up, ratio_text), term("speed-up"));
  }
  if (!summary.of_ceiling) return text;
  return text + fmt::format("<p>{} {}</p>\n", html_of_limit(row), term("of independent"));
}

std::string card(const Series& series) {
  const std::map<int, RowView> fastest = fastest_by_devices(series);
  std::string text = fmt::format("<article class=\"card\">\n<h2>{} <small>{}</small></h2>\n",
                                 html_name(series.title), html_name(series.subtitle));
  if (fastest.empty()) return text + "<p>Nothing was measured.</p>\n</article>\n";
  const RowView& row = fastest.rbegin()->second;
  const std::string where = fmt::format("on {} with {}", counted(row.point().devices, "device"),
                                        html_name(choice_text(row.point())));
  text += "<div class=\"tiles\">\n";
  text += tile("How fast",
               fmt::format("<p class=\"big\">{} {}</p>\n<p>{}</p>\n",
                           html_estimate(row, "images_per_s", row.summary().speed, speed_text),
                           term("images/s"), where));
  text += tile("How well it scales", scaling(row));
  text += tile("What is lost to what", lost(row));
  text += tile("What to try next", next(row, series));
  return text + "</div>\n" + by_devices(fastest, series) + "</article>\n";
}

}  // namespace

std::string summary_part(const std::vector<Series>& series) {
  if (series.empty()) return {};
  std::string text = "<section id=\"summary\" aria-label=\"At a glance\">\n";
  for (const Series& one : series) text += card(one);
  return text + "</section>\n";
}

}  // namespace lockstep::report
