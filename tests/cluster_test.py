#!/usr/bin/env python3
"""`lockstep run` on several hosts, the real program: over real ssh, mpirun and Slurm.

Usage: cluster_test.py PROGRAM FAULTS [unittest arguments]
FAULTS is the library that faults/faults.cc makes."""

import functools
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import sys
import tempfile
import time
import unittest

from bed import Hosts, Slurm

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
FAULTS = pathlib.Path(sys.argv.pop(1)).resolve()
STEP_LINE = re.compile(r"^\d+\timages/sec: \S+ \+/- \S+ \(jitter = \S+\)\t([\d.]+)$", re.M)
STEPS = 5  # a warm-up and four that are timed
LENET = ["--model=lenet", "--batch_size=2", "--num_intra_threads=1", "--init_learning_rate=0.02",
         "--num_warmup_batches=1", "--num_batches=4", "--display_every=1",
         "--conv_algorithm=direct"]
PARAMETER_BYTES = 4 * 2173353  # of lenet
DEADLINE = 2
ENDLESS = ["--model=lenet", "--batch_size=2", "--num_intra_threads=1", "--num_warmup_batches=0",
           "--num_batches=1000000", "--display_every=1000000", f"--deadline={DEADLINE}",
           "--conv_algorithm=direct"]
MPIRUN = ["mpirun", "--bind-to", "none", "--oversubscribe"]
SRUN = ["srun", "--mpi=pmix"]
SILENT_LINE = r"its connection broke \(Connection timed out\)"
# What a launcher makes of the exit codes of its ranks is its own affair, and so are signals that it
# sends to all of them. A file that may not grow is an error as any other, a crash leaves no file.
NOTE_EXIT_CODE = """trap : INT TERM; trap '' XFSZ; ulimit -c 0
read -r host </proc/sys/kernel/hostname
"$@"; code=$?; echo $code >"$0.$host"; exit $code"""


def setUpModule():
    global hosts
    hosts = unittest.enterModuleContext(Hosts(3, rate="1gbit", own_processors=True))
    unittest.enterModuleContext(Slurm(hosts))


class Run:
    """One run of the program: what had to be started for it, rank 0 last, and what came of that.

    In it something may go wrong, at once or later: `faults`, as faults.cc knows them."""

    def __init__(self, *flags, faults=None):
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=hosts.directory))
        self._command = ["sh", "-c", NOTE_EXIT_CODE, f"{self.directory}/code", str(PROGRAM), "run",
                         f"--result_dir={self.directory}", *flags]
        if faults is not None:
            self._command[4:4] = ["env", f"LD_PRELOAD={FAULTS}", f"FAULTS={self.directory}"]
        for fault in faults or []:
            self.fault(fault)
        self.processes = {}  # by name

    def fault(self, fault):
        (self.directory / fault).touch()

    def start(self, *launcher):
        """Starts it on node1, with a launcher or without."""
        self.launcher = [*launcher, "none"][0]
        self.processes["launcher"] = hosts.start("node1", [*launcher, *self._command])
        return self

    def start_by_ssh(self, workers, servers=(), absent=None):
        """Starts it with the flags of tf_cnn_benchmarks, all but the one that is absent."""
        cluster = ["--worker_hosts=" + ",".join(workers), "--ps_hosts=" + ",".join(servers)]
        tasks = [("worker", task, host) for task, host in enumerate(workers)]
        tasks += [("ps", task, host) for task, host in enumerate(servers)]
        for job, task, host in reversed(tasks):
            name = f"{job} {task}"
            if name != absent:
                self._ssh(name, host, [*self._command, *cluster, f"--job_name={job}",
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

    def start_as_horovodrun(self, workers):
        """Starts a rank on each of some of two hosts, as horovodrun on node1 does over Gloo."""
        for rank, host in reversed(list(enumerate(workers))):
            variables = {"RANK": rank, "SIZE": 2, "LOCAL_RANK": 0, "LOCAL_SIZE": 1,
                         "CROSS_RANK": rank, "CROSS_SIZE": 2,
                         "GLOO_RENDEZVOUS_ADDR": "10.77.0.1", "GLOO_RENDEZVOUS_PORT": 40000}
            self._ssh(f"worker {rank}", host,
                      ["env", *(f"HOROVOD_{name}={value}" for name, value in variables.items()),
                       *self._command])
        return self

    def _ssh(self, name, host, command):
        self.launcher = "ssh"
        self.processes[name] = hosts.start("node1", ["ssh", host, shlex.join(command)])

    def process_on(self, host):
        """The process of its one rank there; None where there is none."""
        for process, command in hosts.processes(host).items():
            if re.match(rf"\S*lockstep run \S*{self.directory}", command):
                return process
        return None

    def code_on(self, host):
        """The exit code of its one rank there; None where that was not even noted."""
        file = self.directory / f"code.{host}"
        return int(file.read_text()) if file.exists() else None

    def await_end_on(self, some_hosts, until):
        while any(map(self.process_on, some_hosts)):
            assert time.monotonic() < until, f"{self._command} still runs"
            time.sleep(0.02)

    def steps(self, rank):
        """Those that the rank has recorded."""
        file = self.directory / f"samples.{rank}"
        return max(0, file.read_text().count("\n") - 2) if file.exists() else 0

    def train(self, workers=3):
        """Waits until all of them have done some steps."""
        deadline = time.monotonic() + 60  # where other work takes the processors
        while min(map(self.steps, range(workers))) < 3:
            if time.monotonic() > deadline:
                for process in filter(None, map(self.process_on, hosts.names)):
                    os.kill(process, signal.SIGKILL)  # lest the next test finds it, too
                raise AssertionError(f"no steps; {self.end().errors}")
            time.sleep(0.02)
        return self

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

    def assert_overlapped(self, rank):
        """It computed while its gradients travelled: a step takes less than one behind the other."""
        self.assertLess(rank["exposed_ms"], rank["in_flight_ms"])
        self.assertLess(rank["step_ms"],
                        rank["forward_ms"] + rank["backward_ms"] + rank["in_flight_ms"])
        for bucket in rank["buckets"]:
            self.assertLessEqual(bucket["waiting_ms"], bucket["exposed_ms"] + 1e-6)
            self.assertLessEqual(bucket["exposed_ms"], bucket["in_flight_ms"] + 1e-6)

    def assert_near(self, numbers, expected):
        """Sizes of the network, within 1 %: the engine pads some parameters."""
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

    def test_ranks_of_horovodrun_meet_where_it_was_started(self):
        flag = "--variable_update=horovod"
        run = Run(*LENET, flag).start_as_horovodrun(["node1", "node2"]).end()
        self.assert_trained(run, losses_of_one_process(2, flag))

    def test_ranks_of_horovodrun_cannot_meet_where_rank_0_is_not(self):
        run = Run(*LENET, "--variable_update=horovod").start_as_horovodrun(["node2"]).end()
        self.assertEqual(run.codes, {"worker 0": 2}, run.errors)
        self.assertIn("error: ranks cannot meet at 10.77.0.1:2221: rank 0 is on this host, which "
                      "does not have that address\nhint: set LOCKSTEP_COORDINATOR to the host of "
                      "rank 0", run.errors["worker 0"])

    def test_every_strategy_on_three_hosts(self):
        for strategy in ("parameter_server", "distributed_replicated", "replicated",
                         "collective_all_reduce"):
            with self.subTest(strategy):
                flag = f"--variable_update={strategy}"
                run = Run(*LENET, flag).start_by_ssh(["node1", "node2", "node3"]).end()
                self.assert_trained(run, losses_of_one_process(3, flag))
                self.assert_near([sum(run.bytes_sent())], 2 * 2)  # 3 times 2 (3 - 1) / 3
                for rank in run.result()["ranks"]:
                    self.assert_overlapped(rank)

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

    def test_backup_workers_are_not_waited_for(self):
        for servers in (["node3"], []):
            with self.subTest(servers=servers):
                workers = ["node1", "node2", "node1"] if servers else hosts.names
                # Two workers take turns on the one core of node1.
                run = Run(*LENET, "--variable_update=parameter_server", "--replicas_to_aggregate=2",
                          "--oversubscribe", faults=["sleep in a layer on node2"])
                self.assert_trained(run.start_by_ssh(workers, servers).end())
                summaries = run.result()["servers"]
                self.assertGreater(sum(server["gradients_dropped"] for server in summaries), 0)
                self.assertEqual({server["staleness_max"] for server in summaries}, {0})
                self.assert_near(run.bytes_sent(), 1)

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
        self.assert_trains([*MPIRUN, "-np", "2"], 2, "--variable_update=parameter_server",
                           "--oversubscribe")  # a host has one core
        self.assert_trains([*MPIRUN, "-np", "3"], 3, "--variable_update=horovod", "--oversubscribe")

    def test_mpirun_over_hosts(self):
        two = [*MPIRUN, "--host", "node1,node2"]
        self.assert_trains(two, 2, "--variable_update=replicated")
        self.assert_trains([*MPIRUN, "--host", "node1:2,node2:2"], 4,
                           "--variable_update=horovod", "--oversubscribe")
        self.assert_trains([*MPIRUN, "--host", "node1,node2,node3"], 2,
                           "--variable_update=parameter_server", "--num_ps=1")

    def test_srun(self):
        self.assert_trains([*SRUN, "--nodes=2"], 2, "--variable_update=collective_all_reduce")

    def test_asynchronous_servers_see_stale_gradients(self):
        run = Run(*LENET, "--variable_update=parameter_server", "--cross_replica_sync=False",
                  "--num_ps=1", "--num_batches=8")
        self.assert_trained(run.start(*MPIRUN, "--host", "node1,node2,node3").end())
        self.assert_near(run.bytes_sent(), 1)
        [server] = run.result()["servers"]
        self.assertEqual(server["host"], "node3")
        self.assertGreater(server["staleness_mean"], 0)

    def test_mpirun_within_an_allocation_of_slurm(self):
        self.assert_trains(["salloc", "--nodes=2", *MPIRUN], 2,
                           "--variable_update=distributed_replicated")


def in_one_process(*flags, **faults):
    return Run(*ENDLESS, *flags, "--devices=2", "--oversubscribe", **faults).start()


def by_ssh(*flags, **faults):
    return Run(*ENDLESS, *flags, **faults).start_by_ssh(hosts.names)


def by_mpirun(*flags, **faults):
    # Without keepalive, mpirun itself would not notice that a host is cut off; it does so after all ranks
    # have. It kills ranks a second after SIGTERM. A longer odls_base_sigkill_timeout does not help: mpirun
    # and its daemons sleep through all of it, one after the other, also when nobody is left to kill.
    return Run(*ENDLESS, *flags, **faults).start(
        *MPIRUN, "--host", ",".join(hosts.names), "--mca", "oob_tcp_keepalive_time", "2",
        "--mca", "oob_tcp_keepalive_intvl", "1", "--mca", "oob_tcp_keepalive_probes", "8")


def by_srun(*flags, **faults):
    return Run(*ENDLESS, *flags, **faults).start(*SRUN, "--nodes=3", "--kill-on-bad-exit=1")


def by_patient_srun(*flags, **faults):
    """Which goes on when a task fails."""
    return Run(*ENDLESS, *flags, **faults).start(*SRUN, "--nodes=3")


def by_every_launcher(*flags, **faults):
    """Three runs at once: they share the hosts, and what happens to those."""
    return [launch(*flags, **faults) for launch in (by_ssh, by_mpirun, by_srun)]


def send(number):
    def send_to_all(processes):
        for process in processes:
            os.kill(process, number)
    return send_to_all


class Loss(ClusterTest):
    """Something happens to one of three ranks, each on a host of its own."""

    def assert_noticed(self, runs, happen, how, culprit=1, launchers_code=5, undo=None, workers=3):
        """All others end in time and name the culprit; what was measured is there."""
        others = [host for host in hosts.names if host != hosts.names[culprit]]
        victims = [run.train(workers).process_on(hosts.names[culprit]) for run in runs]
        happen(victims)
        until = time.monotonic() + DEADLINE + 10
        for run in runs:
            run.await_end_on(others, until)
        if undo:
            undo(victims)
        message = rf"rank {culprit} on {hosts.names[culprit]} {how}"
        for run in runs:
            run.end()
            with self.subTest(run.launcher):
                self.assert_named(run, others, message, launchers_code)
                if culprit != 0:  # who would have written it
                    self.assertEqual(run.result()["error"]["exit_code"], 5)
                    self.assertRegex(run.result()["error"]["message"], message)
                for rank in range(workers):
                    self.assertGreaterEqual(run.steps(rank), 3)
        hosts.assert_nothing_left()

    def assert_named(self, run, others, message, launchers_code):
        errors = "".join(run.errors.values())
        self.assertEqual([run.code_on(host) for host in others], [5] * len(others), errors)
        self.assertGreaterEqual(len(re.findall(f"error: {message}", errors)), len(others), errors)
        if "launcher" in run.codes:  # that of the culprit, if that one ended first
            self.assertIn(run.codes["launcher"], (5, launchers_code), errors)

    def assert_tells_of_its_crash(self, run, host, message):
        """It does so itself, once, and ends by the signal."""
        errors = "".join(run.errors.values())
        self.assertRegex(errors, f"(?m)^error: {message}: Segmentation fault$")
        self.assertEqual(errors.count(" crashed"), 1, errors)
        self.assertEqual(run.code_on(host), 128 + signal.SIGSEGV)

    def test_of_a_process_that_is_killed(self):
        self.assert_noticed(by_every_launcher(), send(signal.SIGKILL),
                            r"was lost at step \d+: its process ended",
                            launchers_code=128 + signal.SIGKILL)

    def test_of_a_process_that_crashes_in_a_layer(self):
        runs = by_every_launcher(faults=[])
        crash = "crash in a layer on node2"
        self.assert_noticed(runs, lambda _: [run.fault(crash) for run in runs],
                            r"was lost at step \d+: its process ended",
                            launchers_code=128 + signal.SIGSEGV)
        for run in runs:
            with self.subTest(run.launcher):
                self.assert_tells_of_its_crash(run, "node2",
                                               r"rank 1 on node2 crashed at step \d+")
                self.assertIn("(dnnl_primitive_execute", "".join(run.errors.values()))

    def test_of_a_process_that_crashes_in_mpi_init(self):
        def assert_tells(run):
            run.end()
            with self.subTest(run.launcher):
                self.assert_tells_of_its_crash(run, "node2", "rank 1 on node2 crashed")
                # That of those whom it has ended is higher; who has no handler yet needs SIGKILL.
                self.assertIn(run.codes["launcher"] - 128,
                              (signal.SIGSEGV, signal.SIGTERM, signal.SIGKILL), run.errors)
        crash = {"faults": ["crash in MPI_Init on node2"]}
        for run in [launch(**crash) for launch in (by_mpirun, by_srun)]:
            assert_tells(run)
        hosts.assert_nothing_left()
        # Nobody ends the others: they give up by themselves, and rank 0 says so in the result.
        run = by_patient_srun("--start_timeout=3", **crash)
        assert_tells(run)
        self.assertEqual([run.code_on(host) for host in ("node1", "node3")], [4, 4], run.errors)
        self.assertEqual(run.errors["launcher"].count("error: MPI_Init timed out after 3 s"), 2)
        self.assertEqual(run.result()["error"]["exit_code"], 4)
        run.await_end_on(hosts.names, time.monotonic())
        hosts.accept_what_is_there()  # Slurm's own may need half a minute

    def test_of_rank_0(self):
        self.assert_noticed(by_every_launcher(), send(signal.SIGKILL),
                            r"was lost at step \d+: its process ended", culprit=0,
                            launchers_code=128 + signal.SIGKILL)

    def test_of_a_process_that_hangs(self):
        def let_go_on(processes):
            for process in processes:
                try:
                    os.kill(process, signal.SIGCONT)
                except ProcessLookupError:
                    pass  # the launcher has killed it
        # When it goes on, all others are gone. It ends by what it hears of that, unless Open MPI,
        # about to write to one of them, ends it first: with 255, the highest code, which is srun's.
        for culprit in (1, 0):
            with self.subTest(culprit=culprit):
                self.assert_noticed(by_every_launcher(), send(signal.SIGSTOP),
                                    rf"was lost at step \d+: silent for {DEADLINE} s",
                                    culprit=culprit, launchers_code=255, undo=let_go_on)

    def test_of_a_host_that_is_cut_off(self):
        self.addCleanup(hosts.heal, "node2")
        runs = by_every_launcher()

        def heal(_):
            for run in runs:  # the one that is cut off ends by itself, too
                run.await_end_on(["node2"], time.monotonic() + DEADLINE)
            hosts.heal("node2")
        # Where processors are scarce, the kernel may notice before the heartbeats' thread.
        self.assert_noticed(runs, lambda _: hosts.cut("node2"),
                            rf"was lost at step \d+: (silent for {DEADLINE} s|{SILENT_LINE})",
                            undo=heal)
        for run in runs:
            self.assertEqual(run.code_on("node2"), 5)
        # It misses the others; only ssh still carries what it says.
        self.assertIn("error: rank 0 on node1 was lost", "".join(runs[0].errors.values()))

    def test_of_the_way_between_two_hosts(self):
        for host in ("node2", "node3"):
            self.addCleanup(hosts.heal, host)
        vendor = ["--variable_update=replicated", "--all_reduce_spec=vendor"]
        runs = [run.train() for run in (*by_every_launcher(), by_mpirun(*vendor))]
        hosts.part("node2", "node3")
        until = time.monotonic() + DEADLINE + 10
        either_way = [rf"rank {lost} on node{lost + 1} was lost at step \d+: {SILENT_LINE}, "
                      rf"says rank {other} on node{other + 1}" for lost, other in [(1, 2), (2, 1)]]
        for run in runs:
            run.await_end_on(hosts.names, until)
            run.end()
            with self.subTest(run.launcher):
                self.assert_named(run, hosts.names, f"({'|'.join(either_way)})", launchers_code=5)
        hosts.assert_nothing_left()

    def test_of_a_rank_that_fails_by_itself(self):
        def forbid_to_write(processes):
            for process in processes:
                resource.prlimit(process, resource.RLIMIT_FSIZE, (1, 1))
        how = "failed at step \\d+: cannot write .*samples.{}: File too large"
        self.assert_noticed(by_every_launcher(), forbid_to_write, how.format(1))
        run = in_one_process().train(2)
        forbid_to_write([run.process_on("node1")])
        run.end(within=DEADLINE + 10)
        self.assert_named(run, ["node1"], f"rank ([01]) on node1 {how.format('[01]')}", 5)

    def test_of_all_ranks_at_once_leaves_what_was_measured(self):
        killed = in_one_process().train(2)
        send(signal.SIGKILL)([killed.process_on("node1")])
        crashed = in_one_process(faults=[]).train(2)
        crashed.fault("crash in a layer on node1")
        for run in (killed, crashed):
            run.end(within=10)
            self.assertGreaterEqual(min(run.steps(0), run.steps(1)), 3)
        self.assertEqual(killed.code_on("node1"), 128 + signal.SIGKILL)
        self.assert_tells_of_its_crash(crashed, "node1", r"rank [01] on node1 crashed at step \d+")
        hosts.assert_nothing_left()

    def test_of_a_server(self):
        for flags in ([], ["--cross_replica_sync=False"]):
            for culprit in (1, 2):
                with self.subTest(flags=flags, culprit=culprit):
                    run = Run(*ENDLESS, *flags).start_by_ssh(["node1", "node2"], ["node3"])
                    self.assert_noticed([run], send(signal.SIGKILL),
                                        r"was lost( at step \d+)?: its process ended",
                                        culprit=culprit, workers=2)

    def test_while_the_others_are_inside_the_vendors_collective(self):
        run = by_mpirun("--variable_update=replicated", "--all_reduce_spec=vendor")
        self.assert_noticed([run], send(signal.SIGKILL),
                            r"was lost at step \d+: its process ended",
                            launchers_code=128 + signal.SIGKILL)

    def test_before_the_first_step(self):
        # Takes a while to set up, but not to step: mpirun leaves the others two seconds.
        runs = []
        for launch in (by_ssh, by_mpirun):
            runs.append(launch("--model=resnet110"))
            samples = runs[-1].directory / "samples.1"  # made before its memory
            deadline = time.monotonic() + 20
            while not samples.exists():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.005)
            os.kill(runs[-1].process_on("node2"), signal.SIGKILL)
        for run in runs:
            run.end(within=DEADLINE + 10)
            with self.subTest(run.launcher):
                self.assert_named(run, ["node1", "node3"],
                                  "rank 1 on node2 was lost: its process ended",
                                  128 + signal.SIGKILL)
        hosts.assert_nothing_left()


class Divergence(ClusterTest):
    def test_is_the_end_of_all_ranks_and_names_the_layer(self):
        flag = "--init_learning_rate=1e30"
        for run in (in_one_process(flag), *by_every_launcher(flag)):
            run.end()
            with self.subTest(run.launcher):
                self.assertEqual(set(run.codes.values()), {5}, run.errors)
                for errors in run.errors.values():
                    self.assertRegex(errors, r"error: rank (0 on node1|1 on node[12]|2 on node3) "
                                     r"failed at step 2: the loss is nan.* layer \w+ is the first")
                self.assertEqual(run.result()["error"]["exit_code"], 5)
                for rank in (0, 1):  # who was slower was told in its second step
                    self.assertIn(run.steps(rank), (1, 2))
        hosts.assert_nothing_left()


class Start(ClusterTest):
    def test_names_those_who_do_not_come(self):
        for absent, message in [
                ("worker 0", r"rank \d on node\d cannot join rank 0 at node1:2230 within 2 s"),
                ("worker 2", "1 of 3 ranks did not arrive within 2 s: rank 2")]:
            with self.subTest(absent):
                run = Run(*ENDLESS, "--start_timeout=2").start_by_ssh(hosts.names, absent=absent)
                run.end()
                for name, code in run.codes.items():
                    self.assertEqual(code, 4, run.errors[name])
                    self.assertRegex(run.errors[name], message)
                hosts.assert_nothing_left()


class Interruption(ClusterTest):
    def assert_ends_in_order(self, runs, interrupt, code=130, workers=3):
        for run in runs:
            interrupt(run.train(workers))
        for run in runs:
            run.end(within=10)
            with self.subTest(run.launcher):
                self.assertEqual(set(run.codes.values()), {code}, run.errors)
                self.assertEqual("".join(run.outputs.values()).count("total images/sec: "), 1)
                steps = run.result()["statistics"]["steps_measured"]
                self.assertEqual(min(map(run.steps, range(workers))), steps)
                self.assertIn(f"interrupted after {steps} of 1000000 timed steps",
                              run.result()["warnings"])
        hosts.assert_nothing_left()

    def test_of_any_rank_ends_all(self):
        def interrupt_on(host):
            return lambda run: os.kill(run.process_on(host), signal.SIGINT)
        self.assert_ends_in_order([by_ssh()], interrupt_on("node1"))
        # srun must not take the first end for a failure.
        self.assert_ends_in_order([by_ssh(), by_mpirun(), by_patient_srun()], interrupt_on("node2"))

    def test_of_mpirun_keeps_what_was_measured(self):
        self.assert_ends_in_order(
            [by_mpirun()], lambda run: run.processes["launcher"].send_signal(signal.SIGINT), code=1)

    def test_of_ranks_that_do_not_wait_for_each_other(self):
        run = Run(*ENDLESS, "--cross_replica_sync=False").start_by_ssh(["node1", "node2"])
        self.assert_ends_in_order(
            [run], lambda run: os.kill(run.process_on("node2"), signal.SIGINT), workers=2)


class Straggler(ClusterTest):
    def test_is_named(self):
        run = Run("--model=resnet20", "--batch_size=4", "--num_intra_threads=1",
                  "--num_warmup_batches=1", "--num_batches=30", "--variable_update=replicated",
                  "--conv_algorithm=direct", faults=["sleep in a layer on node2"])
        run.start_by_ssh(["node1", "node2"]).end()
        self.assert_trained(run)
        straggler = run.result()["straggler"]
        self.assertTrue(straggler, run.result()["ranks"])
        self.assertEqual(straggler["rank"], 1)
        last = straggler["arrived_last"]
        self.assertIn(f"warning: rank 1 on node2 arrived last in {last} of 30 steps",
                      run.errors["worker 0"])


if __name__ == "__main__":
    unittest.main()
