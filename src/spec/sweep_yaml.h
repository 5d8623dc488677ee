#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/vocabulary.h"

namespace lockstep::spec {

// The flags that a YAML (or JSON) document gives: one mapping, from names of flags to values or
// lists of them. `path` is for messages. Throws Error(usage) with the line for anything else; an
// unknown key is answered with the closest known one.
std::vector<Given> read_yaml(std::string_view text, const std::string& path,
                             const Vocabulary& vocabulary);

}  // namespace lockstep::spec
