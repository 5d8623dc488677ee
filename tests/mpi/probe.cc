// One rank of the mpi transport that does one thing until somebody ends it:
//
//   mpi_probe end                   comes and goes
//   mpi_probe vendor|gather|wire    exchanges with the others for ever

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "mpi/mpi_thread.h"
#include "mpi/mpi_transport.h"

namespace {

using lockstep::comm::Transport;

void vendor(Transport& transport) {
  const auto bytes = transport.memory_of(transport.rank());
  const std::span<float> data(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float));
  while (true) transport.vendor()->all_reduce(data);
}

void gather(Transport& transport) {
  while (true) transport.all_gather("here");
}

// Around a ring, from message to message, on the wire's thread.
class Ring {
 public:
  explicit Ring(Transport& transport)
      : wire_(*transport.wire()),
        right_((transport.rank() + 1) % transport.world()),
        left_((transport.rank() + transport.world() - 1) % transport.world()) {}

  void send() {
    wire_.send(right_, 1, out_, lockstep::comm::Encoding::fp32, [this] { send(); });
  }
  void receive() {
    wire_.receive(left_, 1, in_, /*add=*/true, [this] { receive(); });
  }

 private:
  lockstep::comm::Wire& wire_;
  int right_, left_;
  std::vector<float> out_ = std::vector<float>(1 << 20), in_ = std::vector<float>(1 << 20);
};

[[noreturn]] void wire(Transport& transport) {
  // Until the process ends, like the transport itself when a rank is lost.
  auto* const ring = new Ring(transport);
  transport.wire()->post([ring] {
    ring->send();
    ring->receive();
  });
  while (true) {
    transport.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void take_part(std::string_view what) {
  // Hosts with names of their own talk through the wire.
  const std::string host = what == "wire" ? fmt::format("host of {}", getpid()) : "";
  const auto thread = std::make_shared<lockstep::mpi::MpiThread>(/*start_timeout=*/60);
  const auto transport = lockstep::mpi::connect(thread, {}, host);
  transport->share(1 << 20);
  fmt::print("rank {} is process {}\n", transport->rank(), getpid());
  std::fflush(stdout);
  if (what == "vendor") vendor(*transport);
  if (what == "gather") gather(*transport);
  if (what == "wire") wire(*transport);
}

}  // namespace

int main(int, char** argv) {
  // mpirun asks everybody to end when it sees that one was lost, and insists a second later: time
  // to say why.
  std::signal(SIGTERM, SIG_IGN);
  try {
    take_part(argv[1]);
    return 0;
  } catch (const lockstep::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
