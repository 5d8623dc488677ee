#include "cli/program.h"
#include "comm/transports.h"

int main(int, char** argv) {
  return lockstep::cli::program(argv, lockstep::comm::transports());
}
