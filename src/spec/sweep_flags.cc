#include "spec/sweep_flags.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "spec/cluster.h"
#include "spec/names.h"
#include "spec/types.h"

namespace lockstep::spec {
namespace {

Error usage(const std::string& message, std::string hint = {}) {
  return Error(ExitCode::usage, message, std::move(hint));
}

// --- Effects ------------------------------------------------------------------------------------

const std::string& words(const Value& value) {
  return std::get<std::string>(value);
}

// The items of a list, none of them empty or there twice.
std::vector<std::string> items(std::string_view text, std::string_view shown) {
  std::vector<std::string> found;
  std::set<std::string> known;
  for (const std::string& part : split(text, ',')) {
    const std::string item(trim(part));
    if (item.empty()) throw usage(fmt::format("{}: one of the values is empty", shown));
    if (!known.insert(item).second) {
      throw usage(fmt::format("{}: {} is there twice", shown, item));
    }
    found.push_back(item);
  }
  return found;
}

// The items of a list of what one flag of run takes.
template <typename Item>
std::vector<Item> values_of(std::string_view flag, const Value& value, std::string_view shown) {
  std::vector<Item> values;
  for (const std::string& item : items(words(value), shown)) {
    const Value one = parse_value(find_flag(flag)->type, item, fmt::format("{}: {}", shown, item));
    if constexpr (std::is_same_v<Item, int>) {
      values.push_back(static_cast<int>(std::get<std::int64_t>(one)));
    } else {
      values.push_back(words(one));
    }
  }
  return values;
}

void models(ParsedSweep& parsed, const Value& value, std::string_view shown) {
  parsed.sweep.models = parse_models(words(value), shown);
}

void scaling(ParsedSweep& parsed, const Value& value, std::string_view) {
  const std::string& word = words(value);
  if (word == "both") {
    parsed.sweep.scaling = {Scaling::weak, Scaling::strong};
  } else {
    parsed.sweep.scaling = {named<Scaling>(word).value()};
  }
}

void inputs(ParsedSweep& parsed, const Value& value, std::string_view shown) {
  for (const std::string& item : items(words(value), shown)) {
    const auto kind = named<InputKind>(item);
    if (!kind) {
      const std::vector<std::string> known(kNames<InputKind>.begin(), kNames<InputKind>.end());
      const Error unknown = unknown_name("input", item, known);
      throw usage(fmt::format("{}: {}", shown, unknown.what()), unknown.hint());
    }
    parsed.sweep.inputs.push_back(*kind);
  }
}

template <auto field>
void integer_of(ParsedSweep& parsed, const Value& value, std::string_view) {
  parsed.sweep.*field = static_cast<int>(std::get<std::int64_t>(value));
}
template <auto field>
void real_of(ParsedSweep& parsed, const Value& value, std::string_view) {
  parsed.sweep.*field = std::get<double>(value);
}
template <auto field>
void flag_of(ParsedSweep& parsed, const Value& value, std::string_view) {
  parsed.*field = std::get<bool>(value);
}

// --- The table ----------------------------------------------------------------------------------

constexpr std::string_view kWhat = "What to measure";
constexpr std::string_view kHow = "How often and how long";
constexpr std::string_view kWhere = "Where to run";
constexpr std::string_view kOutput = "Where the results go";

std::vector<SweepFlag> what() {
  return {
      {{.name = "models",
        .alias = "model",
        .group = kWhat,
        .type = list(),
        .help = "networks, each with its batch size per device: Inceptionv3:32,Alexnet:512"},
       models},
      {{.name = "batch_size",
        .alias = "b",
        .group = kWhat,
        .type = integer("0", 0),
        .help = "of models without a size of their own; 0: the model's"},
       integer_of<&Sweep::batch_size>},
      {{.name = "devices",
        .alias = "num_gpus",
        .group = kWhat,
        .type = list(),
        .help = "counts: 1,2,3 are these, 1:8 is 1, 2, 4, 8, doubling and always with the last; "
                "not set: 1 to all"},
       [](ParsedSweep& parsed, const Value& value, std::string_view shown) {
         parsed.sweep.devices = parse_devices(words(value), shown);
       }},
      {{.name = "strategies",
        .alias = "variable_update",
        .group = kWhat,
        .type = list("replicated"),
        .help = "how devices exchange gradients: see --variable_update of lockstep run"},
       [](ParsedSweep& parsed, const Value& value, std::string_view shown) {
         parsed.sweep.strategies = values_of<std::string>("variable_update", value, shown);
       }},
      {{.name = "num_ps",
        .group = kWhat,
        .type = list("0"),
        .help = "parameter servers that do nothing else; 0: every rank serves a share"},
       [](ParsedSweep& parsed, const Value& value, std::string_view shown) {
         parsed.sweep.num_ps = values_of<int>("num_ps", value, shown);
       }},
      {{.name = "data_formats",
        .alias = "data_format",
        .group = kWhat,
        .type = list("auto"),
        .help = "layouts of images in memory"},
       [](ParsedSweep& parsed, const Value& value, std::string_view shown) {
         parsed.sweep.data_formats = values_of<std::string>("data_format", value, shown);
       }},
      {{.name = "inputs",
        .group = kWhat,
        .type = list(),
        .help = "images to compare: synthetic, cached (one record of --data_dir for ever: "
                "preprocessing without reading), real; not set: real with --data_dir, else "
                "synthetic"},
       inputs},
      {{.name = "scaling",
        .group = kWhat,
        .type = {.kind = Kind::choice,
                 .default_text = "weak",
                 .choices = {"weak", "strong", "both"}},
        .help = "what stays when devices are added: the batch of each, or of all"},
       scaling},
      {{.name = "ceiling",
        .group = kWhat,
        .type = boolean("true"),
        .help = "measure independent devices beside each count: no exchange is faster than none"},
       [](ParsedSweep& parsed, const Value& value, std::string_view) {
         parsed.sweep.ceiling = std::get<bool>(value);
       }},
      {{.name = "threads_per_device",
        .alias = "num_intra_threads",
        .group = kWhat,
        .type = integer("0", 0),
        .help = "the same for all points; 0: the allowed cores of a host divided by its devices, "
                "at the "
                "largest count"},
       integer_of<&Sweep::threads_per_device>},
  };
}

std::vector<SweepFlag> how() {
  return {
      {{.name = "repeats",
        .group = kHow,
        .type = integer("3", 1),
        .help = "launches of every point, interleaved with those of the others"},
       integer_of<&Sweep::repeats>},
      {{.name = "target_precision",
        .group = kHow,
        .type = above_zero("", 1),
        .help = "go on until every point's 95 % interval is within this share of its speed"},
       real_of<&Sweep::target_precision>},
      {{.name = "max_time",
        .group = kHow,
        .type = above_zero(),
        .help = "start no launch after so many seconds"},
       real_of<&Sweep::max_time>},
      {{.name = "launch_time",
        .group = kHow,
        .type = above_zero(),
        .help = "seconds of timed steps in a launch; not set: about two minutes for the sweep, 2 "
                "to 5 s each, unless --num_batches or --num_epochs says it"},
       real_of<&Sweep::launch_time>},
      {{.name = "point_time_limit",
        .group = kHow,
        .type = above_zero(),
        .help = "end a launch after so many seconds: it has failed"},
       real_of<&Sweep::point_time_limit>},
      {{.name = "retries",
        .group = kHow,
        .type = integer("1", 0),
        .help = "further launches for a point whose ranks died"},
       integer_of<&Sweep::retries>},
      {{.name = "resume",
        .group = kHow,
        .type = boolean(),
        .help = "go on with the sweep in --result_dir; what it has measured is kept"},
       flag_of<&ParsedSweep::resume>},
      {{.name = "spec",
        .group = kHow,
        .type = text(),
        .help = "a YAML file whose keys are these flags; a sweep.json is one"},
       nullptr},
  };
}

std::vector<SweepFlag> output() {
  return {
      {{.name = "result_dir",
        .group = kOutput,
        .type = text(),
        .help = "not set: results/sweep-DATE-TIME"},
       [](ParsedSweep& parsed, const Value& value, std::string_view) {
         parsed.result_dir = words(value);
       }},
      {{.name = "curves_dir",
        .group = kOutput,
        .type = text(),
        .help = "write the files of earlier scalability tests here as well: logs/NAME_bBATCH.csv, "
                ".csv.ideal, .svg, csv_lockstep/, comparison_graph.svg"},
       [](ParsedSweep& parsed, const Value& value, std::string_view) {
         parsed.curves_dir = words(value);
       }},
      {{.name = "dry_run",
        .group = kOutput,
        .type = boolean(),
        .help = "print every command that would run, and run none"},
       flag_of<&ParsedSweep::dry_run>},
      {{.name = "print_config",
        .group = kOutput,
        .type = boolean(),
        .help = "print the resolved sweep as JSON and exit"},
       flag_of<&ParsedSweep::print_config>},
      {{.name = "live",
        .group = kOutput,
        .type = boolean(),
        .help = "show what the ranks print while they run"},
       flag_of<&ParsedSweep::live>},
  };
}

SweepFlag of_site(std::string_view name, std::string_view alias, Type type, std::string_view help) {
  return {.flag = {.name = name,
                   .alias = alias,
                   .group = kWhere,
                   .type = std::move(type),
                   .help = help},
          .apply = nullptr,
          .site = true};
}

std::vector<SweepFlag> where() {
  return {
      {{.name = "launcher",
        .group = kWhere,
        .type = text(),
        .help = "what starts the ranks, see below; not set: local, with other hosts ssh"},
       [](ParsedSweep& parsed, const Value& value, std::string_view) {
         parsed.sweep.launcher = words(value);
       }},
      of_site("hosts", "", list(), "hosts with their devices: node1:4,ubuntu@node2:4"),
      of_site("hosts_file", "nodes_file", text(),
              "the same from a file: lines 'address alias', an Open MPI hostfile, a PBS nodefile"),
      of_site("ssh_hosts_file", "", text(),
              "with --hosts_file: where ssh reaches those hosts, an address a line"),
      of_site("num_hosts", "hosts_count", integer("", 1), "only the first so many of them"),
      of_site("devices_per_host", "", integer("", 1, kMaxRanks),
              "of hosts whose list or file does not tell"),
      of_site("remote_dir", "", text(),
              "the hosts' own directory for the program and its results; not set: they share our "
              "files"),
      of_site("ssh_user", "", text(), "not set: ssh's own"),
      of_site("ssh_key", "", text(), "file of the key; not set: ssh's own"),
      of_site("ssh_port", "", integer("", 1), "of sshd; not set: ssh's own"),
      of_site("ssh_config", "", text(), "a file instead of ~/.ssh/config"),
      of_site("port", "", integer("2230", 1),
              "tcp only: where rank 0 waits for the others; data takes one of the next ports for "
              "each rank"),
      of_site("processes", "", boolean(), "of local: a process for each device, not a thread"),
      of_site("servers_per_host", "", integer("", 1, kMaxRanks), "not set: as even as can be"),
      of_site("servers_apart", "", boolean(), "servers on hosts of their own, the first ones"),
      of_site("launcher_args", "", text(), "words for mpirun or srun, before the program"),
      of_site("sbatch_args", "", text(),
              "of slurm outside an allocation: options of the job, --partition=long --time=60"),
  };
}

}  // namespace

std::span<const SweepFlag> sweep_flags() {
  static const std::vector<SweepFlag> all = [] {
    std::vector<SweepFlag> rows;
    for (const auto& part : {what(), how(), where(), output()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }();
  return all;
}

bool set_by_sweep(const Flag& flag) {
  constexpr std::string_view kNames[] = {"worker_hosts", "ps_hosts",   "controller_host",
                                         "job_name",     "task_index", "token_file"};
  return std::ranges::count(kNames, flag.name) > 0;
}

std::vector<int> parse_devices(std::string_view text, std::string_view shown) {
  const auto count = [&](std::string_view word) {
    const auto n = parse_int(trim(word));
    if (n && *n >= 1 && *n <= kMaxRanks) return static_cast<int>(*n);
    throw usage(fmt::format("{}: '{}' is not a number of devices", shown, word),
                fmt::format("a list such as 1,2,3, or 1:8 for 1, 2, 4, 8; at most {}", kMaxRanks));
  };
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const int first = count(text.substr(0, colon));
    const int last = count(text.substr(colon + 1));
    if (first > last) throw usage(fmt::format("{}: the first count is above the last", shown));
    return doubling(first, last);
  }
  std::set<int> counts;  // ascending: the smallest is the baseline
  for (const std::string& item : items(text, shown)) counts.insert(count(item));
  return {counts.begin(), counts.end()};
}

std::vector<ModelBatch> parse_models(std::string_view text, std::string_view shown) {
  std::vector<ModelBatch> models;
  for (const std::string& item : items(text, shown)) {
    const std::size_t colon = item.find(':');
    ModelBatch model{.model = std::string(trim(item.substr(0, colon)))};
    if (colon != std::string::npos) {
      const auto batch = parse_int(trim(std::string_view(item).substr(colon + 1)));
      if (!batch || *batch < 1 || *batch > static_cast<std::int64_t>(kMaxInt)) {
        throw usage(fmt::format("{}: {} has no batch size behind its colon", shown, item),
                    "write NAME or NAME:BATCH, such as alexnet:512");
      }
      model.batch_size = static_cast<int>(*batch);
    }
    if (model.model.empty()) throw usage(fmt::format("{}: {} has no name", shown, item));
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace lockstep::spec
