#pragma once

#include <filesystem>

namespace lockstep::cli {

// `lockstep-mpi` is the same program with one more transport, mpi; it lies beside `lockstep`, which
// needs no MPI itself.

// Goes on as the MPI program beside `program`, with the same arguments and in the same process, so
// that whoever started one has started the other. Throws Error(environment) when it cannot.
[[noreturn]] void become_mpi_program(const std::filesystem::path& program, char** argv);

// Where the executable of this process lies.
std::filesystem::path this_program();

}  // namespace lockstep::cli
