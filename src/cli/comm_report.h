#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/comm_measure.h"
#include "cli/comm_options.h"

namespace lockstep::cli {

// How the rows of `lockstep comm` look. Table and CSV grow row by row; a JSON document needs all.
class CommReport {
 public:
  CommReport(const CommOptions& options, int world);

  std::string header() const;
  std::string row(const CommRow& row) const;
  // `error`: why there are no more rows, or what is wrong with them.
  std::string footer(const std::vector<CommRow>& rows, const nlohmann::ordered_json& configuration,
                     const nlohmann::ordered_json& environment,
                     const std::optional<Error>& error) const;

 private:
  // The columns of the table that only some have, and the end of the line.
  std::string further(const std::string& buckets, const std::string& taken) const;
  double busbw(const CommRow& row) const { return row.algbw() * bus_factor(kind_, world_); }

  const CommFormat format_;
  const CommKind kind_;
  const int world_;
  const bool of_model_;  // rows may be of several buckets
  const bool has_auto_;
};

}  // namespace lockstep::cli
