#include "tests/equivalence/ranks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "comm/fake_hosts.h"
#include "comm/tcp/test_world.h"
#include "model/zoo.h"
#include "record/recorder.h"
#include "train/replica.h"
#include "train/server.h"

namespace lockstep::equivalence {

train::Site site_of(const spec::StrategyRow& row, const comm::Topology& topology, int servers,
                    std::string_view all_reduce) {
  train::Site site;
  site.ranks.topology = topology;
  site.ranks.servers = servers;
  site.ranks.all_reduce = strategy::parse_all_reduce_spec(all_reduce);
  site.strategy = &row;
  site.spin = false;
  return site;
}

std::vector<std::vector<float>> plain_parameters(const engine::Engine& engine) {
  std::vector<std::vector<float>> all;
  for (int i = 0; i < static_cast<int>(engine.parameters().size()); ++i) {
    all.push_back(engine.parameter(i));
  }
  return all;
}

Trained train_rank(const spec::Trial& trial, const train::Site& site, comm::Transport& transport,
                   const Compile& compile_engine) {
  const model::Model& model = model::find(trial.model);
  if (!site.ranks.trains(transport.rank())) {
    train::serve(trial, model, transport, site);
    return {};
  }
  std::unique_ptr<engine::Engine> compiled = compile_engine(trial);
  const engine::Engine& engine = *compiled;
  train::Replica replica(trial, model, std::move(compiled), transport, site);
  record::Recorder recorder(static_cast<std::size_t>(trial.num_batches));
  for (int step = 0; step < trial.num_batches; ++step) {
    replica.step(recorder, {.last = step + 1 == trial.num_batches ? 1.0F : 0.0F});
  }
  replica.land();
  Trained trained;
  for (const record::Sample& sample : recorder.samples()) {
    trained.base_losses.push_back(sample.base_loss);
    trained.losses.push_back(sample.loss);
  }
  const auto stored = replica.exchange().parameters().first(engine.parameter_floats());
  trained.stored.assign(stored.begin(), stored.end());
  trained.parameters = plain_parameters(engine);
  const auto chunks = replica.exchange().chunks();
  trained.chunks.assign(chunks.begin(), chunks.end() - 1);  // the last is the tally's
  return trained;
}

void in_memory(const comm::Topology& topology, const std::function<void(comm::Transport&)>& work) {
  const comm::FakeHosts hosts(topology);
  comm::on_every_rank(hosts.ranks(), work);
}

void over_tcp(const comm::Topology& topology, const std::function<void(comm::Transport&)>& work) {
  std::vector<std::string> host_keys;
  for (const int host : topology.host_of) host_keys.push_back(fmt::format("host {}", host));
  const auto ranks = comm::tcp::connect_world(host_keys);
  ASSERT_EQ(ranks.front()->topology().host_of, topology.host_of);
  comm::on_every_rank(std::span(ranks), work);
}

std::vector<Trained> train_on(OnRanks& on_ranks, const spec::Trial& trial, const train::Site& site,
                              const Compile& compile_engine) {
  std::vector<Trained> all(static_cast<std::size_t>(site.ranks.topology.world()));
  on_ranks(site.ranks.topology, [&](comm::Transport& transport) {
    all[static_cast<std::size_t>(transport.rank())] =
        train_rank(trial, site, transport, compile_engine);
  });
  all.resize(static_cast<std::size_t>(site.ranks.workers()));
  return all;
}

}  // namespace lockstep::equivalence
