#include "report/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "report/characters.h"
#include "result/directory.h"

namespace lockstep::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What cannot be read has been complained of by those that needed it more.
Json json_in(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return nullptr;
  try {
    return parse_ordered_json(read_file(path));
  } catch (const Error&) {
    return nullptr;
  }
}

Json member(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object.at(key) : Json(nullptr);
}

Json first_run(const fs::path& directory, const result::SweepResults& report) {
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

Provenance provenance(const fs::path& directory, const result::SweepResults& report) {
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
  // `directories`: whether there are several, so that a sentence has to name its own.
  explicit Sentences(bool directories) : directories_(directories) {}

  void add(const std::string& sentence) { said(sentence, sentence); }
  void add(const std::string& sentence, const result::SweepResults& sweep) {
    note(said(sentence, sentence).sweeps, sweep.id);
  }
  // One launch of a point, or the point itself.
  void add(const std::string& sentence, const result::SweepResults& sweep,
           const std::string& point) {
    Said& one = said(kind_of(sentence), sentence);
    note(one.sweeps, sweep.id);
    note(one.points, fmt::format("{}/{}", sweep.id, point));
    if (one.first.empty()) one.first = point;
    ++one.times;
  }

  // "alexnet-b8-d2-replicated and 3 more points, 12 times: ...".
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const Said& one : all_) {
      std::string subject;
      if (directories_) subject = fmt::format("{}: ", join(one.sweeps, ", "));
      if (!one.points.empty()) subject += one.first;
      if (one.points.size() > 1) {
        subject += " and " + counted(std::ssize(one.points) - 1, "more point");
      }
      if (one.times > std::ssize(one.points)) subject += fmt::format(", {} times", one.times);
      if (!one.points.empty()) subject += ": ";
      texts.push_back(one.sweeps.empty() ? one.sentence : subject + one.sentence);
    }
    return texts;
  }

 private:
  struct Said {
    std::string sentence;
    std::string first = {};                // the point that it was first said of
    std::vector<std::string> sweeps = {};  // empty: of none of them
    std::vector<std::string> points = {};
    std::ptrdiff_t times = 0;
  };

  Said& said(const std::string& key, const std::string& sentence) {
    const auto [at, fresh] = known_.emplace(key, all_.size());
    if (fresh) all_.push_back({.sentence = sentence});
    return all_[at->second];
  }
  static void note(std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  }

  bool directories_;
  std::map<std::string, std::size_t> known_;
  std::vector<Said> all_;
};

}  // namespace

void add_results(const fs::path& directory, Evidence& evidence) {
  std::vector<Collectives> collectives = read_collectives(directory, evidence.problems);
  const bool alone = !collectives.empty() && !result::holds_results(directory);
  std::ranges::move(collectives, std::back_inserter(evidence.collectives));
  if (alone) return;
  result::ResultDirectory results = result::read_results(directory);
  // Two of the same name are told apart by where they are.
  const auto same = [&](const result::SweepResults& other) { return other.id == results.sweep.id; };
  if (std::ranges::any_of(evidence.sweeps, same)) results.sweep.id = directory.string();
  results.sweep.warnings = doctors_warnings(directory);
  for (StepSeries& series : read_step_series(directory, results.sweep, results.problems)) {
    evidence.steps.push_back(std::move(series));
  }
  evidence.provenances.push_back(provenance(directory, results.sweep));
  evidence.problems.insert(evidence.problems.end(), results.problems.begin(),
                           results.problems.end());
  evidence.sweeps.push_back(std::move(results.sweep));
}

std::vector<Figure> figures(const Evidence& evidence) {
  std::vector<StepSeries> steps = evidence.steps;
  if (evidence.sweeps.size() > 1) {  // which of them is it?
    for (StepSeries& one : steps) one.subtitle += fmt::format(", {}", printable(one.run, 36));
  }
  std::vector<Figure> all = {
      throughput_figure(evidence.sweeps),       speed_up_figure(evidence.sweeps),
      efficiency_figure(evidence.sweeps),       io_overhead_figure(evidence.sweeps),
      step_time_figure(evidence.sweeps),        waiting_figure(evidence.sweeps),
      collectives_figure(evidence.collectives), steps_figure(steps)};
  std::erase_if(all, [](const Figure& figure) { return figure.panels.empty(); });
  return all;
}

std::vector<std::string> warnings(const Evidence& evidence) {
  Sentences sentences(evidence.sweeps.size() > 1);
  for (const std::string& problem : evidence.problems) sentences.add(problem);
  for (const result::SweepResults& sweep : evidence.sweeps) {
    for (const std::string& warning : sweep.warnings) sentences.add(warning, sweep);
    for (std::size_t p = 0; p < sweep.records.size(); ++p) {
      const std::string& id = sweep.plan.points[p].id;
      const stats::PointRecord& record = sweep.records[p];
      const bool shown = std::ranges::count(sweep.plan.rows, p, &spec::Row::point) > 0;
      if (!shown) continue;  // what others measured need not have every point
      if (!record.failure.empty()) sentences.add("failed: " + record.failure, sweep, id);
      if (status(record) == stats::Status::not_measured) sentences.add("not measured", sweep, id);
      for (const auto& launch : record.launches) {
        if (!launch) continue;
        for (const std::string& warning : launch->warnings) sentences.add(warning, sweep, id);
      }
    }
  }
  return sentences.texts();
}

}  // namespace lockstep::report
