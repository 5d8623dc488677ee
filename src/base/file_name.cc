#include "base/file_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

}  // namespace

std::string file_name(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(
      name, [](char c) { return !stays(c); }, '_');
  return name;
}

std::string distinct_file_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    name += stays(c) ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return name;
}

}  // namespace lockstep
