#include "cli/watch.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <map>
#include <mutex>
#include <thread>

#include "base/streams.h"
#include "base/terminal.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/live_table.h"
#include "cli/loopback_server.h"
#include "cli/sweep_directory.h"
#include "report/watch_page.h"
#include "report/watch_text.h"
#include "spec/vocabulary.h"

namespace lockstep::cli {
namespace {

using spec::Flag;

struct WatchOptions {
  std::string directory;
  bool once = false;
  bool page = true;
  int port = 0;
};

std::vector<const Flag*> watch_flags() {
  static const std::vector<Flag> own = {
      {.name = "page",
       .group = "Output",
       .type = {.kind = spec::Kind::boolean, .default_text = "true"},
       .help = "a page for browsers on this machine; --nopage: the table alone, which ends with "
               "the sweep"},
      {.name = "port",
       .group = "Output",
       .type = {.kind = spec::Kind::integer, .default_text = "0", .low = 0, .high = 65535},
       .help = "of the page; 0: any that is free"},
      {.name = "once",
       .group = "Output",
       .type = {.kind = spec::Kind::boolean},
       .help = "the table as it is now, and no more"},
  };
  std::vector<const Flag*> flags;
  for (const Flag& flag : own) flags.push_back(&flag);
  return flags;
}

WatchOptions parse_watch(Arguments arguments) {
  const spec::Vocabulary vocabulary("watch", watch_flags());
  WatchOptions options;
  const auto apply = [&](const spec::Given& given) {
    const spec::Value value = parse_value(given.flag->type, given.text, given.shown);
    if (given.flag->name == "port") {
      options.port = static_cast<int>(std::get<std::int64_t>(value));
    } else if (given.flag->name == "once") {
      options.once = std::get<bool>(value);
    } else {
      options.page = std::get<bool>(value);
    }
  };
  std::vector<std::string> operands;
  for (const spec::Given& given : vocabulary.read_environment(process_getenv)) apply(given);
  for (const spec::Given& given : vocabulary.read_arguments(arguments, &operands)) apply(given);
  if (operands.size() != 1) {
    throw Error(ExitCode::usage, "watch needs the directory of a sweep",
                "lockstep watch DIR, where DIR is the --result_dir of lockstep sweep");
  }
  options.directory = operands.front();
  return options;
}

// What browsers get: always whole, whenever they ask.
class Site {
 public:
  void show(const report::SweepView& view) {
    auto files = report::watch_site(view);
    const std::lock_guard lock(mutex_);
    files_ = std::move(files);
  }
  std::optional<report::WebFile> find(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(path);
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, report::WebFile> files_;
};

// A second, or less when we are asked to end.
void wait() {
  for (int i = 0; i < 10 && !Interrupt::asked(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

ExitCode watch(Arguments arguments, Transports) {
  const WatchOptions options = parse_watch(arguments);
  setpriority(PRIO_PROCESS, 0, 19);  // what is measured meanwhile comes first
  report::SweepWatch sweep(options.directory);
  const auto look = [&] { return sweep.look(is_worked_on(options.directory), std::time(nullptr)); };
  report::SweepView view = look();
  if (options.once) {
    print_output("{}", report::watch_table(view, output_width()));
    return ExitCode::ok;
  }
  Interrupt::listen();
  Site site;
  std::optional<LoopbackServer> server;
  if (options.page) {
    site.show(view);
    server.emplace(options.port, [&](const std::string& path) { return site.find(path); });
    print_output("{}\n", server->url());
  }
  LiveTable table;
  bool ran = false;
  while (!Interrupt::asked()) {
    table.show(view);
    const bool complete = view.state == report::SweepState::complete;
    ran = ran || view.state == report::SweepState::running;
    if (complete && !options.page) return ExitCode::ok;
    if (view.over && !complete && (ran || !options.page)) {
      print_note(fmt::format("lockstep sweep --resume --result_dir={} continues the sweep",
                             options.directory));
      return ExitCode::interrupted;
    }
    wait();
    view = look();
    if (options.page) site.show(view);
  }
  return Interrupt::signal() == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
}

std::string watch_help(bool) {
  const std::string out =
      "usage: lockstep watch DIR [--flag=value ...]\n\n"
      "Shows how far the sweep in a directory is: launches done, the speed of the one that runs, "
      "when\n"
      "it will end, and what has been measured so far. On a page at the address that it prints, "
      "for\n"
      "browsers on this machine alone, and as a table; where stdout is no terminal, as a line for\n"
      "each change. It reads files and nothing else: the sweep does not notice it, and may begin "
      "later,\n"
      "run elsewhere or have ended. ^C ends it, and the end of a sweep before it is complete; "
      "without "
      "a\n"
      "page also the end of a complete one.\n\n"
      "examples:\n"
      "  lockstep watch results/nightly\n"
      "      a page and a table, until ^C\n"
      "  lockstep watch results/nightly --port=8080\n"
      "      the page where a tunnel (ssh -L 8080:127.0.0.1:8080 HOST) expects it\n"
      "  lockstep watch results/nightly --nopage\n"
      "      the table, until the sweep is complete\n";
  return out + flags_help(watch_flags()) +
         "\nexit codes: 0 the sweep is complete, or --once; 2 wrong usage, or no sweep.json that "
         "can be read;\n3 the port is taken; 130 interrupted, or the sweep was; 143 terminated\n";
}

}  // namespace lockstep::cli
