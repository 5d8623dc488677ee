#include "launch/file_copy.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "launch/remote.h"
#include "launch/runner.h"
#include "launch/staging.h"

namespace lockstep::launch {
namespace {

namespace fs = std::filesystem;

using Sums = std::map<std::string, Checksum>;  // by path below the directory

constexpr int kSshFailed = 255;
// What is read on after the connection is lost, since only whole outputs find out that it is.
constexpr int kFilesAtOnce = 8;
// Less is sent again as a whole: a connection of its own takes as long.
constexpr std::uint64_t kWorthAConnection = 1 << 20;
constexpr const char* kList = ".list";    // of a host; "ours" is of none
constexpr std::string_view kHere = "./";  // before every path, so that none looks like an option

// Lists of paths for programs that read them, gone with this object.
class Lists {
 public:
  fs::path write(const std::string& name, const std::vector<std::string>& files) const {
    std::string text;
    for (const std::string& file : files) text += fmt::format("{}{}\n", kHere, file);
    write_file(directory_.path() / name, text);
    return directory_.path() / name;
  }

 private:
  TemporaryDirectory directory_{"lockstep-copy"};
};

std::string quoted_path(const fs::path& directory, std::string_view file) {
  return shell_quoted((directory / file).string());
}

// Says what cksum says of the files of a list that are there.
Command look(const std::string& name, const spec::Host& host, const Ssh& ssh,
             const fs::path& directory, const fs::path& list) {
  // 123: of some files it has nothing to say.
  const std::string script = fmt::format(
      "cd {} 2>/dev/null || exit 0; tr '\\n' '\\0' | xargs -0 -n {} cksum 2>/dev/null; "
      "code=$?; [ $code = 0 ] || [ $code = 123 ]",
      shell_quoted(directory.string()), kFilesAtOnce);
  return {.name = name,
          .host = host.name,
          .argv = {"sh", "-c",
                   fmt::format("{} <{}", shell_line(on_host(host, ssh, script)),
                               shell_quoted(list.string()))}};
}

std::string sending(const spec::Host& host, const FileCopy& copy, const fs::path& list) {
  const std::vector<std::string> archive = {"tar", "-chf",       "-", "-C", copy.from.string(),
                                            "-T",  list.string()};
  const std::string to = shell_quoted(copy.to);
  const std::string receive = fmt::format("mkdir -p {0} && tar -xvof - -C {0}", to);
  return fmt::format("{} | {}", shell_line(archive), shell_line(on_host(host, copy.ssh, receive)));
}

std::string sending_rest(const spec::Host& host, const FileCopy& copy, const std::string& file,
                         std::uint64_t from) {
  const std::string receive = "cat >>" + quoted_path(copy.to, file);
  return fmt::format("tail -c +{} {} | {}", from + 1, quoted_path(copy.from, file),
                     shell_line(on_host(host, copy.ssh, receive)));
}

struct Sum {
  std::string file;
  Checksum sum;
};

// "4038471504 75 ./name"
std::optional<Sum> parse_sum(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto crc = parse_int(line.substr(0, first));
  const auto bytes = parse_int(line.substr(first + 1, second - first - 1));
  const std::string_view path = line.substr(second + 1);
  if (!crc || !bytes || !path.starts_with(kHere)) return std::nullopt;
  return Sum{std::string(path.substr(kHere.size())),
             {static_cast<std::uint32_t>(*crc), static_cast<std::uint64_t>(*bytes)}};
}

// The first line that is more than the news of a file.
std::string complaint(const Ended& ended) {
  for (const std::string& line : split(ended.tail, '\n')) {
    if (!line.empty() && !line.starts_with(kHere) && !parse_sum(line)) return line;
  }
  return fmt::format("exit code {}", ended.exit_code);
}

void check_names(const FileCopy& copy) {
  for (const Consignment& consignment : copy.consignments) {
    for (const std::string& file : consignment.files) {
      if (file.find_first_of("\n\\") == std::string::npos) continue;
      throw Error(ExitCode::usage,
                  fmt::format("{} cannot be copied for its name", shell_quoted(file)),
                  "names with line feeds or backslashes cannot be put on a list: rename it");
    }
  }
}

// One host with all that is known of it.
struct Visit {
  const Consignment* consignment = nullptr;
  Delivered result = {};
  Sums there = {};
  std::vector<std::string> missing = {};  // or different
  std::string coming = {};                // the file that it receives; empty: none yet

  const spec::Host& host() const { return consignment->host; }
  bool waits() const { return result.failure.empty() && !missing.empty(); }
};

class Courier {
 public:
  Courier(const FileCopy& copy, const CopyOptions& options) : copy_(copy), options_(options) {
    for (const Consignment& consignment : copy.consignments) {
      visits_.push_back({.consignment = &consignment, .result = {.host = consignment.host.name}});
    }
  }

  CopyOutcome run() {
    compare();
    // The rest of a file may have been that of another one: then all of it is sent.
    for (const bool whole : {false, true}) {
      if (stopped_ || std::ranges::none_of(visits_, &Visit::waits)) break;
      send(whole);
      if (!stopped_) check();
    }
    CopyOutcome outcome{.hosts = {}, .stopped = stopped_};
    for (Visit& visit : visits_) {
      if (visit.waits() && !stopped_) {
        fail(visit, fmt::format("{} differs from ours after it was copied", visit.missing.front()),
             "did it change meanwhile? Run it again: what is there is not sent again");
      }
      outcome.hosts.push_back(std::move(visit.result));
    }
    return outcome;
  }

 private:
  using OnLine = std::function<void(const std::string& name, std::string_view line)>;

  // Every one of them runs to its end, whatever becomes of the others.
  std::vector<Ended> run_all(const std::vector<Command>& commands, const OnLine& on_line) {
    Outcome outcome = launch::run(commands, {.stop = options_.stop,
                                             .grace = std::numeric_limits<double>::infinity(),
                                             .on_line = on_line});
    stopped_ = outcome.stopped || (options_.stop != nullptr && *options_.stop);
    return std::move(outcome.processes);
  }

  Visit* visit_of(const std::string& host) {
    const auto found =
        std::ranges::find(visits_, host, [](const Visit& v) { return v.host().name; });
    return found == visits_.end() ? nullptr : &*found;
  }

  static void fail(Visit& visit, std::string failure, std::string hint) {
    visit.result.failure = std::move(failure);
    visit.result.hint = std::move(hint);
  }

  static void fail(Visit& visit, const Ended& ended, std::string_view what) {
    if (ended.exit_code == kSshFailed) {
      fail(visit, "cannot be reached by ssh: " + complaint(ended),
           fmt::format("`ssh -o BatchMode=yes {} true` has to work without a question; run it "
                       "again then: what is there is not sent again",
                       visit.host().ssh));
    } else {
      fail(visit, fmt::format("{}: {}", what, complaint(ended)),
           "fix this and rerun; files already copied are skipped");
    }
  }

  // What we have, and what the hosts have of it.
  void compare() {
    std::set<std::string> all;
    for (const Consignment& consignment : copy_.consignments) {
      all.insert(consignment.files.begin(), consignment.files.end());
    }
    std::uint64_t total = 0;
    for (const std::string& file : all) total += size_here(file);

    const spec::Host here{.name = "", .address = "", .here = true};
    std::vector<Command> commands = {
        look("", here, {}, copy_.from, lists_.write("ours", {all.begin(), all.end()}))};
    for (const Visit& visit : visits_) commands.push_back(look_there(visit));
    std::uint64_t done = 0;
    options_.on_progress("compared", done, total);
    const auto ended = run_all(commands, [&](const std::string& name, std::string_view line) {
      const auto sum = parse_sum(line);
      if (!sum) return;
      if (Visit* visit = visit_of(name)) {
        visit->there[sum->file] = sum->sum;
      } else {
        ours_[sum->file] = sum->sum;
        options_.on_progress("compared", done += sum->sum.bytes, total);
      }
    });
    if (stopped_) return;
    for (const std::string& file : all) {
      if (ours_.contains(file)) continue;
      throw Error(ExitCode::environment,
                  fmt::format("cannot read {}", (copy_.from / file).string()));
    }
    for (Visit& visit : visits_) {
      visit.missing = visit.consignment->files;
      visit.result.files = visit.missing.size();
      for (const std::string& file : visit.missing) visit.result.bytes += ours_[file].bytes;
    }
    note_what_is_there(ended);
  }

  std::uint64_t size_here(const std::string& file) const {
    std::error_code error;
    const auto bytes = fs::file_size(copy_.from / file, error);
    if (!error) return bytes;
    throw Error(ExitCode::environment,
                fmt::format("cannot read {}: {}", (copy_.from / file).string(), error.message()));
  }

  Command look_there(const Visit& visit) const {
    const auto& files = visit.missing.empty() ? visit.consignment->files : visit.missing;
    return look(visit.host().name, visit.host(), copy_.ssh, copy_.to,
                lists_.write(visit.host().name + kList, files));
  }

  // After a look at what was missing.
  void note_what_is_there(const std::vector<Ended>& looks) {
    for (const Ended& ended : looks) {
      Visit* visit = visit_of(ended.name);
      if (visit == nullptr) continue;
      if (ended.exit_code != 0) fail(*visit, ended, "its files cannot be compared with ours");
      std::erase_if(visit->missing, [&](const std::string& file) {
        const auto found = visit->there.find(file);
        return found != visit->there.end() && found->second == ours_[file];
      });
    }
  }

  // A stream that was cut off leaves one file short; the longest that is.
  std::optional<std::string> to_go_on_with(const Visit& visit) const {
    std::optional<std::string> longest;
    std::uint64_t most = kWorthAConnection;
    for (const std::string& file : visit.missing) {
      const auto found = visit.there.find(file);
      if (found == visit.there.end() || found->second.bytes < most ||
          found->second.bytes >= ours_.at(file).bytes) {
        continue;
      }
      most = found->second.bytes;
      longest = file;
    }
    return longest;
  }

  // The command that brings what is missing. Adds up what that comes to.
  Command delivery(Visit& visit, bool whole, std::uint64_t& total) const {
    std::vector<std::string> files = visit.missing;
    std::vector<std::string> scripts;
    const std::uint64_t before = visit.result.sent_bytes;
    const auto rest = whole ? std::nullopt : to_go_on_with(visit);
    if (rest) {
      const std::uint64_t there = visit.there[*rest].bytes;
      scripts.push_back(sending_rest(visit.host(), copy_, *rest, there));
      visit.result.sent_bytes += ours_.at(*rest).bytes - there;
      std::erase(files, *rest);
    }
    if (!files.empty()) {
      scripts.push_back(
          sending(visit.host(), copy_, lists_.write(visit.host().name + kList, files)));
    }
    for (const std::string& file : files) visit.result.sent_bytes += ours_.at(file).bytes;
    visit.result.sent_files =
        std::max<std::uint64_t>(visit.result.sent_files, visit.missing.size());
    visit.coming.clear();
    total += visit.result.sent_bytes - before;
    return {.name = visit.host().name,
            .host = visit.host().name,
            .argv = {"sh", "-c", join(scripts, " && ")}};
  }

  void send(bool whole) {
    std::vector<Command> commands;
    std::uint64_t total = 0;
    for (Visit& visit : visits_) {
      if (visit.waits()) commands.push_back(delivery(visit, whole, total));
    }
    std::uint64_t done = 0;
    options_.on_progress("copied", done, total);
    // A file is named when it begins to come.
    const auto ended = run_all(commands, [&](const std::string& name, std::string_view line) {
      if (!line.starts_with(kHere)) return;
      Visit& visit = *visit_of(name);
      const std::string begun = std::exchange(visit.coming, line.substr(kHere.size()));
      const auto known = ours_.find(begun);
      if (known != ours_.end()) options_.on_progress("copied", done += known->second.bytes, total);
    });
    if (stopped_) return;
    for (const Ended& one : ended) {
      if (one.exit_code != 0) fail(*visit_of(one.name), one, "cannot write to " + copy_.to);
    }
  }

  void check() {
    std::vector<Command> commands;
    std::uint64_t total = 0;
    for (Visit& visit : visits_) {
      if (!visit.waits()) continue;
      visit.there.clear();
      commands.push_back(look_there(visit));
      for (const std::string& file : visit.missing) total += ours_[file].bytes;
    }
    std::uint64_t done = 0;
    options_.on_progress("checked", done, total);
    const auto ended = run_all(commands, [&](const std::string& name, std::string_view line) {
      const auto sum = parse_sum(line);
      if (!sum) return;
      visit_of(name)->there[sum->file] = sum->sum;
      options_.on_progress("checked", done += sum->sum.bytes, total);
    });
    if (!stopped_) note_what_is_there(ended);
  }

  const FileCopy& copy_;
  const CopyOptions& options_;
  Lists lists_;
  Sums ours_;
  std::vector<Visit> visits_;
  bool stopped_ = false;
};

}  // namespace

CopyOutcome copy_files(const FileCopy& copy, const CopyOptions& options) {
  check_names(copy);
  return Courier(copy, options).run();
}

}  // namespace lockstep::launch
