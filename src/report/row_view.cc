#include "report/row_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "report/characters.h"
#include "report/svg.h"
#include "spec/names.h"
#include "spec/strategies.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kLabel = 36;  // letters: what a drawing has room for

Curve& curve_of(Series& series, const std::string& label) {
  const auto found = std::ranges::find(series.curves, label, &Curve::label);
  if (found != series.curves.end()) return *found;
  series.curves.push_back({.label = label, .ceiling = false, .rows = {}});
  return series.curves.back();
}

std::string subtitle_of(const result::SweepResults& report, const spec::Row& row,
                        std::optional<spec::InputKind> input, bool several) {
  const bool weak = row.scaling == spec::Scaling::weak;
  std::string text = fmt::format("{} scaling, batch {} {}", name(row.scaling), row.series_batch,
                                 weak ? "per device" : "in all");
  if (input) text += fmt::format(", {} images", name(*input));
  if (several) text += fmt::format(", {}", printable(report.id, kLabel));
  return text;
}

std::vector<Series> grouped(std::span<const result::SweepResults> reports, bool by_input) {
  using Key = std::tuple<const result::SweepResults*, std::string, spec::Scaling, int,
                         std::optional<spec::InputKind>>;
  std::vector<Series> all;
  std::map<Key, std::size_t> known;
  for (const result::SweepResults& report : reports) {
    for (std::size_t r = 0; r < report.plan.rows.size(); ++r) {
      const RowView view{&report, r};
      const bool ceiling = spec::is_ceiling(view.point().strategy);
      if (!by_input && (ceiling || !view.summary().io_overhead)) continue;
      const spec::Row& row = view.row();
      const auto input = by_input ? view.point().input : std::nullopt;
      const auto [at, fresh] = known.emplace(
          Key{&report, view.point().model, row.scaling, row.series_batch, input}, all.size());
      if (fresh) {
        all.push_back({.title = printable(view.point().model, kLabel),
                       .subtitle = subtitle_of(report, row, input, reports.size() > 1),
                       .curves = {}});
      }
      Curve& curve =
          curve_of(all[at->second],
                   by_input ? choice_of(view) : printable(configuration(view.point()), kLabel));
      curve.ceiling = ceiling;
      curve.rows.push_back(view);
    }
  }
  return all;
}

}  // namespace

std::vector<Series> series_of(std::span<const result::SweepResults> reports) {
  return grouped(reports, true);
}

std::vector<Series> input_series_of(std::span<const result::SweepResults> reports) {
  return grouped(reports, false);
}

std::string choice_of(const RowView& row) {
  return printable(choice_text(row.point()), kLabel);
}

std::string label_of(const RowView& row) {
  return fmt::format("{}, {}", choice_of(row), counted(row.point().devices, "device"));
}

std::string data_of(const RowView& row, std::string_view column, double value) {
  return fmt::format(
      " data-run=\"{}\" data-point=\"{}\" data-scaling=\"{}\" data-column=\"{}\" data-value=\"{}\"",
      xml_escaped(row.report->id), xml_escaped(row.point().id), name(row.row().scaling), column,
      plain_number(value));
}

std::string data_of(const RowView& row, std::string_view column, const stats::Estimate& estimate) {
  std::string text = data_of(row, column, estimate.value);
  if (estimate.interval) {
    text += fmt::format(" data-lo=\"{}\" data-hi=\"{}\"", plain_number(estimate.interval->low),
                        plain_number(estimate.interval->high));
  }
  return text;
}

}  // namespace lockstep::report
