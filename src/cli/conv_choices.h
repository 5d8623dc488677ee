#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "cli/job.h"
#include "comm/transport.h"
#include "engine/engine.h"

namespace lockstep::cli {

// {"a shape": "winograd", ...}
std::map<std::string, std::string> names_of(const engine::ConvChoices& choices);

// Choices that were measured on a machine (with its threads) by a program, kept from run to run:
// docs/formats.md.
class ConvCache {
 public:
  // Without a directory nothing is known, and nothing can be written.
  ConvCache(const std::filesystem::path& directory, std::string machine, std::string program);

  // None where there is no file, or that of another version of the program. A file that cannot be
  // read or is none of ours is worth a warning.
  struct Known {
    engine::ConvChoices choices;
    std::string warning;
  };
  Known read() const;
  // Throws Error(environment) where that is not possible.
  void write(const engine::ConvChoices& choices) const;

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::string machine_, program_;
};

// What --conv_algorithm=auto takes for the job's network on the team of this thread: known from
// earlier runs, or measured now and kept. Says so on stderr.
engine::ConvChoices choose_convolutions(const Job& job);

// The same on all ranks: what rank 0 chooses. Collective.
engine::ConvChoices agree_on_convolutions(const Job& job, comm::Transport& transport);

}  // namespace lockstep::cli
