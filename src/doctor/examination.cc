#include "doctor/examination.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace lockstep::doctor {
namespace {

using Json = nlohmann::ordered_json;
using machine::Finding;
using machine::Level;

Json json_of(const Finding& finding) {
  Json json = {{"subject", finding.subject},
               {"level", machine::name(finding.level)},
               {"value", finding.value ? Json(*finding.value) : Json(nullptr)},
               {"unit", finding.unit},
               {"sentence", finding.sentence},
               {"remedy", finding.remedy}};
  if (!finding.peer.empty()) json["peer"] = finding.peer;
  return json;
}

Level level_of(const std::string& name) {
  for (const Level level : {Level::ok, Level::warning}) {
    if (machine::name(level) == name) return level;
  }
  return Level::problem;
}

Finding finding_of(const Json& json) {
  Finding finding{.subject = json.at("subject"),
                  .level = level_of(json.at("level")),
                  .unit = json.at("unit"),
                  .sentence = json.at("sentence"),
                  .remedy = json.at("remedy"),
                  .peer = json.value("peer", "")};
  if (!json.at("value").is_null()) finding.value = json.at("value").get<double>();
  return finding;
}

}  // namespace

Level worst(std::span<const Examination> examinations) {
  Level level = Level::ok;
  for (const Examination& examination : examinations) {
    level = std::max(level, machine::worst(examination.findings));
  }
  return level;
}

void require_mpi(std::span<Examination> examinations) {
  for (Examination& examination : examinations) {
    for (Finding& finding : examination.findings) {
      if (finding.subject == "mpi" && !finding.remedy.empty()) finding.level = Level::problem;
    }
  }
}

Json to_json(std::span<const Examination> examinations) {
  Json hosts = Json::array();
  for (const Examination& examination : examinations) {
    Json findings = Json::array();
    for (const Finding& finding : examination.findings) findings.push_back(json_of(finding));
    hosts.push_back({{"name", examination.host},
                     {"here", examination.here},
                     {"environment", examination.environment},
                     {"findings", std::move(findings)}});
  }
  return {{"schema", {{"name", "lockstep-doctor"}, {"version", kDoctorVersion}}},
          {"level", machine::name(worst(examinations))},
          {"hosts", std::move(hosts)}};
}

std::optional<std::vector<Examination>> examinations_of(const Json& document) {
  try {
    if (document.at("schema").at("name") != "lockstep-doctor") return std::nullopt;
    std::vector<Examination> examinations;
    for (const Json& host : document.at("hosts")) {
      Examination examination{.host = host.at("name"),
                              .here = host.at("here"),
                              .environment = host.at("environment"),
                              .findings = {}};
      for (const Json& finding : host.at("findings")) {
        examination.findings.push_back(finding_of(finding));
      }
      examinations.push_back(std::move(examination));
    }
    return examinations;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

Json object_in(std::string_view said) {
  const std::size_t begin = said.starts_with("{\n") ? 0 : said.find("\n{\n");
  const std::size_t end = said.rfind("\n}");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  try {
    return parse_ordered_json(said.substr(begin, end + 2 - begin));
  } catch (const Error&) {
    return {};
  }
}

std::string cause_in(std::string_view said) {
  constexpr std::string_view kError = "error: ";
  const std::vector<std::string> lines = split(trim(said), '\n');
  const auto error = std::ranges::find_if(
      lines, [&](const std::string& line) { return line.starts_with(kError); });
  if (error != lines.end()) return error->substr(kError.size());
  return lines.front().empty() ? "no answer" : lines.front();
}

std::vector<std::string> warnings(std::span<const Examination> examinations) {
  std::vector<std::pair<std::string, std::vector<std::string>>> hosts_of;  // by sentence
  for (const Examination& examination : examinations) {
    for (const std::string& sentence : machine::warnings(examination.findings)) {
      auto known = std::ranges::find(hosts_of, sentence, [](const auto& row) { return row.first; });
      if (known == hosts_of.end()) known = hosts_of.insert(known, {sentence, {}});
      known->second.push_back(examination.host);
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [sentence, hosts] : hosts_of) {
    const bool all = hosts.size() == examinations.size();
    sentences.push_back(all ? sentence : fmt::format("{}: {}", join(hosts, ", "), sentence));
  }
  return sentences;
}

}  // namespace lockstep::doctor
