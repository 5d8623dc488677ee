#include "cli/comm_options.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "cli/help.h"
#include "spec/vocabulary.h"

namespace lockstep::cli {
namespace {

using spec::Flag;
using spec::Kind;
using spec::Value;

constexpr std::string_view kSizes = "sizes";
constexpr std::string_view kDefaultSizes = "1KB:64MB";

struct CommFlag {
  Flag flag;
  void (*apply)(CommOptions& options, const Value& value);
};

const std::string& text_of(const Value& value) {
  return std::get<std::string>(value);
}

std::vector<std::string> words_of(const Value& value) {
  std::vector<std::string> words;
  for (const std::string& word : split(text_of(value), ',')) words.emplace_back(trim(word));
  return words;
}

void set_format(CommOptions& options, const Value& value, CommFormat format) {
  if (!std::get<bool>(value)) return;
  if (options.format != CommFormat::table) {
    throw Error(ExitCode::usage, "--json and --csv exclude each other", "give one of them");
  }
  options.format = format;
}

std::span<const CommFlag> comm_flags() {
  static const std::vector<CommFlag> flags = {
      {{.name = kSizes,
        .group = "What",
        .type = {.kind = Kind::text, .default_text = kDefaultSizes},
        .help = "bytes per rank: FROM:TO, doubling, or a list; KB, MB, GB are powers of 1024"},
       [](CommOptions& options, const Value& value) {
         options.sizes = parse_sizes(text_of(value));
       }},
      {{.name = "operation",
        .group = "What",
        .type = {.kind = Kind::choice,
                 .default_text = kCommKinds[0],
                 .choices = {std::begin(kCommKinds), std::end(kCommKinds)}},
        .help = "what is measured"},
       [](CommOptions& options, const Value& value) {
         const auto at = std::ranges::find(kCommKinds, text_of(value)) - std::begin(kCommKinds);
         options.kind = static_cast<CommKind>(at);
       }},
      {{.name = "algorithms",
        .group = "What",
        .type = {.kind = Kind::list},
        .help =
            "which ones; auto: what training takes at each size; vendor: the MPI library's own; "
            "not set: all that make sense"},
       [](CommOptions& options, const Value& value) { options.algorithms = words_of(value); }},
      {{.name = "iterations",
        .group = "What",
        .type = {.kind = Kind::integer,
                 .default_text = "0",
                 .low = 0,
                 .high = std::numeric_limits<int>::max()},
        .help = "timed samples of each row; 0: as many as fit a tenth of a second, at least 9"},
       [](CommOptions& options, const Value& value) {
         options.iterations = static_cast<int>(std::get<std::int64_t>(value));
       }},
      {{.name = "check",
        .group = "What",
        .type = {.kind = Kind::boolean, .default_text = "true"},
        .help = "count wrong elements"},
       [](CommOptions& options, const Value& value) { options.check = std::get<bool>(value); }},
      {{.name = "json",
        .group = "Output",
        .type = {.kind = Kind::boolean},
        .help = "one JSON document"},
       [](CommOptions& options, const Value& value) {
         set_format(options, value, CommFormat::json);
       }},
      {{.name = "csv",
        .group = "Output",
        .type = {.kind = Kind::boolean},
        .help = "comma-separated rows behind a line of names"},
       [](CommOptions& options, const Value& value) {
         set_format(options, value, CommFormat::csv);
       }},
  };
  return flags;
}

// The flags of run that have the same meaning here.
constexpr std::string_view kModel = "model";
constexpr std::string_view kDevices = "num_gpus";
constexpr std::string_view kShared[] = {kModel,          "data_name",         "image_size",
                                        "num_classes",   "batch_size",        "fusion_threshold_mb",
                                        kDevices,        "num_intra_threads", "oversubscribe",
                                        "transport",     "worker_hosts",      "job_name",
                                        "task_index",    "network_interface", "token_file",
                                        "start_timeout", "deadline"};

spec::Vocabulary comm_vocabulary() {
  std::vector<const Flag*> flags;
  for (const CommFlag& own : comm_flags()) flags.push_back(&own.flag);
  for (const std::string_view name : kShared) flags.push_back(spec::find_flag(name));
  return {"comm", std::move(flags)};
}

std::optional<std::size_t> parse_size(std::string_view text) {
  std::string word = lower(trim(text));
  if (word.ends_with('b')) word.pop_back();
  int shift = 0;
  constexpr std::string_view kUnits = "kmg";
  if (!word.empty()) {
    if (const std::size_t unit = kUnits.find(word.back()); unit != std::string_view::npos) {
      shift = 10 * static_cast<int>(unit + 1);
      word.pop_back();
    }
  }
  const std::optional<std::int64_t> number = parse_int(word);
  if (!number || *number < 1 || *number > (std::int64_t{1} << 40) >> shift) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(*number) << shift;
  if (bytes % sizeof(float) != 0) return std::nullopt;
  return bytes;
}

}  // namespace

std::vector<std::size_t> parse_sizes(std::string_view text) {
  const auto size = [&](std::string_view part) {
    if (const auto bytes = parse_size(part)) return *bytes;
    throw Error(
        ExitCode::usage,
        fmt::format("--sizes={}: '{}' is not a size in whole floats of 4 bytes", text, part),
        "a range such as 1KB:256MB, or a list such as 4KB,1MB,100MB");
  };
  std::vector<std::size_t> sizes;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::size_t last = size(text.substr(colon + 1));
    for (std::size_t bytes = size(text.substr(0, colon)); bytes <= last; bytes *= 2) {
      sizes.push_back(bytes);
    }
    if (sizes.empty()) {
      throw Error(ExitCode::usage, fmt::format("--sizes={}: the first is above the last", text));
    }
    return sizes;
  }
  for (const std::string& part : split(text, ',')) sizes.push_back(size(part));
  return sizes;
}

CommOptions parse_comm(std::span<const std::string> arguments, const Getenv& getenv) {
  CommOptions options;
  bool sizes_given = false, model_given = false;
  std::vector<std::string> shared = {"--variable_update=replicated"};  // left to run's parser
  for (const spec::Given& given : comm_vocabulary().read_arguments(arguments)) {
    const auto own = std::ranges::find_if(
        comm_flags(), [&](const CommFlag& flag) { return &flag.flag == given.flag; });
    if (own != comm_flags().end()) {
      own->apply(options, parse_value(given.flag->type, given.text, given.shown));
    } else {
      shared.push_back(given.shown);
    }
    sizes_given = sizes_given || given.flag->name == kSizes;
    model_given = model_given || given.flag->name == kModel;
    options.devices_given = options.devices_given || given.flag->name == kDevices;
  }
  if (sizes_given && model_given) {
    throw Error(ExitCode::usage, "--sizes and --model exclude each other",
                "a model's sizes are those of its buckets");
  }
  for (const char* variable : {"LOCKSTEP_DEVICES", "LOCKSTEP_NUM_GPUS"}) {
    options.devices_given = options.devices_given || getenv(variable) != nullptr;
  }
  if (!sizes_given && !model_given) options.sizes = parse_sizes(kDefaultSizes);
  options.parsed = spec::parse_run(shared, getenv);
  return options;
}

std::string comm_help(bool) {
  std::string out =
      "usage: lockstep comm [--flag=value ...]\n\n"
      "Measures collectives alone: what it takes to sum up arrays of all ranks, by each "
      "algorithm,\n"
      "and how many elements come out wrong.\n\n"
      "examples:\n"
      "  lockstep comm\n"
      "      all-reduce of 1 KB to 64 MB between as many devices as there are cores\n"
      "  lockstep comm --sizes=64MB,256MB --operation=reduce_scatter --algorithms=ring,direct\n"
      "      two sizes, two algorithms\n"
      "  lockstep comm --algorithms=auto,ring,direct\n"
      "      whether what training takes is the fastest\n"
      "  lockstep comm --model=vgg16 --devices=2 --csv\n"
      "      the buckets in which vgg16 exchanges its gradients, one by one and all at once\n"
      "  mpirun --bind-to none -np 2 lockstep comm --algorithms=direct,vendor\n"
      "      against the MPI library's own\n";
  std::string_view group;
  const auto add = [&](const Flag& flag, std::string_view its_group) {
    if (its_group != group) out += fmt::format("\n{}:\n", group = its_group);
    out += flag_help(flag);
  };
  for (const CommFlag& own : comm_flags()) add(own.flag, own.flag.group);
  for (const std::string_view name : kShared) {
    Flag flag = *spec::find_flag(name);
    if (name == kDevices) {
      flag.help = "devices per host; not set: as many as there are cores";
      flag.type.default_text = "";
    }
    add(flag, "As in lockstep run");
  }
  out +=
      "\nA time is the median over samples of the slowest rank's; algbw is bytes / time, busbw "
      "what a link carries: algbw times 2(n-1)/n for\n"
      "all_reduce, (n-1)/n for the others, with n ranks.\n"
      "\nexit codes: 0 done, 2 wrong usage, 3 something is missing on this machine, such as\n"
      "memory, 4 a rank did not connect within --start_timeout, 5 wrong elements or a lost rank\n";
  return out;
}

}  // namespace lockstep::cli
