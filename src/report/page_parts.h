#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/evidence.h"
#include "report/row_view.h"

namespace lockstep::report {

// A name that somebody else chose, whatever direction it is written in.
std::string html_name(std::string_view text, std::size_t most = 80);

// A word that links to its definition.
std::string term(std::string_view name);
std::string term(std::string_view name, std::string_view shown);

// In place of a number that is not known.
inline constexpr std::string_view kNone = "<span class=\"none\">-</span>";

// A number of results.csv, which says where it stands there, and behind it its interval.
std::string html_estimate(const RowView& row, std::string_view column,
                          const std::optional<stats::Estimate>& estimate,
                          std::string (*text)(double));
std::string html_number(const RowView& row, std::string_view column, double value,
                        std::string_view shown);

// The share of `independent`, marked where it is above 100 %: see remarks.h.
std::string html_of_limit(const RowView& row);

// The parts of the page; empty: there is nothing of it.
std::string warnings_part(const Evidence& evidence);
std::string conclusions_part(const Evidence& evidence);
std::string summary_part(const std::vector<Series>& series);
std::string figures_part(const std::vector<Figure>& figures, const std::vector<Series>& series);
std::string results_part(const Evidence& evidence);
std::string provenance_part(const Evidence& evidence);
std::string glossary_part();

}  // namespace lockstep::report
