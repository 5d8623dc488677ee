#include "cli/data.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/streams.h"
#include "base/text.h"
#include "cli/data_copy.h"
#include "cli/data_options.h"
#include "cli/data_report.h"
#include "data/index_file.h"
#include "launch/command.h"

namespace lockstep::cli {
namespace {

ExitCode inspect(const DataOptions& options) {
  const std::filesystem::path directory = options.directories[0];
  const data::Index index = data::load_index(directory);
  print_output("{}",
               options.json ? dataset_json(index, directory) : dataset_text(index, directory));
  if (!options.skip_corrupt) data::require_intact(index, directory);
  return ExitCode::ok;
}

// A command that reaches 0.9 in a few hundred steps.
std::string recipe_of(const DataOptions& options) {
  const std::string& format = options.make.format;
  std::string network = "--model=mnist_deep";
  if (format.starts_with("cifar10")) {
    network = "--model=alexnet";
  } else if (format != "mnist") {
    network = fmt::format("--model=lenet --image_size=64 --num_classes={}", options.make.classes);
  }
  return fmt::format(
      "lockstep run {} --data_dir={} --batch_size=25 --optimizer=momentum "
      "--init_learning_rate=0.005 --num_batches=2000 --eval_during_training_every_n_steps=100 "
      "--stop_at_top_1_accuracy=0.9",
      network, launch::shell_quoted(options.directories[0]));
}

ExitCode make(const DataOptions& options) {
  data::make_dataset(options.directories[0], options.make);
  print_output("{}: {} of {}; {} for training, {} for validation\n", options.directories[0],
               options.make.format, counted(options.make.classes, "class"),
               counted(options.make.train, "image"), options.make.validation);
  print_note(fmt::format("this learns it, within a minute on two cores at the default sizes:\n  {}",
                         recipe_of(options)));
  return ExitCode::ok;
}

ExitCode convert(const DataOptions& options) {
  const data::Converted converted =
      data::convert_to_tfrecord(options.directories[0], options.directories[1], options.convert);
  print_output("{}: tfrecord; {} for training, {} for validation, {} damaged left out\n",
               options.directories[1], counted(converted.train, "image"), converted.validation,
               converted.left_out);
  return ExitCode::ok;
}

}  // namespace

ExitCode data_verb(Arguments arguments, Transports) {
  const DataOptions options = parse_data(arguments);
  switch (options.action) {
    case DataAction::inspect:
      return inspect(options);
    case DataAction::make:
      return make(options);
    case DataAction::convert:
      return convert(options);
    case DataAction::copy:
      return copy_dataset(options);
  }
  return ExitCode::ok;
}

}  // namespace lockstep::cli
