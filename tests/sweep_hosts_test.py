#!/usr/bin/env python3
"""`lockstep sweep` on real hosts: over ssh, mpirun and Slurm, whole sweeps and broken ones.

Usage: sweep_hosts_test.py PROGRAM FAULTS [unittest arguments]
FAULTS is the library that faults/faults.cc makes."""

import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from bed import Hosts, Slurm

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
FAULTS = pathlib.Path(sys.argv.pop(1)).resolve()
TINY = ["--models=mnist_softmax:4", "--devices=1,3", "--noceiling", "--oversubscribe",
        "--repeats=1", "--num_warmup_batches=1", "--num_batches=3"]
# The second point would take long; what happens meanwhile is none of the other two's business.
LONG = ["--models=mnist_softmax:4,lenet:128,mnist_mlp:4", "--devices=3", "--noceiling",
        "--oversubscribe", "--repeats=1", "--retries=0", "--num_warmup_batches=1",
        "--num_batches=400", "--display_every=1", "--deadline=2", "--conv_algorithm=direct"]
REMOTE = "/tmp/lockstep"


def setUpModule():
    global hosts
    hosts = unittest.enterModuleContext(Hosts(3))
    for host in hosts.names:  # programs stay there
        hosts.run(host, ["mkdir", REMOTE])
    hosts.accept_what_is_there()


class SweepTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=hosts.directory)) / "my results"

    def start(self, *arguments, within=()):
        self.process = hosts.start("node1", [*within, str(PROGRAM), "sweep", *arguments,
                                             f"--result_dir={self.directory}"])

    def start_long_point(self, *arguments):
        """Returns when rank 0 tells of steps."""
        for old in self.directory.glob("points/*/*.running"):
            shutil.rmtree(old)
        self.start(*arguments)
        deadline = time.monotonic() + 30
        while not any("images/sec" in log.read_text()
                      for log in self.directory.glob("points/lenet*/1.running/*.log")):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"no step: {self.process.communicate(timeout=10)}")
            time.sleep(0.05)

    def assert_ends(self, code, within=30):
        self.output, self.errors = self.process.communicate(timeout=within)
        self.assertEqual(self.process.returncode, code, self.errors)

    def assert_statuses(self, *expected):
        with open(self.directory / "results.csv", newline="") as file:
            self.assertEqual(tuple(row["status"] for row in csv.DictReader(file)), expected)

    def launches(self):
        """The results of finished launches: {path: inode}"""
        return {path: path.stat().st_ino for path in self.directory.glob("points/*/1/run.json")}

    def assert_measures_the_tiny_sweep_on(self, *places):
        self.assert_ends(0)
        self.assert_statuses("measured", "measured")
        for devices in (1, 3):
            point = self.directory / f"points/mnist_softmax-b4-d{devices}-replicated"
            ranks = json.loads((point / "1/run.json").read_text())["ranks"]
            self.assertEqual(tuple(rank["host"] for rank in ranks), places[:devices])
        self.assertIn(str(self.directory / "results.csv"), self.output)
        hosts.assert_nothing_left()


class OverSsh(SweepTest):
    def test_hosts_need_nothing_but_sshd(self):
        self.start(*TINY, "--hosts=node2:2,node3:1", f"--remote_dir={REMOTE}/by ssh")
        self.assert_measures_the_tiny_sweep_on("node2", "node2", "node3")

    def test_mpirun_runs_a_copy_of_the_program(self):
        self.start(*TINY, "--launcher=mpi", "--hosts=node1:1,node2:1,node3:1",
                   f"--remote_dir={REMOTE}/by mpirun")
        self.assert_measures_the_tiny_sweep_on("node1", "node2", "node3")

    def test_a_host_that_nobody_knows_is_named_and_the_others_are_measured(self):
        self.start(*TINY, "--hosts=node2:1,node3:1,node4:1")
        self.assert_ends(4)
        self.assert_statuses("measured", "failed")
        self.assertIn("failed: mnist_softmax-b4-d3-replicated: host node4 cannot be reached by "
                      "ssh: ssh: Could not resolve hostname node4", self.output)
        hosts.assert_nothing_left()

    def test_more_devices_than_there_are_places_for_are_refused_at_once(self):
        self.start(*TINY, "--hosts=node2:1,node3:1")
        self.assert_ends(2)
        self.assertIn("error: 3 devices", self.errors)
        self.assertFalse(self.directory.exists())

    def test_whatever_happens_to_a_point_the_others_are_kept(self):
        self.start_long_point(*LONG, "--hosts=node1:1,node2:1,node3:1", f"--remote_dir={REMOTE}")
        hosts.run("node3", ["pkill", "-KILL", "-f", "^/tmp/lockstep/lockstep"])
        self.assert_ends(5)
        self.assert_statuses("measured", "failed", "measured")
        self.assertRegex(self.output, r"failed: lenet-b128-d3-replicated: .*node3")
        hosts.assert_nothing_left()
        kept = self.launches()

        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            self.start_long_point("--resume")
            self.process.send_signal(number)
            self.assert_ends(code)
            self.assert_statuses("measured", "not_measured", "measured")
            hosts.assert_nothing_left()

        self.start_long_point("--resume")
        # A host that dies loudly: nothing of it runs, and whoever wants to reach it is told at once.
        # One that falls silent costs some 20 s, and is what the launchers' own test has.
        way = ["unreachable", "10.77.0.3"]
        hosts.run("node1", ["ip", "route", "add", *way])
        self.addCleanup(hosts.run, "node1", ["ip", "route", "del", *way])
        hosts.run("node3", ["sh", "-c", "kill -KILL -1"])
        self.assert_ends(4)
        self.assert_statuses("measured", "failed", "measured")
        self.assertIn("failed: lenet-b128-d3-replicated: host node3 cannot be reached by ssh: "
                      "ssh: connect to host node3", self.output)
        hosts.assert_nothing_left()
        self.assertEqual(self.launches(), kept)


def threads_of_all_cores():
    """Of the only device of this machine."""
    done = subprocess.run([PROGRAM, "sweep", "--devices=1", "--print_config"], capture_output=True,
                          text=True, timeout=60)
    return json.loads(done.stdout)["threads_per_device"]


class ThreadsPerDevice(SweepTest):
    """Are a host's allowed cores divided by its devices, whatever launches them."""
    SHORT = ["--models=mnist_softmax:4", "--noceiling", "--repeats=1", "--num_warmup_batches=1",
             "--num_batches=3"]

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(Slurm(hosts))

    def bind(self, host, processors):
        """From now on, whoever comes by ssh has these processors of the host."""
        self.assertEqual(hosts.run(host, ["sh", "-c", "taskset -acp " + processors + " $(pgrep -xo "
                                          "sshd)"]).returncode, 0)

    def assert_threads(self, expected, *arguments, within=()):
        self.start(*self.SHORT, *arguments, within=within)
        self.assert_ends(0)
        sweep = json.loads((self.directory / "sweep.json").read_text())
        self.assertEqual(sweep["threads_per_device"], expected)
        for file in self.directory.glob("points/*/1/run.json"):
            self.assertEqual(json.loads(file.read_text())["config"]["threads_per_device"], expected)
        self.assertIn(f"note: threads per device: {expected}, by the cores of the hosts",
                      self.errors)
        shutil.rmtree(self.directory)

    def test_are_all_cores_where_a_host_has_one_device(self):
        everything = threads_of_all_cores()
        self.assert_threads(everything, "--hosts=node2:1")
        self.assert_threads(everything, "--hosts=node2:1", f"--remote_dir={REMOTE}/threads")
        self.assert_threads(everything, "--hosts=node2:1,node3:1", "--devices=1,2")
        self.assert_threads(everything, "--launcher=mpi", "--hosts=node2:1")
        self.assert_threads(everything, "--devices=1,2", within=["salloc", "--nodes=2"])
        self.assert_threads(everything, "--devices=1,2", "--launcher=slurm")

    def test_are_those_that_every_host_has(self):
        processors = sorted(os.sched_getaffinity(0))
        self.bind("node3", str(processors[0]))
        self.addCleanup(self.bind, "node3", ",".join(map(str, processors)))
        self.assert_threads(1, "--hosts=node2:1,node3:1", "--devices=1,2")
        self.start(*self.SHORT, "--hosts=node2:1,node3:2", "--devices=1,3")
        self.assert_ends(2)
        self.assertIn("2 devices need at least 2 cores, 1 is allowed", self.errors)

    def test_of_servers_are_none(self):
        self.assert_threads(threads_of_all_cores(), "--hosts=node2:1,node3:1", "--devices=1",
                            "--strategies=parameter_server", "--num_ps=1", "--servers_apart")

    def test_are_asked_for_when_the_sweep_starts(self):
        self.start(*self.SHORT, "--hosts=node2:1", "--dry_run")
        self.assert_ends(0)
        self.assertIn("note: threads per device: 0, ", self.errors)
        self.start(*self.SHORT, "--hosts=node4:1")
        self.assert_ends(4)
        self.assertIn("error: host node4 cannot be reached by ssh", self.errors)


class OverSlurm(SweepTest):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(Slurm(hosts))

    def test_uses_the_allocation_that_is_there(self):
        self.start(*TINY, within=["salloc", "--nodes=3", "--ntasks-per-node=1"])
        self.assert_measures_the_tiny_sweep_on("node1", "node2", "node3")

    def test_asks_for_an_allocation_where_there_is_none(self):
        flags = [*TINY, "--launcher=slurm"]
        self.start(*flags, "--dry_run")
        self.assert_ends(0)
        self.assertIn("#SBATCH --nodes=3\n#SBATCH --ntasks-per-node=1\n#SBATCH --exclusive\nexec ", self.output)
        self.assertIn("$(sbatch --parsable ", self.output)
        self.assertFalse(self.directory.exists())
        self.start(*flags)
        self.assert_measures_the_tiny_sweep_on("node1", "node2", "node3")
        self.assertIn("mnist_softmax-b4-d3-replicated  launch 1: ", self.errors)

    def test_names_a_rank_that_crashes_as_mpi_starts(self):
        (self.directory.parent / "crash in MPI_Init on node2").touch()
        self.start(*TINY, "--retries=0", within=[
            "salloc", "--nodes=3", "--ntasks-per-node=1",
            "env", f"LD_PRELOAD={FAULTS}", f"FAULTS={self.directory.parent}"])
        self.assert_ends(5)
        self.assert_statuses("measured", "failed")
        self.assertIn("failed: mnist_softmax-b4-d3-replicated: rank 1 on node2 crashed: "
                      "Segmentation fault", self.output)
        hosts.assert_nothing_left()

    def test_says_why_there_is_no_batch_job(self):
        self.start(*TINY, "--launcher=slurm", within=["env", "PATH=/nowhere"])
        self.assert_ends(4)
        self.assertIn("error: cannot execute sbatch", self.errors)
        self.assertFalse(self.directory.exists())
        self.start(*TINY, "--launcher=slurm", "--sbatch_args=--partition=nowhere")
        self.assert_ends(4)
        self.assertRegex(self.errors, "error: the batch job did not run: .*invalid partition")

    def test_ends_as_its_batch_job_does(self):
        self.start("--models=lenet:4", "--devices=1", "--repeats=1", "--retries=0",
                   "--num_batches=5", "--init_learning_rate=1e30", "--launcher=slurm",
                   "--conv_algorithm=direct")
        self.assert_ends(5)
        self.assert_statuses("failed")
        self.assertIn("failed: lenet-b4-d1-replicated: the loss is ", self.output)
        hosts.assert_nothing_left()

    def test_cancels_its_batch_job_when_it_is_ended(self):
        self.start_long_point(*LONG, "--launcher=slurm")
        self.process.send_signal(signal.SIGINT)
        self.assert_ends(130)
        self.assertEqual(len(self.launches()), 1)
        hosts.assert_nothing_left(within=10)
        self.assertEqual(hosts.run("node1", ["squeue", "--noheader"]).stdout, "")


if __name__ == "__main__":
    unittest.main()
