#include "spec/combinations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/usage_error_for_test.h"

namespace lockstep::spec {
namespace {

using ::testing::HasSubstr;

constexpr const char* kServed[] = {"parameter_server", "distributed_replicated"};
constexpr const char* kReduced[] = {"replicated", "distributed_all_reduce", "collective_all_reduce",
                                    "horovod"};
constexpr const char* kAlone[] = {"independent", "barrier_only"};

Trial trial_with(const char* update, const Exchange& exchange = {}, const Cluster& cluster = {}) {
  Trial trial;
  trial.exchange = exchange;
  trial.exchange.variable_update = update;
  trial.cluster = cluster;
  return trial;
}

std::string error_of(const Trial& trial) {
  return usage_error_of([&] { check_combinations(trial); });
}

// Of a cluster under a strategy that allows everything of it that is not tested.
std::string cluster_error(const Cluster& cluster, const char* update = "parameter_server") {
  return error_of(trial_with(update, {}, cluster));
}

const std::vector<const char*>& every_update() {
  static const std::vector<const char*> all = [] {
    std::vector<const char*> names(std::begin(kServed), std::end(kServed));
    names.insert(names.end(), std::begin(kReduced), std::end(kReduced));
    names.insert(names.end(), std::begin(kAlone), std::end(kAlone));
    return names;
  }();
  return all;
}

TEST(Checkpoints, AreOfOneNetworkThatAllRanksHaveBehindAStep) {
  const auto error = [](Trial trial, std::int64_t ranks = 1) {
    trial.checkpoints.dir = "t";
    try {
      check_ranks(trial, ranks);
    } catch (const Error& refused) {
      return std::string(refused.what());
    }
    return error_of(trial);
  };
  for (const char* update : every_update()) EXPECT_EQ(error(trial_with(update)), "no error");
  for (const char* update : kServed) EXPECT_EQ(error(trial_with(update), 2), "no error");
  for (const char* update : kAlone)
    EXPECT_THAT(error(trial_with(update), 2), HasSubstr("networks"));
  const char* served = "parameter_server";
  EXPECT_THAT(error(trial_with(served, {.cross_replica_sync = false})), HasSubstr("in common"));
  EXPECT_THAT(error(trial_with(served, {.replicas_to_aggregate = 1})), HasSubstr("in common"));
  EXPECT_THAT(error(trial_with(served, {.staged_vars = true})), HasSubstr("on their way"));
  Exchange relaxed{.variable_consistency = VariableConsistency::relaxed};
  EXPECT_THAT(error(trial_with("replicated", relaxed)), HasSubstr("on their way"));

  Trial evaluates = trial_with(served, {.cross_replica_sync = false});
  evaluates.data.dir = "d";
  evaluates.evaluation.every_steps = 5;
  EXPECT_THAT(error_of(evaluates), HasSubstr("evaluation during training"));
  evaluates.mode = Mode::evaluation;
  EXPECT_THAT(error_of(evaluates), HasSubstr("adds up"));
}

TEST(Strategies, WorkOnAnyNumberOfDevicesOfOneHost) {
  for (const char* update : every_update()) {
    Trial trial = trial_with(update);
    for (trial.devices = 1; trial.devices <= 4; ++trial.devices) {
      EXPECT_EQ(error_of(trial), "no error") << update;
    }
  }
}

TEST(Strategies, WorkOnManyHosts) {
  for (const char* update : every_update()) {
    const std::string expected =
        std::string(update) == "horovod"
            ? "--variable_update=horovod goes without --job_name: a launcher starts its ranks"
            : "no error";
    EXPECT_EQ(cluster_error({.worker_hosts = "a,b", .job_name = JobName::worker}, update),
              expected);
  }
}

TEST(Exchange, StagesVariablesOfParameterServersOnly) {
  EXPECT_EQ(error_of(trial_with("parameter_server", {.staged_vars = true})), "no error");
  EXPECT_EQ(
      error_of(trial_with("replicated", {.staged_vars = true})),
      "--staged_vars works with --variable_update=parameter_server only, not with replicated");
}

TEST(Exchange, IsAsynchronousWithParameterServersOnly) {
  EXPECT_EQ(error_of(trial_with("parameter_server", {.cross_replica_sync = false})), "no error");
  EXPECT_EQ(error_of(trial_with("distributed_replicated", {.cross_replica_sync = false})),
            "--cross_replica_sync=false works with --variable_update=parameter_server only, not "
            "with distributed_replicated");
}

TEST(Exchange, HasBackupWorkersWithSynchronousParameterServersOnly) {
  EXPECT_EQ(error_of(trial_with("parameter_server", {.replicas_to_aggregate = 2})), "no error");
  EXPECT_EQ(error_of(trial_with("horovod", {.replicas_to_aggregate = 2})),
            "--replicas_to_aggregate works with --variable_update=parameter_server only, not with "
            "horovod");
  EXPECT_THAT(error_of(trial_with("parameter_server",
                                  {.cross_replica_sync = false, .replicas_to_aggregate = 2})),
              HasSubstr("--replicas_to_aggregate makes steps of several gradients"));
}

TEST(Exchange, WaitsForNoMoreGradientsThanThereAreRanks) {
  Trial threads = trial_with("parameter_server", {.replicas_to_aggregate = 3},
                             {.transport = Transport::threads});
  threads.devices = 3;
  EXPECT_EQ(error_of(threads), "no error");
  threads.devices = 1;
  EXPECT_EQ(error_of(threads),
            "--replicas_to_aggregate=3 waits for more gradients than the 1 rank can send");

  Trial tcp = trial_with("parameter_server", {.replicas_to_aggregate = 5},
                         {.worker_hosts = "a,b", .job_name = JobName::worker});
  tcp.devices = 2;
  EXPECT_EQ(error_of(tcp),
            "--replicas_to_aggregate=5 waits for more gradients than the 4 ranks can send");
  tcp.devices = 3;
  EXPECT_EQ(error_of(tcp), "no error");

  const Trial launched = trial_with("parameter_server", {.replicas_to_aggregate = 5});
  EXPECT_EQ(error_of(launched), "no error");
  EXPECT_THROW(check_ranks(launched, 4), Error);
  EXPECT_NO_THROW(check_ranks(launched, 5));
}

TEST(Exchange, ShapesAllReducesWhereThereAreSome) {
  const std::pair<Exchange, const char*> shapes[] = {
      {{.variable_consistency = VariableConsistency::relaxed}, "--variable_consistency=relaxed"},
      {{.gradient_repacking = 2}, "--gradient_repacking"},
      {{.agg_small_grads_max_bytes = 1024}, "--agg_small_grads_max_bytes"},
      {{.all_reduce_spec = "collective"}, "--all_reduce_spec"},
  };
  for (const auto& [exchange, flag] : shapes) {
    for (const char* update : kReduced) {
      EXPECT_EQ(error_of(trial_with(update, exchange)), "no error") << flag;
    }
    for (const char* update : {"parameter_server", "distributed_replicated", "independent"}) {
      const std::string error = error_of(trial_with(update, exchange));
      EXPECT_THAT(error, HasSubstr(flag));
      EXPECT_THAT(error, HasSubstr(fmt::format("{} has none", update)));
    }
  }
}

TEST(Exchange, LeavesCollectiveAllReduceItsOwnAlgorithm) {
  for (const char* spec : {"", "collective", "collective#2"}) {
    EXPECT_EQ(error_of(trial_with("collective_all_reduce", {.all_reduce_spec = spec})), "no error");
  }
  EXPECT_EQ(error_of(trial_with("collective_all_reduce", {.all_reduce_spec = "xring"})),
            "--variable_update=collective_all_reduce takes --all_reduce_spec=collective or "
            "collective#n only");
  EXPECT_EQ(error_of(trial_with("distributed_all_reduce", {.all_reduce_spec = "xring"})),
            "no error");
}

TEST(Exchange, HasServersWhereTheStrategyHasThem) {
  for (const char* update : kServed) {
    EXPECT_EQ(error_of(trial_with(update, {.num_ps = 2})), "no error");
  }
  EXPECT_EQ(error_of(trial_with("replicated", {.num_ps = 2})),
            "--num_ps asks for parameter servers, and replicated has none");
  const Cluster served = {.worker_hosts = "a", .ps_hosts = "b", .job_name = JobName::worker};
  EXPECT_EQ(cluster_error(served), "no error");
  EXPECT_EQ(cluster_error(served, "collective_all_reduce"),
            "--variable_update=collective_all_reduce has no parameter servers");
  EXPECT_EQ(cluster_error({.worker_hosts = "a", .job_name = JobName::ps}, "replicated"),
            "--variable_update=replicated has no parameter servers");
}

TEST(Exchange, CountsServersAsTheHostsDo) {
  const Cluster two = {.worker_hosts = "a", .ps_hosts = "b,c", .job_name = JobName::worker};
  EXPECT_EQ(error_of(trial_with("parameter_server", {.num_ps = 2}, two)), "no error");
  EXPECT_EQ(error_of(trial_with("parameter_server", {.num_ps = 3}, two)),
            "--num_ps=3 contradicts --ps_hosts, which names 2");
  EXPECT_THAT(error_of(trial_with("parameter_server", {.num_ps = 1},
                                  {.worker_hosts = "a", .job_name = JobName::worker})),
              HasSubstr("--num_ps=1 needs --ps_hosts here"));
}

TEST(Cluster, NeedsBothItsHostsAndThisProcess) {
  EXPECT_EQ(cluster_error({.job_name = JobName::worker}), "--job_name=worker needs --worker_hosts");
  EXPECT_EQ(cluster_error({.ps_hosts = "a", .job_name = JobName::ps}),
            "--job_name=ps needs --worker_hosts");
  EXPECT_EQ(cluster_error({.worker_hosts = "a", .job_name = JobName::ps}),
            "--job_name=ps needs --ps_hosts");
  for (const Cluster& hosts :
       {Cluster{.worker_hosts = "a"}, Cluster{.ps_hosts = "a"}, Cluster{.controller_host = "a"}}) {
    EXPECT_EQ(cluster_error(hosts),
              "the cluster's hosts are given, but not which of them this process is");
  }
  EXPECT_EQ(cluster_error({.task_index = 1}), "--task_index=1 needs --job_name");
}

TEST(Cluster, HasATaskForEachHost) {
  Cluster cluster = {.worker_hosts = "a,b", .ps_hosts = "c", .job_name = JobName::worker};
  cluster.task_index = 1;
  EXPECT_EQ(cluster_error(cluster), "no error");
  cluster.task_index = 2;
  EXPECT_EQ(cluster_error(cluster), "--task_index=2: the tasks of --job_name=worker are 0 to 1");
  cluster.job_name = JobName::ps;
  cluster.task_index = 1;
  EXPECT_EQ(cluster_error(cluster), "--task_index=1: the tasks of --job_name=ps are 0 to 0");
}

TEST(Cluster, HasAControllerForDistributedAllReduceOnly) {
  Cluster cluster = {
      .worker_hosts = "a,b", .controller_host = "a", .job_name = JobName::controller};
  EXPECT_EQ(cluster_error(cluster, "distributed_all_reduce"), "no error");
  EXPECT_EQ(cluster_error(cluster, "replicated"),
            "--controller_host works with --variable_update=distributed_all_reduce only, not with "
            "replicated");
  cluster.task_index = 1;
  EXPECT_THAT(cluster_error(cluster, "distributed_all_reduce"), HasSubstr("are 0 to 0"));
  EXPECT_EQ(cluster_error({.worker_hosts = "a", .job_name = JobName::controller}),
            "--job_name=controller needs --controller_host");
  // tf_cnn_benchmarks wants one; here the workers find each other.
  EXPECT_EQ(
      cluster_error({.worker_hosts = "a", .job_name = JobName::worker}, "distributed_all_reduce"),
      "no error");
}

TEST(Cluster, IsJoinedByTcp) {
  Cluster cluster = {.worker_hosts = "a", .job_name = JobName::worker};
  for (const Transport transport : {Transport::automatic, Transport::tcp}) {
    cluster.transport = transport;
    EXPECT_EQ(cluster_error(cluster), "no error");
  }
  cluster.transport = Transport::mpi;
  EXPECT_EQ(cluster_error(cluster),
            "--job_name=worker and its hosts are for --transport=tcp, not for mpi");
  cluster.transport = Transport::threads;
  EXPECT_THAT(cluster_error(cluster), HasSubstr("not for threads"));
}

TEST(Devices, HaveOneThreadWhereThereAreTooMany) {
  Trial trial;
  trial.oversubscribe = true;
  EXPECT_EQ(error_of(trial), "no error");
  trial.threads_per_device = 1;
  EXPECT_EQ(error_of(trial), "no error");
  trial.threads_per_device = 2;
  EXPECT_EQ(error_of(trial), "--oversubscribe makes devices of one thread");
}

}  // namespace
}  // namespace lockstep::spec
