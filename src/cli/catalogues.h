#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace lockstep::cli {

// A table of the program as `lockstep list` prints it.
struct Catalogue {
  struct Column {
    std::string title;  // for people
    std::string key;    // for programs
  };
  std::vector<Column> columns;
  std::vector<nlohmann::ordered_json> rows;  // an array each: texts and truths
  std::string note = {};                     // for people, below the table
};

Catalogue list_strategies();
Catalogue list_launchers();
Catalogue list_transports();
Catalogue list_algorithms();
Catalogue list_engines();
Catalogue list_metrics();
Catalogue list_formats();   // of results, for `lockstep import`
Catalogue list_datasets();  // the ways in which they are stored

std::string as_text(const Catalogue& catalogue);
std::string as_json(const Catalogue& catalogue);

}  // namespace lockstep::cli
