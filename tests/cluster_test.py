#!/usr/bin/env python3
"""`lockstep run` on several hosts, the real program: over real ssh, mpirun and Slurm.

Usage: cluster_test.py PROGRAM [unittest arguments]"""

import functools
import json
import pathlib
import re
import shlex
import sys
import tempfile
import time
import unittest

from bed import Hosts, Slurm

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
STEP_LINE = re.compile(r"^\d+\timages/sec: \S+ \+/- \S+ \(jitter = \S+\)\t([\d.]+)$", re.M)
STEPS = 5  # a warm-up and four that are timed
LENET = ["--model=lenet", "--batch_size=2", "--num_intra_threads=1", "--init_learning_rate=0.02",
         "--num_warmup_batches=1", "--num_batches=4", "--display_every=1"]
PARAMETER_BYTES = 4 * 2173353  # of lenet
MPIRUN = ["mpirun", "--bind-to", "none", "--oversubscribe"]
SRUN = ["srun", "--mpi=pmix"]


def setUpModule():
    global hosts
    hosts = unittest.enterModuleContext(Hosts(3, rate="1gbit", own_processors=True))
    unittest.enterModuleContext(Slurm(hosts))


class Run:
    """One run of the program: what had to be started for it, rank 0 last, and what came of that."""

    def __init__(self, *flags):
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=hosts.directory))
        self._command = [str(PROGRAM), "run", f"--result_dir={self.directory}", *flags]
        self.processes = {}  # by name

    def start(self, *launcher):
        """Starts it on node1, with a launcher or without."""
        self.processes["launcher"] = hosts.start("node1", [*launcher, *self._command])
        return self

    def start_by_ssh(self, workers, servers=()):
        """Starts it with the flags of tf_cnn_benchmarks."""
        cluster = ["--worker_hosts=" + ",".join(workers), "--ps_hosts=" + ",".join(servers)]
        tasks = [("worker", task, host) for task, host in enumerate(workers)]
        tasks += [("ps", task, host) for task, host in enumerate(servers)]
        for job, task, host in reversed(tasks):
            self._ssh(f"{job} {task}", host, [*self._command, *cluster, f"--job_name={job}",
                                              f"--task_index={task}"])
        return self

    def start_with_variables(self, workers):
        """Starts it as a launcher does that lockstep knows as its own."""
        for rank, host in reversed(list(enumerate(workers))):
            variables = {"RANK": rank, "WORLD_SIZE": len(workers), "LOCAL_RANK": 0,
                         "LOCAL_WORLD_SIZE": 1, "COORDINATOR": f"{workers[0]}:2230"}
            self._ssh(f"worker {rank}", host,
                      ["env", *(f"LOCKSTEP_{name}={value}" for name, value in variables.items()),
                       *self._command])
        return self

    def _ssh(self, name, host, command):
        self.processes[name] = hosts.start("node1", ["ssh", host, shlex.join(command)])

    def end(self, within=30):
        """Waits for all processes and keeps what they said."""
        deadline = time.monotonic() + within
        self.codes, self.outputs, self.errors = {}, {}, {}
        for name, process in self.processes.items():
            self.outputs[name], self.errors[name] = process.communicate(
                timeout=max(0.1, deadline - time.monotonic()))
            self.codes[name] = process.returncode
        return self

    @property
    def losses(self):
        return STEP_LINE.findall("".join(self.outputs.values()))

    def result(self):
        return json.loads((self.directory / "run.json").read_text())

    def bytes_sent(self):
        """By each rank that trains, per step, in sizes of the network."""
        return [rank["bytes_sent"] / PARAMETER_BYTES for rank in self.result()["ranks"]]


@functools.cache
def losses_of_one_process(devices, *flags):
    run = Run(*LENET, *flags, f"--devices={devices}", "--oversubscribe").start().end()
    assert len(set(run.losses)) == 4, run.errors
    return run.losses


def carried_between_hosts():
    """Bytes that all hosts have sent so far, by what their links count."""
    return sum(int(hosts.run(host, ["cat", "/sys/class/net/eth0/statistics/tx_bytes"]).stdout)
               for host in hosts.names)


class ClusterTest(unittest.TestCase):
    def assert_trained(self, run, losses=None):
        """Everybody ended well, and rank 0 alone spoke, once."""
        self.assertEqual(set(run.codes.values()), {0}, run.errors)
        self.assertEqual([name for name, output in run.outputs.items() if output],
                         list(run.processes)[-1:])
        self.assertEqual("".join(run.outputs.values()).count("total images/sec: "), 1)
        if losses:
            self.assertEqual(run.losses, losses)
        hosts.assert_nothing_left()

    def assert_near(self, numbers, expected):
        """Sizes of the network, within 1 %: the engine pads some parameters, and shares begin on cache lines."""
        for number in numbers:
            self.assertAlmostEqual(number, expected, delta=0.01 * (1 + expected))


class OverTcp(ClusterTest):
    def test_every_strategy_between_hosts_of_two_devices(self):
        # Of the network's size, per step: what each rank sends, what all lines carry.
        for strategy, each, all_lines in [
                ("parameter_server", None, 4),  # two workers of the other host, there and back
                ("distributed_replicated", None, 2),  # their sum, there and back
                ("replicated", 2 * 3 / 4, 2),  # 2 (2 - 1) / 2 for each host: they sum up first
                ("collective_all_reduce", 2 * 3 / 4, 2),
                ("horovod", 2 * 3 / 4, 3),  # the ring crosses from host to host twice
                ("barrier_only", 0, 0)]:
            with self.subTest(strategy):
                flag = f"--variable_update={strategy}"
                run = Run(*LENET, flag, "--devices=2", "--oversubscribe")
                before = carried_between_hosts()
                if strategy == "horovod":  # as in tf_cnn_benchmarks, a launcher starts its ranks
                    run.start_with_variables(["node1", "node2"]).end()
                else:
                    run.start_by_ssh(["node1", "node2"]).end()
                carried = carried_between_hosts() - before
                self.assert_trained(run, losses_of_one_process(4, flag))
                self.assertEqual([rank["host"] for rank in run.result()["ranks"]],
                                 ["node1", "node1", "node2", "node2"])
                # With headers and acknowledgements.
                self.assertAlmostEqual(carried / STEPS / PARAMETER_BYTES, all_lines,
                                       delta=0.02 + 0.06 * all_lines)
                if each is not None:
                    self.assert_near(run.bytes_sent(), each)

    def test_every_strategy_on_three_hosts(self):
        for strategy in ("parameter_server", "distributed_replicated", "replicated",
                         "collective_all_reduce"):
            with self.subTest(strategy):
                flag = f"--variable_update={strategy}"
                run = Run(*LENET, flag).start_by_ssh(["node1", "node2", "node3"]).end()
                self.assert_trained(run, losses_of_one_process(3, flag))
                self.assert_near([sum(run.bytes_sent())], 2 * 2)  # 3 times 2 (3 - 1) / 3

    def test_servers_on_a_host_of_their_own(self):
        for strategy in ("parameter_server", "distributed_replicated"):
            with self.subTest(strategy):
                flag = f"--variable_update={strategy}"
                run = Run(*LENET, flag).start_by_ssh(["node1", "node2"], servers=["node3"]).end()
                self.assert_trained(run, losses_of_one_process(2, flag, "--num_ps=1"))
                self.assert_near(run.bytes_sent(), 1)
                [server] = run.result()["servers"]
                self.assertEqual(server["host"], "node3")
                self.assert_near([server[way] / STEPS / PARAMETER_BYTES
                                  for way in ("bytes_sent", "bytes_received")], 2)

    def test_asynchronous_servers_see_stale_gradients(self):
        for servers in (["node3"], []):
            with self.subTest(servers=servers):
                run = Run(*LENET, "--variable_update=parameter_server",
                          "--cross_replica_sync=False", "--num_batches=20")
                self.assert_trained(run.start_by_ssh(["node1", "node2"], servers).end())
                self.assert_near(run.bytes_sent(), 1)
                summaries = run.result()["servers"]
                self.assertEqual([server["host"] for server in summaries],
                                 servers or ["node1", "node2"])
                for server in summaries:
                    self.assertGreater(server["staleness_mean"], 0)
                    self.assertGreaterEqual(server["staleness_max"], 1)

    def test_sends_gradients_in_16_bits_through_the_interface_that_it_is_told(self):
        flag = "--variable_update=replicated"
        run = Run(*LENET, flag, "--wire_precision=fp16", "--network_interface=eth0")
        self.assert_trained(run.start_by_ssh(["node1", "node2"]).end())
        self.assert_near(run.bytes_sent(), 1 / 4 + 1 / 2)  # gradients, parameters
        for loss, exact in zip(run.losses, losses_of_one_process(2, flag), strict=True):
            self.assertAlmostEqual(float(loss), float(exact), delta=0.01)


class OverMpi(ClusterTest):
    def assert_trains(self, launcher, workers, *flags):
        with self.subTest(launcher=launcher, flags=flags):
            run = Run(*LENET, *flags).start(*launcher).end()
            self.assert_trained(run, losses_of_one_process(workers, *flags))
            self.assert_near([sum(run.bytes_sent())],
                             workers if "--num_ps=1" in flags else 2 * (workers - 1))

    def test_mpirun_on_one_host(self):
        self.assert_trains([*MPIRUN, "-np", "2"], 2, "--variable_update=parameter_server")
        self.assert_trains([*MPIRUN, "-np", "3"], 3, "--variable_update=horovod")

    def test_mpirun_over_hosts(self):
        two = [*MPIRUN, "--host", "node1,node2"]
        self.assert_trains(two, 2, "--variable_update=replicated")
        self.assert_trains([*MPIRUN, "--host", "node1:2,node2:2"], 4,
                           "--variable_update=horovod")
        self.assert_trains([*MPIRUN, "--host", "node1,node2,node3"], 2,
                           "--variable_update=parameter_server", "--num_ps=1")

    def test_srun(self):
        self.assert_trains([*SRUN, "--nodes=2"], 2, "--variable_update=collective_all_reduce")

    def test_mpirun_within_an_allocation_of_slurm(self):
        self.assert_trains(["salloc", "--nodes=2", *MPIRUN], 2,
                           "--variable_update=distributed_replicated")


if __name__ == "__main__":
    unittest.main()
