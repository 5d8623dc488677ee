#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/gate_report.h"

namespace lockstep::report {
namespace {

using Json = nlohmann::ordered_json;

// What is behind nine digits is noise, and another one with every library of mathematics.
double rounded(double value) {
  return std::stod(fmt::format("{:.9g}", value));
}

void add_estimate(Json& object, const std::string& key,
                  const std::optional<stats::Estimate>& estimate) {
  const bool bounded = estimate && estimate->interval;
  object[key] = estimate ? Json(rounded(estimate->value)) : Json();
  object[key + "_ci95_lo"] = bounded ? Json(rounded(estimate->interval->low)) : Json();
  object[key + "_ci95_hi"] = bounded ? Json(rounded(estimate->interval->high)) : Json();
}

int launches(const std::optional<stats::Estimate>& estimate) {
  return estimate ? estimate->launches : 0;
}

Json point(const stats::GateRow& row) {
  Json object = {{"point", row.point.id},
                 {"model", row.point.model},
                 {"strategy", row.point.strategy},
                 {"num_ps", row.point.num_ps},
                 {"data_format", row.point.data_format},
                 {"devices", row.point.devices},
                 {"batch_per_device", row.point.batch_size},
                 {"verdict", word(row)},
                 {"regression", row.regression()}};
  add_estimate(object, "ratio", row.ratio);
  add_estimate(object, "baseline_images_per_s", row.baseline);
  object["baseline_launches"] = launches(row.baseline);
  add_estimate(object, "candidate_images_per_s", row.candidate);
  object["candidate_launches"] = launches(row.candidate);
  object["reason"] = row.reason;
  object["load"] = row.load;
  return object;
}

}  // namespace

std::string gate_json(const GateReport& report) {
  Json counts = Json::object();
  for (const char* outcome : {"FASTER", "SLOWER", "SAME", "UNDECIDED", "FAILED"}) {
    counts[outcome] = count(report.gate, outcome);
  }
  Json points = Json::array();
  for (const stats::GateRow& row : report.gate.rows) points.push_back(point(row));
  const Json document = {
      {"schema", {{"name", "lockstep-gate"}, {"version", kGateVersion}}},
      {"baseline", {{"name", report.baseline}, {"machine", report.baseline_machine}}},
      {"candidate", {{"name", report.candidate}, {"machine", report.candidate_machine}}},
      {"min_effect", report.min_effect},
      {"regression", report.gate.regression()},
      {"compared", report.gate.compared()},
      {"counts", std::move(counts)},
      {"points", std::move(points)},
      {"not_in_baseline", report.gate.added},
      {"problems", report.problems}};
  // Names of directories need not be UTF-8.
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockstep::report
