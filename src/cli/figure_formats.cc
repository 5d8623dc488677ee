#include "cli/figure_formats.h"

#include <fmt/format.h>

#include "base/error.h"
#include "launch/runner.h"

namespace lockstep::cli {
namespace {

constexpr double kTimeLimit = 120;  // seconds, for all of them

launch::Command command_for(const std::string& name, const std::string& format,
                            const std::filesystem::path& directory) {
  const std::filesystem::path path = std::filesystem::absolute(directory / name);
  launch::Command command{
      .name = name + "." + format,
      .argv = {"rsvg-convert", "--format=" + format, "--output=" + path.string() + "." + format}};
  if (format == "png") command.argv.emplace_back("--zoom=2");  // sharp on paper
  command.argv.push_back(path.string() + ".svg");
  return command;
}

launch::Outcome convert(const std::vector<launch::Command>& commands) {
  try {
    return launch::run(commands, {.time_limit = kTimeLimit});
  } catch (const Error& error) {
    throw Error(ExitCode::environment,
                fmt::format("figures are there as SVG only: {}", error.what()),
                "install it: apt-get install librsvg2-bin");
  }
}

}  // namespace

void draw_as(std::span<const std::string> formats, std::span<const std::string> names,
             const std::filesystem::path& directory) {
  std::vector<launch::Command> commands;
  for (const std::string& format : formats) {
    for (const std::string& name : names) commands.push_back(command_for(name, format, directory));
  }
  if (commands.empty()) return;
  const launch::Outcome outcome = convert(commands);
  if (const launch::Ended* failed = outcome.first_failure()) {
    throw Error(ExitCode::environment,
                fmt::format("rsvg-convert cannot draw {}: {}", failed->name, failed->tail));
  }
  if (!outcome.ok()) {
    throw Error(ExitCode::environment,
                fmt::format("rsvg-convert has not drawn all figures after {} s", kTimeLimit));
  }
}

}  // namespace lockstep::cli
