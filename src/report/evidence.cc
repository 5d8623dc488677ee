#include "report/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "report/result_directory.h"

namespace lockstep::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What cannot be read has been complained of by those that needed it more.
Json json_in(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return nullptr;
  return Json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
}

Json member(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object.at(key) : Json(nullptr);
}

Json first_run(const fs::path& directory, const SweepReport& report) {
  for (std::size_t p = 0; p < report.records.size(); ++p) {
    for (std::size_t k = 0; k < report.records[p].launches.size(); ++k) {
      if (!report.records[p].launches[k]) continue;
      const fs::path launch =
          directory / "points" / report.plan.points[p].id / fmt::format("{}", k + 1);
      return json_in(launch / "run.json");
    }
  }
  return nullptr;
}

// Names of nested members are joined by points.
void add_lines(const Json& value, const std::string& name, Provenance::Lines& lines) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, nested] : value.items()) {
      add_lines(nested, name.empty() ? key : fmt::format("{}.{}", name, key), lines);
    }
  } else if (value.is_string()) {
    lines.emplace_back(name, value.get<std::string>());
  } else if (!value.is_null() && !value.is_discarded()) {
    lines.emplace_back(name, value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

// Of what others measured a sweep.json knows no more than which points there are.
Json known_options(const Json& sweep, const Json& run) {
  if (member(member(run, "context"), "imported").is_null()) return sweep;
  Json known = Json::object();
  for (const char* key : {"models", "devices", "strategies"}) known[key] = member(sweep, key);
  return known;
}

Provenance provenance(const fs::path& directory, const SweepReport& report) {
  const Json sweep = json_in(directory / "sweep.json");
  const Json run =
      sweep.is_object() ? first_run(directory, report) : json_in(directory / "run.json");
  Provenance origin;
  add_lines(sweep.is_object() ? known_options(sweep, run) : member(run, "config"), "",
            origin.options);
  add_lines(member(run, "context"), "", origin.environment);
  for (const Json& word : member(run, "argv")) {
    if (word.is_string()) origin.command.push_back(word);
  }
  return origin;
}

// What a sweep was warned of before its first launch: findings of its doctor.json.
std::vector<std::string> doctors_warnings(const fs::path& directory) {
  std::vector<std::string> sentences;
  const Json hosts = member(json_in(directory / "doctor.json"), "hosts");
  try {
    for (const Json& host : hosts) {
      for (const Json& finding : host.at("findings")) {
        if (finding.at("level") == "ok") continue;
        std::string text = finding.at("sentence").get<std::string>();
        if (const std::string remedy = finding.value("remedy", ""); !remedy.empty()) {
          text += "; " + remedy;
        }
        if (hosts.size() > 1) {
          text = fmt::format("{}: {}", host.at("name").get<std::string>(), text);
        }
        sentences.push_back(std::move(text));
      }
    }
  } catch (const Json::exception&) {  // damaged, and no measurement
  }
  return sentences;
}

// A sentence without its numbers.
std::string kind_of(std::string sentence) {
  std::erase_if(sentence, [](char c) { return c >= '0' && c <= '9'; });
  return sentence;
}

// Sentences in the order in which they are first said, with what they are said of. Of those that
// differ in nothing but numbers, the first.
class Sentences {
 public:
  void add(const std::string& sentence, const std::string& subject = {}) {
    const auto [at, fresh] =
        known_.emplace(subject.empty() ? sentence : kind_of(sentence), sentences_.size());
    if (fresh) sentences_.push_back({sentence, {}});
    auto& subjects = sentences_[at->second].second;
    if (!subject.empty() && std::ranges::count(subjects, subject) == 0) {
      subjects.push_back(subject);
    }
  }

  // "alexnet-b8-d2-replicated and 3 more: ...".
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const auto& [sentence, subjects] : sentences_) {
      if (subjects.empty()) {
        texts.push_back(sentence);
      } else if (subjects.size() == 1) {
        texts.push_back(fmt::format("{}: {}", subjects[0], sentence));
      } else {
        texts.push_back(
            fmt::format("{} and {} more: {}", subjects[0], subjects.size() - 1, sentence));
      }
    }
    return texts;
  }

 private:
  std::map<std::string, std::size_t> known_;
  std::vector<std::pair<std::string, std::vector<std::string>>> sentences_;
};

}  // namespace

void add_results(const fs::path& directory, Evidence& evidence) {
  std::vector<Collectives> collectives = read_collectives(directory, evidence.problems);
  const bool alone = !collectives.empty() && !holds_results(directory);
  std::ranges::move(collectives, std::back_inserter(evidence.collectives));
  if (alone) return;
  ResultDirectory results = read_results(directory);
  // Two of the same name are told apart by where they are.
  const auto same = [&](const SweepReport& other) { return other.id == results.report.id; };
  if (std::ranges::any_of(evidence.sweeps, same)) results.report.id = directory.string();
  results.report.warnings = doctors_warnings(directory);
  for (StepSeries& series : read_step_series(directory, results.report, results.problems)) {
    evidence.steps.push_back(std::move(series));
  }
  evidence.provenances.push_back(provenance(directory, results.report));
  evidence.problems.insert(evidence.problems.end(), results.problems.begin(),
                           results.problems.end());
  evidence.sweeps.push_back(std::move(results.report));
}

std::vector<Figure> figures(const Evidence& evidence) {
  std::vector<Figure> all = {
      throughput_figure(evidence.sweeps),       speed_up_figure(evidence.sweeps),
      efficiency_figure(evidence.sweeps),       io_overhead_figure(evidence.sweeps),
      step_time_figure(evidence.sweeps),        waiting_figure(evidence.sweeps),
      collectives_figure(evidence.collectives), steps_figure(evidence.steps)};
  std::erase_if(all, [](const Figure& figure) { return figure.panels.empty(); });
  return all;
}

std::vector<std::string> warnings(const Evidence& evidence) {
  Sentences sentences;
  for (const std::string& problem : evidence.problems) sentences.add(problem);
  for (const SweepReport& sweep : evidence.sweeps) {
    for (const std::string& warning : sweep.warnings) sentences.add(warning);
    for (const spec::Row& row : sweep.plan.rows) {  // one point may stand in two
      const std::string& id = sweep.plan.points[row.point].id;
      const stats::PointRecord& record = sweep.records[row.point];
      if (!record.failure.empty()) sentences.add("failed: " + record.failure, id);
      if (status(record) == Status::not_measured) sentences.add("not measured", id);
      for (const auto& launch : record.launches) {
        if (!launch) continue;
        for (const std::string& warning : launch->warnings) sentences.add(warning, id);
      }
    }
  }
  return sentences.texts();
}

}  // namespace lockstep::report
