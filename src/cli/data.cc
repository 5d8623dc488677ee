#include "cli/data.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/data_copy.h"
#include "cli/data_options.h"
#include "cli/data_report.h"
#include "data/index_file.h"

namespace lockstep::cli {
namespace {

ExitCode inspect(const DataOptions& options) {
  const std::filesystem::path directory = options.directories[0];
  const data::Index index = data::load_index(directory);
  fmt::print("{}", options.json ? dataset_json(index, directory) : dataset_text(index, directory));
  if (!options.skip_corrupt) data::require_intact(index, directory);
  return ExitCode::ok;
}

ExitCode make(const DataOptions& options) {
  data::make_dataset(options.directories[0], options.make);
  fmt::print("{}: {} of {} classes; {} images for training, {} for validation\n",
             options.directories[0], options.make.format, options.make.classes, options.make.train,
             options.make.validation);
  return ExitCode::ok;
}

ExitCode convert(const DataOptions& options) {
  const data::Converted converted =
      data::convert_to_tfrecord(options.directories[0], options.directories[1], options.convert);
  fmt::print("{}: tfrecord; {} images for training, {} for validation, {} damaged left out\n",
             options.directories[1], converted.train, converted.validation, converted.left_out);
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
