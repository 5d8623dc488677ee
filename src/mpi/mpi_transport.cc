#include "mpi/mpi_transport.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/check.h"
#include "comm/tcp/host_key.h"
#include "mpi/meeting.h"
#include "mpi/mpi_wire.h"

namespace lockstep::mpi {
namespace {

using comm::Transport;

// MPI counts in int.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

class MpiTransport : public Transport, private comm::VendorAllReduce {
 public:
  MpiTransport(std::shared_ptr<MpiThread> thread, std::unique_ptr<Transport> control)
      : thread_(std::move(thread)), control_(std::move(control)) {
    thread_->on_error([&to = *control_](const Error& error) { to.fail(error); });
    const auto& host_of = topology().host_of;
    if (*std::max_element(host_of.begin(), host_of.end()) > 0) {
      wire_ = std::make_unique<MpiWire>(*thread_);
    }
  }

  ~MpiTransport() override {
    if (agreed_to_end() && thread_->end_in_order()) return;
    if (!thread_->abandon()) {
      // MPI may go on to write where it was told to: let that be there until the process ends.
      static_cast<void>(wire_.release());
      static_cast<void>(control_.release());
    }
  }

  int rank() const override { return control_->rank(); }
  const comm::Topology& topology() const override { return control_->topology(); }
  const std::string& host_name(int rank) const override { return control_->host_name(rank); }
  std::string agree(const std::string& mine, const Decide& decide) override {
    return control_->agree(mine, decide);
  }
  void share(std::size_t bytes) override { control_->share(bytes); }
  std::span<std::byte> memory_of(int rank) const override { return control_->memory_of(rank); }
  comm::Wire* wire() override { return wire_.get(); }
  comm::VendorAllReduce* vendor() override { return this; }
  void fail(const Error& error) override { control_->fail(error); }
  void check() const override { control_->check(); }
  void wish_end() override { control_->wish_end(); }
  bool end_wished() const override { return control_->end_wished(); }
  void at_step(std::int64_t step) override { control_->at_step(step); }

 private:
  void all_reduce(std::span<float> data) override {
    const auto memory = memory_of(rank());
    const auto bytes = std::as_bytes(data);
    LOCKSTEP_CHECK(bytes.data() >= memory.data() &&
                   bytes.data() + bytes.size() <= memory.data() + memory.size());
    thread_->call(
        [data] {
          for (std::size_t begin = 0; begin < data.size(); begin += kMostAtOnce) {
            const auto part = data.subspan(begin, std::min(kMostAtOnce, data.size() - begin));
            require(MPI_Allreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()),
                                  MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
                    "MPI_Allreduce");
          }
        },
        [this] { check(); });
  }

  // Whether everybody is about to end well: MPI's own end waits for all, even for the lost.
  bool agreed_to_end() {
    if (std::uncaught_exceptions() > 0) return false;
    try {
      control_->barrier();
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  std::shared_ptr<MpiThread> thread_;
  std::unique_ptr<Transport> control_;
  std::unique_ptr<MpiWire> wire_;
};

std::vector<std::unique_ptr<Transport>> start_and_connect(const comm::ConnectOptions& options) {
  std::vector<std::unique_ptr<Transport>> transports;
  transports.push_back(connect(std::make_shared<MpiThread>(options.start_timeout), options));
  return transports;
}

}  // namespace

comm::TransportRow transport_row() {
  return {.name = "mpi", .connect = start_and_connect};
}

std::unique_ptr<Transport> connect(std::shared_ptr<MpiThread> thread,
                                   const comm::ConnectOptions& options,
                                   const std::string& host_key) {
  LOCKSTEP_CHECK(options.ranks.size() == 1);
  const std::string key = host_key.empty() ? comm::tcp::host_key() : host_key;
  Meeting meeting = meet(*thread, options, key);
  const comm::TcpOptions control = {.rank = meeting.rank,
                                    .world = meeting.world,
                                    .coordinator = meeting.coordinator,
                                    .token = meeting.token,
                                    .network_interface = options.network_interface,
                                    .deadline = options.deadline,
                                    .start_timeout = options.start_timeout,
                                    .on_wait = options.on_wait,
                                    .host_key = key};
  return std::make_unique<MpiTransport>(std::move(thread),
                                        comm::connect_tcp(control, std::move(meeting.listener)));
}

}  // namespace lockstep::mpi
