#include <fmt/format.h>

#include "report/characters.h"
#include "report/conclusions.h"
#include "report/evidence.h"
#include "report/remarks.h"
#include "report/row_view.h"
#include "spec/names.h"

namespace lockstep::report {
namespace {

// A text that somebody else chose. What is not ASCII depends on fonts that need not be there.
std::string tex(std::string_view text, std::size_t most = 300) {
  std::string out;
  for (std::string rest = printable(text, most); !rest.empty();) {
    const char c = rest.front();
    const auto character = first_character(rest);
    rest.erase(0, character ? character->bytes : 1);
    if (static_cast<unsigned char>(c) >= 128) {
      out += '?';
    } else if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) {
      out += fmt::format("\\{}", c);
    } else if (c == '\\') {
      out += "\\textbackslash{}";
    } else if (c == '^') {
      out += "\\textasciicircum{}";
    } else if (c == '~') {
      out += "\\textasciitilde{}";
    } else if (std::string_view("<>|\"'`-").find(c) != std::string_view::npos) {
      out += fmt::format("{{{}}}", c);  // no ligature, whatever the encoding of the font
    } else {
      out += c;
    }
  }
  return out;
}

std::string tex_cell(const std::optional<stats::Estimate>& estimate, std::string (*text)(double)) {
  if (!estimate) return "";
  if (!estimate->interval) return tex(text(estimate->value));
  return fmt::format("{} ({} to {})", tex(text(estimate->value)),
                     tex(text(estimate->interval->low)), tex(text(estimate->interval->high)));
}

std::string tex_line(const RowView& row) {
  const stats::RowSummary& summary = row.summary();
  const std::string strategy = tex(configuration(row.point()));
  return fmt::format(
      "{} & {} & {} & {} & {} & {} & {} & {} & {} \\\\\n", tex(row.point().model),
      name(row.row().scaling), row.point().batch_size,
      summary.best ? fmt::format("\\textbf{{{}}}", strategy) : strategy, row.point().devices,
      summary.speed ? tex_cell(summary.speed, speed_text) : speed_or_status(row.record(), summary),
      tex_cell(summary.speed_up, ratio_text), tex_cell(summary.efficiency, percent_text),
      tex(of_limit_text(summary)));
}

std::string tex_table(const result::SweepResults& sweep) {
  constexpr std::string_view kHead =
      "\\toprule\nmodel & scaling & batch & strategy & devices & images/s & speed-up & efficiency "
      "& "
      "of independent \\\\\n\\midrule\n";
  std::string text =
      fmt::format("\\section*{{{}}}\n{}\n\\begin{{longtable}}{{llrlrrrrr}}\n{}\\endhead\n",
                  tex(sweep.id), tex(sweep.machine), kHead);
  for (std::size_t r = 0; r < sweep.rows.size(); ++r) text += tex_line({&sweep, r});
  text += "\\bottomrule\n\\end{longtable}\n";
  for (const std::string& note : remarks(sweep))
    text += fmt::format("\\noindent {}\\par\n", tex(note));
  return text;
}

}  // namespace

std::string report_tex(const Evidence& evidence) {
  std::string text =
      "% A table of lockstep: pdflatex report.tex, or copy the longtable into a document with "
      "these\n"
      "% packages.\n"
      "\\documentclass{article}\n\\usepackage[landscape,margin=15mm]{geometry}\n"
      "\\usepackage{booktabs,longtable}\n\\begin{document}\n\\small\n";
  const std::vector<std::string> verdicts = conclusions(evidence.sweeps);
  for (const std::string& verdict : verdicts)
    text += fmt::format("\\noindent {}\\par\n", tex(verdict));
  for (const result::SweepResults& sweep : evidence.sweeps) text += tex_table(sweep);
  text +=
      "\\noindent In parentheses: 95 \\% intervals over launches. Bold: faster than all others "
      "with "
      "as many devices, by more than launches differ.\n\\end{document}\n";
  return text;
}

}  // namespace lockstep::report
