#pragma once

#include <span>
#include <string_view>

namespace lockstep::spec {

// What connects ranks, for people: --transport chooses from these names, `comm` and `mpi` connect.
// `mpi` is part of a second program, lockstep-mpi, so that nobody else needs its library.
struct TransportRow {
  std::string_view name;
  std::string_view summary;
};
std::span<const TransportRow> transports();

}  // namespace lockstep::spec
