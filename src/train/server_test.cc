#include "train/server.h"

#include <gtest/gtest.h>

#include <future>

#include "comm/fake_hosts.h"

namespace lockstep::train {
namespace {

TEST(Server, CanEndWhileGradientsAreOnTheirWay) {
  const comm::FakeHosts world({{0, 1}});
  const Layout layout{.segments = {{0, 16, true}}, .floats = 16};
  Site site;
  site.ranks.topology = world.ranks()[0]->topology();
  site.ranks.servers = 1;
  site.strategy = &spec::find_strategy("parameter_server", true);
  site.quorum = 1;
  spec::Trial trial;
  trial.batch_size = 1;

  std::promise<void> server_has_ended, delivered;
  comm::on_every_rank(world.ranks(), [&](comm::Transport& transport) {
    if (transport.rank() == 1) {
      EXPECT_THROW(serve(trial, model::find("lenet"), transport, site), Error);
      server_has_ended.set_value();
      return;
    }
    transport.broadcast(to_text(layout));
    Exchange exchange(transport, site, layout, {}, true);
    exchange.broadcast_parameters();
    transport.barrier();  // timing starts
    transport.fail({ExitCode::rank_failed, "gone"});
    server_has_ended.get_future().wait();

    comm::Wire& mine = *transport.wire();
    comm::Wire& servers = *world.ranks()[1]->wire();
    const auto gradients = exchange.gradients().first(exchange.chunks().front().range.size());
    mine.post([&] {
      mine.send(1, 0, gradients, comm::Encoding::fp32, [&] {
        // Behind the message, and behind what it sets off.
        servers.post([&] { servers.post([&] { delivered.set_value(); }); });
      });
    });
    delivered.get_future().wait();
  });
}

}  // namespace
}  // namespace lockstep::train
