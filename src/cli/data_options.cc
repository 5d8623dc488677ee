#include "cli/data_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "cli/help.h"
#include "data/formats.h"
#include "spec/sweep_flags.h"
#include "spec/vocabulary.h"

namespace lockstep::cli {
namespace {

using spec::Flag;
using spec::Kind;
using spec::Value;

struct DataFlag {
  Flag flag;
  void (*apply)(DataOptions& options, const Value& value);
};

struct Action {
  DataAction action;
  std::string_view name;
  std::string_view directories;  // as its usage names them
  std::string_view about;
  std::vector<DataFlag> flags;
  bool on_hosts = false;  // takes flags of a sweep, too: those that name hosts
};

template <typename Number>
Number number_of(const Value& value) {
  return static_cast<Number>(std::get<std::int64_t>(value));
}

spec::Type count(std::string_view default_text, double low, double high) {
  return {.kind = Kind::integer, .default_text = default_text, .low = low, .high = high};
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const data::Format& format : data::formats()) names.push_back(format.name);
  return names;
}

constexpr std::string_view kExitCodes =
    "\nexit codes: 0 done, 2 wrong usage or damaged files, 3 something is missing on this "
    "machine,\n"
    "4 a host could not be reached or written to, 130 interrupted, 143 terminated\n";

constexpr double kMostImages = 5'000'000;  // of MNIST's size: 4 GB, which are made in memory
constexpr double kMostShards = 99'999;
constexpr double kMostSeed = std::numeric_limits<std::int32_t>::max();

std::span<const Action> actions() {
  static const std::vector<Action> all = {
      {DataAction::inspect,
       "inspect",
       "DIR",
       "Prints what is in a dataset, and what is damaged.",
       {{{.name = "json",
          .group = "inspect",
          .type = {.kind = Kind::boolean},
          .help = "one JSON document, see docs/formats.md"},
         [](DataOptions& options, const Value& value) { options.json = std::get<bool>(value); }},
        {{.name = "skip_corrupt",
          .group = "inspect",
          .type = {.kind = Kind::boolean},
          .help = "exit code 0 even if records are damaged"},
         [](DataOptions& options, const Value& value) {
           options.skip_corrupt = std::get<bool>(value);
         }}}},
      {DataAction::make,
       "make",
       "DIR",
       "Writes a dataset of synthetic images that can be learned, and prints a command that "
       "learns\nthem.",
       {{{.name = "format",
          .group = "make",
          .type = {.kind = Kind::choice, .default_text = "mnist", .choices = format_names()},
          .help = "of the files"},
         [](DataOptions& options, const Value& value) {
           options.make.format = std::get<std::string>(value);
         }},
        {{.name = "train",
          .group = "make",
          .type = count("6000", 1, kMostImages),
          .help = "images for training"},
         [](DataOptions& options, const Value& value) {
           options.make.train = number_of<std::uint64_t>(value);
         }},
        {{.name = "validation",
          .group = "make",
          .type = count("1000", 1, kMostImages),
          .help = "images for validation"},
         [](DataOptions& options, const Value& value) {
           options.make.validation = number_of<std::uint64_t>(value);
         }},
        {{.name = "classes",
          .group = "make",
          .type = count("10", 1, 1000),
          .help = "how many to tell apart"},
         [](DataOptions& options, const Value& value) {
           options.make.classes = number_of<int>(value);
         }},
        {{.name = "image_size",
          .group = "make",
          .type = count("64", 8, 4096),
          .help = "shorter side of JPEG files, in pixels; the longer one is up to half as long "
                  "again"},
         [](DataOptions& options, const Value& value) {
           options.make.image_size = number_of<int>(value);
         }},
        {{.name = "shards",
          .group = "make",
          .type = count("4", 1, kMostShards),
          .help = "TFRecord files for training; an eighth as many, at least one, for validation"},
         [](DataOptions& options, const Value& value) {
           options.make.shards = number_of<int>(value);
         }},
        {{.name = "gzip",
          .group = "make",
          .type = {.kind = Kind::boolean},
          .help = "compress MNIST's files"},
         [](DataOptions& options, const Value& value) {
           options.make.gzip = std::get<bool>(value);
         }},
        {{.name = "seed",
          .group = "make",
          .type = count("1", 0, kMostSeed),
          .help = "another one makes other images of the same classes"},
         [](DataOptions& options, const Value& value) {
           options.make.seed = number_of<std::uint64_t>(value);
         }}}},
      {DataAction::convert,
       "convert",
       "FROM TO",
       "Turns a folder of images into TFRecord files.",
       {{{.name = "shards",
          .group = "convert",
          .type = count("64", 1, kMostShards),
          .help = "TFRecord files for training"},
         [](DataOptions& options, const Value& value) {
           options.convert.shards = number_of<int>(value);
         }},
        {{.name = "validation_shards",
          .group = "convert",
          .type = count("8", 1, kMostShards),
          .help = "TFRecord files for validation"},
         [](DataOptions& options, const Value& value) {
           options.convert.validation_shards = number_of<int>(value);
         }},
        {{.name = "first_label",
          .group = "convert",
          .type = count("1", 0, 1),
          .help = "of the first class; 1 leaves 0 to the background, as ImageNet's converter does"},
         [](DataOptions& options, const Value& value) {
           options.convert.first_label = number_of<int>(value);
         }},
        {{.name = "seed",
          .group = "convert",
          .type = count("1", 0, kMostSeed),
          .help = "of the order in which images go into files"},
         [](DataOptions& options, const Value& value) {
           options.convert.seed = number_of<std::uint64_t>(value);
         }},
        {{.name = "skip_corrupt",
          .group = "convert",
          .type = {.kind = Kind::boolean},
          .help = "leave out damaged images instead of ending there"},
         [](DataOptions& options, const Value& value) {
           options.convert.skip_corrupt = std::get<bool>(value);
         }}}},
      {DataAction::copy,
       "copy",
       "DIR",
       "Brings a dataset to other hosts by ssh: compares checksums, and sends what is missing "
       "or\ndifferent there.",
       {{{.name = "to",
          .group = "copy",
          .type = {.kind = Kind::text},
          .help = "directory on the hosts, made if need be; not set: as it is called here"},
         [](DataOptions& options, const Value& value) {
           options.to = std::get<std::string>(value);
         }},
        {{.name = "shards",
          .group = "copy",
          .type = {.kind = Kind::boolean},
          .help = "of N hosts, each gets every N-th TFRecord file for training, and all for "
                  "validation"},
         [](DataOptions& options, const Value& value) { options.shares = std::get<bool>(value); }}},
       true},
  };
  return all;
}

std::vector<const Flag*> flags_of(const Action& action) {
  constexpr std::string_view kOfHosts[] = {"hosts",     "hosts_file", "ssh_hosts_file",
                                           "num_hosts", "ssh_user",   "ssh_key",
                                           "ssh_port",  "ssh_config"};
  std::vector<const Flag*> flags;
  for (const DataFlag& row : action.flags) flags.push_back(&row.flag);
  for (const spec::SweepFlag& row : spec::sweep_flags()) {
    if (action.on_hosts && std::ranges::count(kOfHosts, row.flag.name) > 0) {
      flags.push_back(&row.flag);
    }
  }
  return flags;
}

const Action& find_action(std::span<const std::string> arguments) {
  std::vector<std::string> known;
  for (const Action& action : actions()) {
    if (!arguments.empty() && action.name == arguments[0]) return action;
    known.emplace_back(action.name);
  }
  if (arguments.empty()) {
    throw Error(ExitCode::usage, "data needs to know what to do", "known: " + join(known, ", "));
  }
  throw unknown_name("data action", arguments[0], known);
}

}  // namespace

DataOptions parse_data(std::span<const std::string> arguments) {
  const Action& action = find_action(arguments);
  const spec::Vocabulary vocabulary("data", flags_of(action));

  DataOptions options{.action = action.action};
  const std::vector<spec::Given> all =
      vocabulary.read_arguments(arguments.subspan(1), &options.directories);
  if (options.directories.size() != split(action.directories, ' ').size()) {
    throw Error(ExitCode::usage,
                fmt::format("{} for data {}", counted(std::ssize(options.directories), "directory"),
                            action.name),
                fmt::format("lockstep data {} {}", action.name, action.directories));
  }
  for (const spec::Given& given : all) {
    const auto row = std::ranges::find_if(
        action.flags, [&](const DataFlag& own) { return &own.flag == given.flag; });
    const Value value = parse_value(given.flag->type, given.text, given.shown);
    if (row != action.flags.end()) {
      row->apply(options, value);
    } else {
      options.where.site[std::string(given.flag->name)] = given.text;
    }
  }
  return options;
}

std::string data_help(bool) {
  std::string out =
      "usage: lockstep data inspect DIR [--json] [--skip_corrupt]\n"
      "       lockstep data make DIR [--flag=value ...]\n"
      "       lockstep data convert FROM TO [--flag=value ...]\n"
      "       lockstep data copy DIR --hosts=A,B [--to=DIR] [--shards]\n\n"
      "Datasets in files. inspect tells what is in one, and what is damaged; make writes one of\n"
      "made-up images that can be learned; convert turns a folder of images into TFRecord files;\n"
      "copy brings one to other hosts by ssh. It compares checksums, sends what is missing or\n"
      "different there, and goes on where an earlier one was cut off.\n"
      "\n"
      "The format of a dataset is told by the names of its files:\n";
  for (const data::Format& format : data::formats()) {
    out += fmt::format("  {:<16}{}\n", format.name, format.files);
  }
  out +=
      "\nAll files are read once; what was found is kept below ~/.cache/lockstep, and serves as "
      "long\n"
      "as no file changes.\n\n"
      "examples:\n"
      "  lockstep data inspect ~/imagenet\n"
      "      format, records, shapes, classes, errors\n"
      "  lockstep data make /tmp/waves --format=tfrecord --train=2000 --image_size=256\n"
      "      for those who do not have ImageNet\n"
      "  lockstep data convert photos /tmp/records --shards=16\n"
      "      photos/train/CLASS/*.jpg in 16 files, photos/val/CLASS/*.jpg in 8\n"
      "  lockstep data copy ~/imagenet --hosts=node1,node2 --to=/scratch/imagenet\n"
      "      for lockstep sweep --hosts=node1:4,node2:4 --data_dir=/scratch/imagenet\n";
  for (const Action& action : actions()) {
    out += fmt::format("\n{} {}:\n", action.name, action.directories);
    for (const Flag* flag : flags_of(action)) out += flag_help(*flag);
  }
  return out + std::string(kExitCodes);
}

std::string data_part_help(std::string_view name) {
  for (const Action& action : actions()) {
    if (action.name != name) continue;
    std::string out = fmt::format("usage: lockstep data {} {} [--flag=value ...]\n\n{}\n\n",
                                  action.name, action.directories, action.about);
    for (const Flag* flag : flags_of(action)) out += flag_help(*flag);
    return out + std::string(kExitCodes);
  }
  return {};
}

}  // namespace lockstep::cli
