#include "cli/data_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>

#include "base/streams.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/interrupt.h"
#include "cli/sweep_site.h"
#include "data/formats.h"
#include "launch/file_copy.h"
#include "launch/here.h"
#include "report/progress.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

fs::path absolute(const std::string& directory) {
  const fs::path path = fs::absolute(directory).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

launch::Site site_of(const DataOptions& options) {
  launch::Site site = place_of(options.where, process_getenv, launch::own_names()).site;
  if (!site.hosts.empty()) return site;
  throw Error(ExitCode::usage, "data copy needs hosts other than this machine",
              "name them: --hosts=node1,node2, or --hosts_file");
}

std::string directory_there(const DataOptions& options, const fs::path& here) {
  if (options.to.empty()) return here.string();
  if (options.to.starts_with('/')) return absolute(options.to).string();
  throw Error(ExitCode::usage, fmt::format("--to={} is no absolute path", options.to),
              "name a directory that every host may make, such as /scratch/imagenet");
}

// A bar for each part of the work.
class Bars {
 public:
  void show(std::string_view what, std::uint64_t done, std::uint64_t total) {
    constexpr int kMebibyte = 20;  // bits
    if (what != what_) {
      what_ = what;
      bar_.emplace(static_cast<std::int64_t>(total >> kMebibyte),
                   report::Progress::standard_error(), fmt::format("MiB {}", what));
    }
    bar_->update(static_cast<std::int64_t>(done >> kMebibyte));
  }
  void hide() { bar_.reset(); }

 private:
  std::string what_;
  std::optional<report::Progress> bar_;
};

std::string amount(std::uint64_t files, std::uint64_t bytes) {
  return fmt::format("{}, {}", counted(static_cast<std::int64_t>(files), "file"),
                     human_bytes(static_cast<double>(bytes)));
}

void print_delivered(const launch::Delivered& delivered, const std::string& directory) {
  print_output(
      "{}:{}: {}; {}\n", delivered.host, directory, amount(delivered.files, delivered.bytes),
      delivered.sent_files == 0 ? "all were there"
                                : "sent " + amount(delivered.sent_files, delivered.sent_bytes));
}

void require_delivery(const std::vector<launch::Delivered>& all) {
  std::vector<std::string> failures;
  std::string hint;
  for (const launch::Delivered& delivered : all) {
    if (delivered.failure.empty()) continue;
    failures.push_back(fmt::format("host {}: {}", delivered.host, delivered.failure));
    if (hint.empty()) hint = delivered.hint;
  }
  if (!failures.empty()) throw Error(ExitCode::launch, join(failures, "; "), hint);
}

}  // namespace

std::vector<std::vector<std::string>> files_for_hosts(const data::Index& index, std::size_t hosts,
                                                      bool shares) {
  // Elsewhere files belong together: images and labels, or the folders that number the classes.
  if (shares && index.format != "tfrecord") {
    throw Error(ExitCode::usage,
                fmt::format("--shards: the files of a {} dataset belong together", index.format),
                "leave it out; lockstep data convert makes TFRecord files of a folder");
  }
  std::vector<std::vector<std::string>> files(hosts);
  std::size_t next = 0;
  for (const data::IndexedFile& file : index.files) {
    if (shares && file.split == data::Split::train) {
      files[next++ % hosts].push_back(file.path);
    } else {
      for (auto& of_host : files) of_host.push_back(file.path);
    }
  }
  if (shares && next < hosts) {
    throw Error(ExitCode::usage,
                fmt::format("--shards: {} for training are too few for {}",
                            counted(static_cast<std::int64_t>(next), "file"),
                            counted(static_cast<std::int64_t>(hosts), "host")),
                "lockstep data convert --shards=N makes as many as are wanted");
  }
  return files;
}

ExitCode copy_dataset(const DataOptions& options) {
  const fs::path from = absolute(options.directories[0]);
  const launch::Site site = site_of(options);
  launch::FileCopy copy{
      .from = from, .to = directory_there(options, from), .ssh = site.ssh, .consignments = {}};
  auto files = files_for_hosts(data::find_dataset(from), site.hosts.size(), options.shares);
  for (std::size_t h = 0; h < site.hosts.size(); ++h) {
    const spec::Host& host = site.hosts[h];
    if (host.here && copy.to == from) continue;  // this machine has it
    copy.consignments.push_back({.host = host, .files = std::move(files[h])});
  }

  Interrupt::listen();
  Bars bars;
  const launch::CopyOutcome outcome = launch::copy_files(
      copy, {.stop = &Interrupt::asked(),
             .on_progress = [&](std::string_view what, std::uint64_t done, std::uint64_t total) {
               bars.show(what, done, total);
             }});
  bars.hide();
  if (outcome.stopped) {
    print_note("interrupted; the same command goes on from here");
    return Interrupt::signal() == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
  }
  for (const launch::Delivered& delivered : outcome.hosts) {
    if (delivered.failure.empty()) print_delivered(delivered, copy.to);
  }
  require_delivery(outcome.hosts);
  return ExitCode::ok;
}

}  // namespace lockstep::cli
