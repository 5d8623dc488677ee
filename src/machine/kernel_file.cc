#include "machine/kernel_file.h"

#include <fstream>
#include <sstream>

#include "base/text.h"

namespace lockstep::machine {

std::string kernel_file(const std::filesystem::path& path) {
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return std::string(trim(content.str()));
}

}  // namespace lockstep::machine
