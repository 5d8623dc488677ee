#include "cli/program_copy.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "cli/command_line.h"
#include "cli/mpi_program.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

bool belongs_to_a_program(const fs::path& file) {
  const std::string name = file.filename().string();
  return name == "lockstep-mpi" || name.find(".so") != std::string::npos;
}

// Returns where the program is then.
fs::path copy_to(const fs::path& directory) {
  const fs::path program = this_program();
  fs::create_directory(directory);
  fs::path copy = directory / "lockstep";
  // What is executed, whatever has its name by now.
  fs::copy_file("/proc/self/exe", copy, fs::copy_options::overwrite_existing);
  for (const fs::directory_entry& entry : fs::directory_iterator(program.parent_path())) {
    if (!entry.is_regular_file() || !belongs_to_a_program(entry.path())) continue;
    fs::copy_file(entry.path(), directory / entry.path().filename(),
                  fs::copy_options::overwrite_existing);
  }
  if (access(copy.c_str(), X_OK) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot execute " + copy.string());
  }
  return copy;
}

}  // namespace

ProgramCopy::ProgramCopy(const fs::path& directory) : directory_(directory / "program") {
  try {
    program_ = copy_to(directory_);
  } catch (const std::system_error& error) {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
    program_ = this_program();
    print_note(fmt::format("launches run {} itself, which must not be replaced meanwhile: {}",
                           program_.string(), error.what()));
  }
}

ProgramCopy::~ProgramCopy() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

}  // namespace lockstep::cli
