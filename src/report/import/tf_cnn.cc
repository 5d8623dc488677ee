#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"
#include "report/import/lines.h"
#include "report/import/readers.h"
#include "stats/quantile.h"

// Logs of tf_cnn_benchmarks, and of `lockstep run`, which prints the same lines. Every process of a
// cluster prints a block of labels, its own speed step by step, and in the end a total: what all
// processes would reach if each were like it. So a run is what the processes of one cluster
// printed, and its speed is the mean of their totals.

namespace lockstep::report {
namespace {

constexpr std::string_view kTfCnnTotal = "total images/sec:";

// The labels that tell something of a run.
constexpr std::array<std::string_view, 19> kLabels = {
    "TensorFlow", "lockstep",    "Model",   "Dataset",   "Mode",      "SingleSess", "Batch size",
    "Num epochs", "Num batches", "Devices", "NUMA bind", "Optimizer", "Variables",  "Data format",
    "AllReduce",  "Staged vars", "Sync",    "Use NCCL",  "Horovod on"};

// One process of a run, or several that print into one file without tags: from its labels to its
// total, or to the last of their totals.
struct Section {
  const Source* source = nullptr;
  int line = 0;
  std::map<std::string, std::string, std::less<>> labels;
  std::string batch_per_device;
  std::vector<double> totals;
  // Of the last line of a step.
  std::optional<double> standard_error, jitter;
  std::optional<int> identity;  // what tells processes of a run apart; nothing: unknown

  std::string_view operator[](std::string_view label) const {
    const auto found = labels.find(label);
    return found == labels.end() ? std::string_view() : std::string_view(found->second);
  }
};

// "10\timages/sec: 1120.9 +/- 10.1 (jitter = 34.0)\t9.141"
void read_step(std::string_view text, Section& section) {
  const std::size_t error = text.find("+/-");
  const std::size_t jitter = text.find("(jitter =");
  if (text.find("\timages/sec:") == std::string_view::npos || error == std::string_view::npos ||
      jitter == std::string_view::npos) {
    return;
  }
  std::string_view rest = text.substr(error + 3);
  section.standard_error = take_number(rest);
  rest = text.substr(jitter + 9);
  section.jitter = take_number(rest);
}

bool read_label(std::string_view text, Section& section) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view label = text.substr(0, colon);
  if (std::ranges::count(kLabels, label) == 0) return false;
  section.labels[std::string(label)] = trim(text.substr(colon + 1));
  return true;
}

bool begins_run(std::string_view text) {
  return text.starts_with("Model:") || text.starts_with("TensorFlow:") ||
         text.starts_with("lockstep:");
}

// A run of another model: the one before has ended early.
bool other_model(std::string_view text, const Section& section) {
  const auto model = after(text, "Model:");
  return model && !section["Model"].empty() && section["Model"] != *model;
}

// What one process printed, run by run: labels behind a total begin the next one.
std::vector<Section> sections_of(const Source& source, const std::vector<LogLine>& lines) {
  std::vector<Section> sections;
  for (const LogLine& line : lines) {
    const bool begins = begins_run(line.text);
    const bool next = begins && !sections.empty() &&
                      (!sections.back().totals.empty() || other_model(line.text, sections.back()));
    if (sections.empty() || next) {
      if (!begins && !line.text.starts_with(kTfCnnTotal)) continue;
      sections.emplace_back();
      sections.back().source = &source;
      sections.back().line = line.number;
      sections.back().identity = line.rank;
    }
    Section& section = sections.back();
    if (const auto total = after(line.text, kTfCnnTotal)) {
      std::string_view rest = *total;
      const auto speed = take_speed(rest);
      if (!speed || !rest.empty()) {
        throw wrong_line(
            source, line.number,
            fmt::format("expected a speed behind '{}', found '{}'", kTfCnnTotal, *total));
      }
      section.totals.push_back(*speed);
    } else if (!read_label(line.text, section)) {
      const std::string_view text = trim(line.text);
      if (text.ends_with(" per device")) {
        section.batch_per_device = text.substr(0, text.find(' '));
      } else {
        read_step(line.text, section);
      }
    }
  }
  return sections;
}

// The number behind the last occurrence of `word` in the text: task:3, rank.3.
std::optional<int> number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.rfind(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + word.size());
  rest = rest.substr(0, rest.find_first_not_of("0123456789"));
  const auto number = parse_int(rest);
  if (!number || *number > (1 << 30)) return std::nullopt;
  return static_cast<int>(*number);
}

// A section, understood.
struct RunPart {
  const Section* section = nullptr;
  int devices = 0;    // of all processes; 0: not known
  int processes = 1;  // that print a total each
};

int own_devices(const Section& section) {
  return static_cast<int>(std::ranges::count(section["Devices"], '\'') / 2);
}

RunPart understand(const Section& section, const ImportOptions& options) {
  RunPart part{.section = &section};
  const auto global = count_of(section["Batch size"].substr(0, section["Batch size"].find(' ')));
  const auto device = count_of(section.batch_per_device);
  if (options.given.devices) {
    part.devices = *options.given.devices;
  } else if (global && device) {
    if (*global % *device != 0) {
      throw wrong_line(
          *section.source, section.line,
          fmt::format("a batch of {} in all cannot be {} per device", *global, *device));
    }
    part.devices = *global / *device;
  }
  const bool horovod = section["Variables"] == "horovod";
  const bool clustered =
      section["Devices"].find("/job:") != std::string_view::npos && section["SingleSess"] != "True";
  const int own = horovod ? 1 : own_devices(section);
  if ((horovod || clustered) && own > 0) part.processes = std::max(1, part.devices / own);
  if (clustered && part.processes == 1 && !options.given.devices) {
    throw wrong_line(*section.source, section.line,
                     "this process is one of a cluster, but nothing says of how many: early "
                     "versions print the batch of one process",
                     "--devices=N says how many devices took part");
  }
  if (!section.labels.empty() && std::cmp_greater(section.totals.size(), part.processes)) {
    throw wrong_line(*section.source, section.line,
                     fmt::format("{} of a run of {}", counted(std::ssize(section.totals), "total"),
                                 counted(part.processes, "process")),
                     "--devices=N says how many devices took part");
  }
  return part;
}

// Runs are the same where all labels are, but for the names of each process's own devices.
std::map<std::string, std::string, std::less<>> shared_labels(const Section& section) {
  auto labels = section.labels;
  labels.erase("Devices");
  labels["per device"] = section.batch_per_device;
  return labels;
}

// The parts of one run.
using Group = std::vector<RunPart>;

bool belongs(const RunPart& part, const Group& group, bool one_run) {
  const Section& section = *part.section;
  const Section& first = *group.front().section;
  const bool alike = shared_labels(section) == shared_labels(first);
  if (one_run) {
    if (alike) return true;
    throw wrong_line(
        *section.source, section.line,
        fmt::format("this is not of the same run as {}:{}", first.source->path, first.line),
        "leave --one_run out");
  }
  return alike && part.processes > 1 && section.identity &&
         std::ranges::none_of(group, [&](const RunPart& other) {
           return !other.section->identity || other.section->identity == section.identity;
         });
}

std::vector<Group> grouped(const std::vector<RunPart>& parts, bool one_run) {
  std::vector<Group> groups;
  for (const RunPart& part : parts) {
    const auto own = std::ranges::find_if(
        groups, [&](const Group& group) { return belongs(part, group, one_run); });
    if (own == groups.end()) {
      groups.push_back({part});
    } else {
      own->push_back(part);
    }
  }
  return groups;
}

std::optional<std::string> text_of(std::string_view value) {
  return value.empty() ? std::nullopt : std::optional<std::string>(value);
}

RunSetup setup_of(const RunPart& part) {
  const Section& section = *part.section;
  RunSetup setup;
  setup.model = text_of(section["Model"]);
  const std::string_view dataset = section["Dataset"];
  setup.dataset = text_of(dataset.substr(0, dataset.find(' ')));
  if (const std::string_view mode = section["Mode"]; mode == "forward only") {
    setup.mode = "forward_only";
  } else {
    setup.mode = text_of(mode);
  }
  setup.strategy = text_of(section["Variables"]);
  setup.data_format = text_of(section["Data format"]);
  setup.optimizer = text_of(section["Optimizer"]);
  setup.batch_size = count_of(section.batch_per_device);
  if (part.devices > 0) setup.devices = part.devices;
  return setup;
}

std::string framework_of(const Section& section) {
  if (!section["lockstep"].empty()) return fmt::format("lockstep {}", section["lockstep"]);
  return section["TensorFlow"].empty() ? "TensorFlow"
                                       : fmt::format("TensorFlow {}", section["TensorFlow"]);
}

ImportedRun run_of(const Group& group) {
  const RunPart& first = group.front();
  const Section& section = *first.section;
  ImportedRun run{.format = "tf_cnn_benchmarks",
                  .framework = framework_of(section),
                  .files = {},
                  .line = section.line,
                  .setup = setup_of(first),
                  .figure = {}};
  for (const std::string_view label : kLabels) {
    if (!section[label].empty()) run.header.emplace_back(label, section[label]);
  }
  std::vector<double> totals;
  for (const RunPart& part : group) {
    const Section& one = *part.section;
    totals.insert(totals.end(), one.totals.begin(), one.totals.end());
    if (std::ranges::count(run.files, one.source->path) == 0) run.files.push_back(one.source->path);
  }
  run.images_per_second = stats::mean(totals);
  run.figure = totals.size() == 1 ? "the total that the run printed"
                                  : fmt::format("mean of the totals of {} ranks", totals.size());
  if (const auto steps = count_of(section["Num batches"])) run.steps_measured = *steps;
  if (run.setup.batch_size && run.setup.devices) {
    run.step_seconds =
        static_cast<double>(*run.setup.batch_size) * *run.setup.devices / run.images_per_second;
  }
  // Lines of steps speak of one process: of the run, where it is the only one.
  if (first.processes == 1 && group.size() == 1 && totals.size() == 1) {
    run.standard_error = section.standard_error;
    run.jitter = section.jitter;
  }
  if (std::cmp_less(totals.size(), first.processes)) {
    run.warnings.push_back(
        fmt::format("the totals of {} of {} ranks are known", totals.size(), first.processes));
  }
  const auto [least, most] = std::ranges::minmax(totals);
  if (most > 1.05 * least) {
    run.warnings.push_back(
        fmt::format("the ranks' totals differ: {:.2f} to {:.2f} images/s", least, most));
  }
  return run;
}

}  // namespace

bool looks_like_tf_cnn(const Source& source) {
  return source.text.find(kTfCnnTotal) != std::string::npos ||
         (source.text.find("images/sec:") != std::string::npos &&
          source.text.find(" per device") != std::string::npos);
}

Imported read_tf_cnn(std::span<const Source> sources, const ImportOptions& options) {
  std::vector<Section> sections;
  Imported imported;
  for (const Source& source : sources) {
    std::map<std::optional<int>, std::vector<LogLine>> streams;
    for (const LogLine& line : log_lines(source.text)) streams[line.rank].push_back(line);
    bool any = false;
    for (const auto& [rank, lines] : streams) {
      for (Section& section : sections_of(source, lines)) {
        if (section.totals.empty()) {
          imported.warnings.push_back(fmt::format("{}:{}: a run that printed no total is left out",
                                                  source.path, section.line));
          continue;
        }
        any = true;
        if (!section.identity) section.identity = number_behind(section["Devices"], "/task:");
        if (!section.identity) section.identity = number_behind(source.path, "rank.");
        sections.push_back(std::move(section));
      }
    }
    if (!any) {
      throw wrong_line(source, static_cast<int>(std::ranges::count(source.text, '\n')) + 1,
                       fmt::format("no run ends in a line '{} SPEED'", kTfCnnTotal),
                       "is the log whole?");
    }
  }
  std::vector<RunPart> parts;
  for (const Section& section : sections) parts.push_back(understand(section, options));
  for (const Group& group : grouped(parts, options.one_run)) imported.runs.push_back(run_of(group));
  return imported;
}

}  // namespace lockstep::report
