#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/comm_measure.h"
#include "cli/comm_options.h"

namespace lockstep::cli {

// How the rows of `lockstep comm` look. Table and CSV grow row by row; a JSON document needs all.
class CommReport {
 public:
  // `of_model`: rows may be of several buckets.
  CommReport(CommFormat format, CommKind kind, int world, bool of_model)
      : format_(format), kind_(kind), world_(world), of_model_(of_model) {}

  std::string header() const;
  std::string row(const CommRow& row) const;
  std::string footer(const std::vector<CommRow>& rows, const nlohmann::ordered_json& configuration,
                     const nlohmann::ordered_json& environment) const;

 private:
  double busbw(const CommRow& row) const { return row.algbw() * bus_factor(kind_, world_); }

  const CommFormat format_;
  const CommKind kind_;
  const int world_;
  const bool of_model_;
};

}  // namespace lockstep::cli
