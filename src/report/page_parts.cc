#include "report/page_parts.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/characters.h"
#include "report/conclusions.h"
#include "report/glossary.h"
#include "report/remarks.h"

namespace lockstep::report {

std::string html_name(std::string_view text, std::size_t most) {
  return fmt::format("<bdi>{}</bdi>", xml_escaped(printable(text, most)));
}

std::string term(std::string_view name) {
  return term(name, name);
}

std::string term(std::string_view name, std::string_view shown) {
  return fmt::format("<a class=\"term\" href=\"#{}\">{}</a>", anchor(name), xml_escaped(shown));
}

std::string html_number(const RowView& row, std::string_view column, double value,
                        std::string_view shown) {
  return fmt::format("<span class=\"number\"{}>{}</span>", data_of(row, column, value), shown);
}

std::string html_estimate(const RowView& row, std::string_view column,
                          const std::optional<stats::Estimate>& estimate,
                          std::string (*text)(double)) {
  if (!estimate) return std::string(kNone);
  std::string html = fmt::format("<span class=\"number\"{}>{}</span>",
                                 data_of(row, column, *estimate), text(estimate->value));
  if (const auto& interval = estimate->interval) {
    const std::string low = text(interval->low);  // whose unit is that of the other end
    html += fmt::format(" <span class=\"interval\">{} to {}</span>", low.substr(0, low.find(' ')),
                        text(interval->high));
  }
  return html;
}

std::string html_of_limit(const RowView& row) {
  return fmt::format("{}{}", limit_mark(row.summary()),
                     html_estimate(row, "of_independent", row.summary().of_ceiling, percent_text));
}

std::string warnings_part(const Evidence& evidence) {
  const std::vector<std::string> all = warnings(evidence);
  if (all.empty()) return {};
  constexpr std::size_t kAtOnce = 4;
  std::string list;
  for (const std::string& warning : all) {
    list += fmt::format("<li>{}</li>\n", html_name(warning, 500));
  }
  return fmt::format(
      "<section class=\"warnings\" aria-label=\"Warnings\">\n<details{}><summary>{} to bear in "
      "mind</summary>\n<ul>\n{}</ul>\n</details>\n</section>\n",
      all.size() <= kAtOnce ? " open" : "",
      counted(static_cast<std::int64_t>(all.size()), "warning"), list);
}

std::string conclusions_part(const Evidence& evidence) {
  std::string list;
  for (const std::string& sentence : conclusions(evidence.sweeps)) {
    list += fmt::format("<li>{}</li>\n", html_name(sentence, 500));
  }
  if (list.empty()) return {};
  return fmt::format("<section aria-label=\"What it shows\">\n<ul>\n{}</ul>\n</section>\n", list);
}

std::string glossary_part() {
  std::string list;
  for (const Term& entry : glossary()) {
    list += fmt::format("<dt id=\"{}\">{}</dt><dd>{}</dd>\n", anchor(entry.name),
                        xml_escaped(entry.name), xml_escaped(entry.text));
  }
  return fmt::format(
      "<section id=\"glossary\">\n<h2>What the words mean</h2>\n<dl>\n{}</dl>\n</section>\n", list);
}

}  // namespace lockstep::report
