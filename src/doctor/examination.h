#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/finding.h"

namespace lockstep::doctor {

// A host, as far as it could be looked at.
struct Examination {
  std::string host;
  bool here = false;                   // this machine
  nlohmann::ordered_json environment;  // as results carry it; null: not known
  std::vector<machine::Finding> findings;
};

machine::Level worst(std::span<const Examination> examinations);

// Where mpirun is to start the ranks, it is a problem when a host has none.
void require_mpi(std::span<Examination> examinations);

// The document that `lockstep doctor --json` prints: docs/formats.md.
inline constexpr int kDoctorVersion = 1;
nlohmann::ordered_json to_json(std::span<const Examination> examinations);
// Nothing: it is no such document.
std::optional<std::vector<Examination>> examinations_of(const nlohmann::ordered_json& document);

// The one JSON object in what a process said, between lines of other kinds: ssh and the warnings of
// the process itself may stand before it. Null: there is none.
nlohmann::ordered_json object_in(std::string_view said);
// What it said of its failure: the first error, between lines of other kinds; else the first line.
std::string cause_in(std::string_view said);

// What of it is not ok, a sentence each with what to do about it, behind the names of the hosts
// that it holds for: "node2, node3: ...". No names: it holds for all.
std::vector<std::string> warnings(std::span<const Examination> examinations);

}  // namespace lockstep::doctor
