#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "base/check.h"
#include "comm/host_memory.h"
#include "comm/lost.h"
#include "comm/tcp.h"
#include "comm/tcp/address.h"
#include "comm/tcp/control.h"
#include "comm/tcp/host_key.h"
#include "comm/tcp/mesh.h"
#include "comm/tcp/rendezvous.h"
#include "comm/tcp/wire.h"

namespace lockstep::comm {
namespace {

class TcpTransport final : public Transport {
 public:
  TcpTransport(int rank, Topology topology, std::unique_ptr<tcp::Control> control,
               std::unique_ptr<Wire> wire)
      : rank_(rank),
        topology_(std::move(topology)),
        control_(std::move(control)),
        wire_(std::move(wire)) {}

  int rank() const override { return rank_; }
  const Topology& topology() const override { return topology_; }
  const std::string& host_name(int rank) const override {
    return control_->table().members.at(static_cast<std::size_t>(rank)).host_name;
  }

  std::string agree(const std::string& mine, const Decide& decide) override {
    return control_->agree(mine, decide);
  }

  void share(std::size_t bytes) override {
    LOCKSTEP_CHECK(memory_.empty());
    HostMemory own = HostMemory::create(bytes);
    const auto tickets = all_gather(own.ticket());
    for (int rank = 0; rank < world(); ++rank) {
      if (rank == rank_ || topology_.host_of[rank] != topology_.host_of[rank_]) continue;
      memory_[rank] = open(tickets[rank]);
    }
    barrier();  // everybody has mapped everything
    own.close_ticket();
    memory_[rank_] = std::move(own);
  }

  std::span<std::byte> memory_of(int rank) const override {
    const auto found = memory_.find(rank);
    return found == memory_.end() ? std::span<std::byte>() : found->second.bytes();
  }

  Wire* wire() override { return wire_.get(); }
  void fail(const Error& error) override { control_->fail(error); }
  void check() const override { control_->check(); }
  void wish_end() override { control_->wish_end(); }
  bool end_wished() const override { return control_->end_wished(); }
  void at_step(std::int64_t step) override { control_->at_step(step); }

 private:
  HostMemory open(const std::string& ticket) {
    try {
      return HostMemory::open(ticket);
    } catch (const Error&) {
      control_->check_patiently();  // the memory of a rank that is lost is gone
      throw;
    }
  }

  int rank_;
  Topology topology_;
  std::map<int, HostMemory> memory_;  // of the ranks of this host
  std::unique_ptr<tcp::Control> control_;
  std::unique_ptr<Wire> wire_;  // ends before the control that it reports to
};

Topology topology_of(const tcp::Table& table) {
  std::map<std::string, int> hosts;
  Topology topology;
  for (const tcp::Member& member : table.members) {
    topology.host_of.push_back(
        hosts.try_emplace(member.host_key, static_cast<int>(hosts.size())).first->second);
  }
  return topology;
}

// Listens for data where the others look for it, and nowhere else: by what was asked for, or at
// the address that rank 0 sees this rank come from, which it tells the others.
struct DataListener {
  Listener listener;
  std::string address;  // without a host: as rank 0 sees it
};

Listener listen_within(const std::string& host, const std::string& port,
                       const TcpOptions& options) {
  if (port != "0" || options.ports.count == 0) return Listener(to_string(tcp::Address{host, port}));
  return {host, options.ports, options.rank};
}

// A host that knows itself by a name of the loopback's is known to others by another address.
std::string seen_from_rank0(const TcpOptions& options, const std::optional<Listener>& coordinator) {
  if (coordinator) return coordinator->host();
  const std::string source = tcp::source_towards(options.coordinator);
  const bool all_local = tcp::is_loopback(tcp::parse_address(options.coordinator).host);
  return all_local || source.empty() || !tcp::is_loopback(source) ? source : "";
}

DataListener listen_for_data(const TcpOptions& options,
                             const std::optional<Listener>& coordinator) {
  tcp::Address address = tcp::parse_address(options.listen);
  if (!options.network_interface.empty()) {
    address.host = tcp::interface_address(options.network_interface);
  }
  const std::string host =
      address.host.empty() ? seen_from_rank0(options, coordinator) : address.host;
  Listener listener = listen_within(host, address.port, options);
  address.port = std::to_string(listener.port());
  return {std::move(listener), to_string(address)};
}

std::int64_t random_secret() {
  std::random_device source;
  return static_cast<std::int64_t>(std::uint64_t{source()} << 31 ^ source());
}

std::unique_ptr<Transport> connect(const TcpOptions& options, std::optional<Listener> coordinator) {
  const int rank = options.rank;
  LOCKSTEP_CHECK(rank >= 0 && rank < options.world);
  tcp::Member self = {.rank = rank,
                      .world = options.world,
                      .host_key = options.host_key.empty() ? tcp::host_key() : options.host_key,
                      .host_name = own_host_name(),
                      .process = getpid(),
                      .data_address = {},
                      .secret = random_secret()};
  std::optional<Listener> data;
  if (options.world > 1) {
    if (rank == 0 && !coordinator) coordinator.emplace(options.coordinator);
    DataListener listening = listen_for_data(options, coordinator);
    data = std::move(listening.listener);
    self.data_address = std::move(listening.address);
  }

  auto control_io = std::make_unique<asio::io_context>();
  tcp::Meeting meeting;
  std::string rank0_host;
  if (options.world == 1) {
    meeting.table.members = {self};
  } else if (rank == 0) {
    meeting = receive_ranks(*control_io, self, std::move(*coordinator), options);
  } else {
    meeting = join_ranks(*control_io, self, options);
    rank0_host = tcp::remote_host(meeting.links.front());
  }
  Topology topology = topology_of(meeting.table);
  auto control =
      std::make_unique<tcp::Control>(rank, std::move(meeting.table), std::move(control_io),
                                     std::move(meeting.links), options.deadline);
  std::unique_ptr<Wire> wire;
  if (std::ranges::max(topology.host_of) > 0) {
    auto wire_io = std::make_unique<asio::io_context>();
    try {
      auto links = connect_mesh(*wire_io, rank, control->table(), topology, std::move(*data),
                                rank0_host, options, [&] { control->check(); });
      for (tcp::DataLink& link : links) tcp::give_up_after(link.socket, options.deadline);
      wire = make_wire(std::move(wire_io), std::move(links),
                       [&control = *control](int peer, const std::string& reason) {
                         control.suspect(peer, reason);
                       });
    } catch (const Error& error) {
      control->fail(error);
      throw;
    }
  }
  auto transport = std::make_unique<TcpTransport>(rank, std::move(topology), std::move(control),
                                                  std::move(wire));
  transport->barrier();  // nobody is ahead of a rank that may still fail to connect
  return transport;
}

}  // namespace

std::unique_ptr<Transport> connect_tcp(const TcpOptions& options,
                                       std::optional<Listener> coordinator) {
  try {
    return connect(options, std::move(coordinator));
  } catch (const std::system_error& error) {
    throw Error(ExitCode::environment,
                fmt::format("the network of this host fails: {}", error.what()));
  }
}

}  // namespace lockstep::comm
