#include "cli/import_options.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/error.h"
#include "cli/help.h"
#include "spec/flags.h"
#include "spec/vocabulary.h"

namespace lockstep::cli {
namespace {

using report::ImportOptions;
using report::RunSetup;
using spec::Flag;
using spec::Kind;
using spec::Value;

struct ImportFlag {
  Flag flag;
  void (*apply)(ImportCommand& command, const Value& value);
};

constexpr std::string_view kWhatTheyAre = "What the files are";
constexpr std::string_view kSays = "Missing or incorrect metadata";
constexpr std::string_view kAny = "Any program's log";
constexpr std::string_view kWhereTo = "Where the results go";

template <auto field>
void given_text(ImportCommand& command, const Value& value) {
  command.options.given.*field = std::get<std::string>(value);
}
template <auto field>
void given_count(ImportCommand& command, const Value& value) {
  command.options.given.*field = static_cast<int>(std::get<std::int64_t>(value));
}
template <auto field>
void option_text(ImportCommand& command, const Value& value) {
  command.options.*field = std::get<std::string>(value);
}

spec::Type count(double low) {
  return {.kind = Kind::integer, .low = low, .high = std::numeric_limits<int>::max()};
}
spec::Type text(std::string_view value = "") {
  return {.kind = Kind::text, .default_text = value};
}

spec::Type strategy() {
  spec::Type type = spec::find_flag("variable_update")->type;
  type.default_text = {};
  return type;
}

std::span<const ImportFlag> import_flags() {
  static const std::vector<ImportFlag> flags = {
      {{.name = "format",
        .group = kWhatTheyAre,
        .type = text("auto"),
        .help = "one of the formats above; auto: what each file looks like"},
       option_text<&ImportOptions::format>},
      {{.name = "one_run",
        .group = kWhatTheyAre,
        .type = {.kind = Kind::boolean},
        .help = "the files are what the ranks of one run printed; else those that do not name "
                "their rank are runs of their own"},
       [](ImportCommand& command, const Value& value) {
         command.options.one_run = std::get<bool>(value);
       }},
      {{.name = "model", .alias = "m", .group = kSays, .type = text(), .help = "name of the model"},
       given_text<&RunSetup::model>},
      {{.name = "batch_size",
        .alias = "b",
        .group = kSays,
        .type = count(1),
        .help = "images of a device in a step"},
       given_count<&RunSetup::batch_size>},
      {{.name = "devices",
        .group = kSays,
        .type = count(1),
        .help = "how many took part, of all processes"},
       given_count<&RunSetup::devices>},
      {{.name = "strategy",
        .group = kSays,
        .type = strategy(),
        .help = "how gradients were exchanged"},
       given_text<&RunSetup::strategy>},
      {{.name = "num_ps",
        .group = kSays,
        .type = count(0),
        .help = "parameter servers that did nothing else"},
       given_count<&RunSetup::num_ps>},
      {{.name = "data_format",
        .group = kSays,
        .type = {.kind = Kind::choice, .choices = {"NCHW", "NHWC"}},
        .help = "layout of images"},
       given_text<&RunSetup::data_format>},
      {{.name = "data_name",
        .group = kSays,
        .type = text(),
        .help = "of the images: imagenet, ..."},
       given_text<&RunSetup::dataset>},
      {{.name = "framework",
        .group = kSays,
        .type = text(),
        .help = "the program that measured, with its version"},
       option_text<&ImportOptions::framework>},
      {{.name = "operation",
        .group = kSays,
        .type = text(),
        .help = "of nccl-tests: all_reduce, reduce_scatter, all_gather, ..."},
       option_text<&ImportOptions::operation>},
      {{.name = "pattern",
        .group = kAny,
        .type = text(),
        .help = "regular expression whose first group is a speed; every line that it fits counts. "
                "Groups may have names: (?<speed>...), (?<devices>...), (?<batch_size>...), "
                "(?<model>...), (?<strategy>...)"},
       option_text<&ImportOptions::pattern>},
      {{.name = "file_pattern",
        .group = kAny,
        .type = text(),
        .help = "the same for the file's name, with its directories: named groups alone, without "
                "speed"},
       option_text<&ImportOptions::file_pattern>},
      {{.name = "compute",
        .group = kAny,
        .type = {.kind = Kind::choice,
                 .default_text = report::kComputes[0],
                 .choices = {std::begin(report::kComputes), std::end(report::kComputes)}},
        .help = "what is made of the numbers"},
       [](ImportCommand& command, const Value& value) {
         const auto at = std::ranges::find(report::kComputes, std::get<std::string>(value)) -
                         std::begin(report::kComputes);
         command.options.compute = static_cast<report::Compute>(at);
       }},
      {{.name = "scale",
        .group = kAny,
        .type = {.kind = Kind::real,
                 .default_text = "1",
                 .high = std::numeric_limits<double>::infinity(),
                 .low_excluded = true},
        .help = "a number times this is images per second of all devices: their count, where the "
                "log tells the speed of one"},
       [](ImportCommand& command, const Value& value) {
         command.options.scale = std::get<double>(value);
       }},
      {{.name = "result_dir",
        .group = kWhereTo,
        .type = text(),
        .help = "a new directory; not set: results/import-DATE-TIME"},
       [](ImportCommand& command, const Value& value) {
         command.result_dir = std::get<std::string>(value);
       }},
  };
  return flags;
}

const spec::Vocabulary& vocabulary() {
  static const spec::Vocabulary words = [] {
    std::vector<const Flag*> all;
    for (const ImportFlag& own : import_flags()) all.push_back(&own.flag);
    return spec::Vocabulary("import", std::move(all));
  }();
  return words;
}

}  // namespace

ImportCommand parse_import(std::span<const std::string> arguments) {
  ImportCommand command;
  for (const spec::Given& given : vocabulary().read_arguments(arguments, &command.files)) {
    const auto own = std::ranges::find_if(
        import_flags(), [&](const ImportFlag& flag) { return &flag.flag == given.flag; });
    own->apply(command, parse_value(given.flag->type, given.text, given.shown));
  }
  if (command.files.empty()) {
    throw Error(ExitCode::usage, "import needs a file", "lockstep import --help explains it");
  }
  return command;
}

std::string import_help(bool) {
  std::string out =
      "usage: lockstep import [--flag=value ...] FILE...\n\n"
      "Converts logs of other benchmarks to a sweep directory, so that report, compare and gate\n"
      "accept them. What a log does not say stays unknown. Files of the same\n"
      "network, batch, strategy and number of devices are launches of one point.\n\n"
      "formats:\n";
  for (const report::ImportFormat& format : report::import_formats()) {
    out += fmt::format("  {:<19}{}\n", format.name, format.summary);
  }
  out +=
      "\nexamples:\n"
      "  lockstep import --result_dir=theirs 1gpu.log 2gpu.log 4gpu.log\n"
      "      logs of tf_cnn_benchmarks or of Horovod's benchmarks, a point each\n"
      "  lockstep import --one_run --result_dir=theirs worker0.log worker1.log\n"
      "      two ranks of one run, which print a total each: one speed\n"
      "  lockstep import --batch_size=32 csv_mxnet/inception-v3.csv\n"
      "      speeds on 1, 2, 4, ... devices; their batch is not in the file\n"
      "  lockstep import --pattern='([0-9.]+) examples/sec' --compute=p50 --scale=8 --devices=8\n"
      "                  -m resnet50 -b 64 --strategy=replicated training.log\n"
      "      the median of the speeds of one device, times 8\n"
      "  lockstep import --pattern='([0-9.]+) examples/sec' "
      "--file_pattern='(?<devices>[0-9]+)gpu'\n"
      "                  -m resnet50 -b 64 --strategy=replicated 4gpu.log 8gpu.log\n"
      "      a curve: the number of devices is in the name of each file\n";
  std::string_view group;
  for (const ImportFlag& own : import_flags()) {
    if (own.flag.group != group) out += fmt::format("\n{}:\n", group = own.flag.group);
    out += flag_help(own.flag);
  }
  return out +
         "\nDashes and underscores are equal; a default stands in brackets.\n"
         "\nexit codes: 0 done, 2 wrong usage or a file that is not what it should be, 3 the\n"
         "directory cannot be written\n";
}

}  // namespace lockstep::cli
