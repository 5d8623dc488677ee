#include "cli/controller.h"

#include <algorithm>

#include "base/getenv.h"
#include "base/streams.h"
#include "cli/command_line.h"
#include "cli/membership.h"
#include "cli/world.h"
#include "spec/cluster.h"

namespace lockstep::cli {
namespace {

// After all ranks have met: whoever starts them starts the controller at about the same time.
constexpr double kSecondsToWait = 10;

comm::tcp::ControllerOptions controller_options(const spec::Cluster& cluster) {
  return {.address = to_string(*spec::members(cluster).controller),
          .token = token_of(cluster, process_getenv),
          .start_timeout = cluster.start_timeout,
          .deadline = cluster.deadline};
}

}  // namespace

ExitCode follow_rank0(const spec::Cluster& cluster) {
  const comm::tcp::ControllerOptions options = controller_options(cluster);
  note_missing_token(options.address, options.token);
  print_note(fmt::format("waiting for rank 0 at {}", options.address));
  const auto print = [](std::string_view lines) {
    write_output(lines);
    flush_output();
    require_output();
  };
  return comm::tcp::follow_rank0(options, comm::Listener(options.address), print, print_note);
}

std::unique_ptr<comm::tcp::ControllerLink> dial_controller(const spec::Cluster& cluster,
                                                           int world) {
  if (cluster.controller_host.empty()) return nullptr;
  return std::make_unique<comm::tcp::ControllerLink>(controller_options(cluster), world);
}

void wait_for_controller(comm::tcp::ControllerLink& link, const spec::Cluster& cluster) {
  const auto trouble = link.wait(std::min(kSecondsToWait, cluster.start_timeout));
  if (!trouble) return;
  print_warning(fmt::format("no controller at {}: {}; the run continues without it",
                            cluster.controller_host, *trouble));
}

}  // namespace lockstep::cli
