#!/usr/bin/env python3
"""The launchers on real hosts: ssh, mpirun and srun, whole jobs and broken ones.

Usage: launch_test.py LAUNCH_ONCE PROGRAM [unittest arguments]"""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from bed import Hosts, Slurm

LAUNCH_ONCE = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
LENET = ["--model=lenet", "--batch_size=2", "--num_intra_threads=1", "--oversubscribe",
         "--num_warmup_batches=1", "--num_batches=4", "--variable_update=replicated",
         "--conv_algorithm=direct"]
ENDLESS = [*LENET, "--num_batches=1000000"]
SERVED = [*LENET, "--variable_update=parameter_server"]
REMOTE = "/tmp/lockstep"


def setUpModule():
    global hosts
    hosts = unittest.enterModuleContext(Hosts(3))
    unittest.enterModuleContext(Slurm(hosts))
    for host in hosts.names:  # programs stay there
        hosts.run(host, ["mkdir", REMOTE])
    hosts.accept_what_is_there()


def bundle():
    linked = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"=> (/\S+)", linked)
    return [str(PROGRAM), str(PROGRAM.with_name("lockstep-mpi")),
            *(library for library in libraries if not re.search(r"/lib[cm]\.", library))]


class Launch:
    """One job, launched on node1."""

    def __init__(self, launcher, nodes, devices, *flags, servers=0, remote=REMOTE, time_limit=60,
                 within=()):
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=hosts.directory)) / "my results"
        nodes_file = self.directory.with_name("nodes")
        nodes_file.write_text("".join(f"{node}\n" for node in nodes))
        self.process = hosts.start("node1", [
            *within, str(LAUNCH_ONCE), launcher, str(nodes_file), str(devices), str(servers),
            remote, str(self.directory), str(time_limit), ":".join(bundle()), *flags])

    def end(self, within=60):
        self.output, self.errors = self.process.communicate(timeout=within)
        self.code = self.process.returncode
        return self

    def seconds(self, what):
        return float(re.search(rf"^{what} ([\d.]+)s", self.output, re.M)[1])

    def result(self):
        return json.loads((self.directory / "run.json").read_text())

    def wait_for_training(self):
        """Until rank 0 tells of steps."""
        logs = self.directory / "logs"
        deadline = time.monotonic() + 30
        while not any("images/sec" in log.read_text() for log in logs.glob("*.log")):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"no step: {self.end().errors}")
            time.sleep(0.05)


class LaunchTest(unittest.TestCase):
    def assert_trained(self, launch, places, servers=()):
        self.assertEqual(launch.code, 0, launch.errors)
        result = launch.result()
        self.assertEqual([rank["host"] for rank in result["ranks"]], places)
        self.assertEqual([server["host"] for server in result["servers"]], list(servers))
        samples = sorted(path.name for path in launch.directory.glob("samples.*"))
        self.assertEqual(len(samples), len(places), list(launch.directory.iterdir()))
        hosts.assert_nothing_left()


class BySsh(LaunchTest):
    def test_brings_the_program_once_and_the_results_back(self):
        nodes = ["10.77.0.2 node2 slots=2", "10.77.0.3 node3 slots=2"]
        remote = f"{REMOTE}/of this test"
        for first in (True, False):
            launch = Launch("ssh", nodes, 3, *LENET, remote=remote).end()
            self.assert_trained(launch, ["node2", "node2", "node3"])
            self.assertEqual((launch.directory / "logs/node2.copy.log").exists(), first)
        # What a launch costs beside the job itself, once the program is there.
        self.assertLess(launch.seconds("staged") + launch.seconds("collected"), 4)
        found = hosts.run("node2", ["sh", "-c", 'cd "$0" && ls . results && ldd lockstep-*/lockstep',
                                    remote]).stdout
        self.assertRegex(found, r"^\.:\nlockstep-[0-9a-f]{8}-\d+\nresults\n\nresults:\n\t")
        self.assertRegex(found, r"libdnnl\.so\.\d => /tmp/lockstep/of this test/lockstep-")

    def test_works_from_inside_the_cluster_and_places_servers(self):
        launch = Launch("ssh", ["node1 slots=2", "node2 slots=1"], 3, *SERVED, servers=2).end()
        self.assert_trained(launch, ["node1", "node1", "node2"], ["node1", "node2"])

    def test_needs_no_sshd_for_this_machine(self):
        launch = Launch("ssh", ["localhost"], 2, *LENET, within=["env", "PATH=/bin:/usr/bin"]).end()
        self.assert_trained(launch, ["node1", "node1"])

    def test_names_a_host_that_cannot_be_reached(self):
        hosts.cut("node3")
        self.addCleanup(hosts.heal, "node3")
        launch = Launch("ssh", ["node2", "node3"], 2, *LENET).end(within=20)
        self.assertEqual(launch.code, 4)
        self.assertRegex(launch.errors, "^error: host node3: cannot be reached by ssh: ")

    def test_ends_everything_when_a_rank_is_killed(self):
        launch = Launch("ssh", ["node1", "node2", "node3"], 3, *ENDLESS)
        launch.wait_for_training()
        hosts.run("node2", ["pkill", "-KILL", "-f", "^/tmp/lockstep/lockstep"])
        launch.end(within=20)
        self.assertEqual(launch.code, 5)
        self.assertRegex(launch.errors, "^node2 failed with 137")
        self.assertEqual(launch.result()["error"]["exit_code"], 5)
        hosts.assert_nothing_left()

    def test_ends_everything_when_a_host_is_lost(self):
        launch = Launch("ssh", ["node1", "node2", "node3"], 3, *ENDLESS, "--deadline=4")
        launch.wait_for_training()
        hosts.cut("node3")
        self.addCleanup(hosts.heal, "node3")
        launch.end(within=40)
        self.assertEqual(launch.code, 5)
        self.assertRegex(launch.errors, "rank 2 on node3")
        hosts.heal("node3")
        hosts.assert_nothing_left(within=60)

    def test_leaves_nothing_when_it_is_stopped_timed_out_or_killed(self):
        for how in ("stopped", "timed_out", "killed"):
            with self.subTest(how):
                launch = Launch("ssh", ["node1", "node2 slots=2"], 3, *ENDLESS,
                                time_limit=4 if how == "timed_out" else 60)
                launch.wait_for_training()
                if how != "timed_out":
                    launch.process.send_signal(
                        signal.SIGTERM if how == "stopped" else signal.SIGKILL)
                launch.end(within=20)
                if how != "killed":
                    self.assertEqual(launch.code, 5)
                    self.assertRegex(launch.output, rf"(?m)^ran \S+ {how}$")
                hosts.assert_nothing_left(within=10)


class ByMpirun(LaunchTest):
    def test_places_ranks_and_servers(self):
        launch = Launch("mpi", ["node1 slots=2", "node2 slots=1"], 3, *SERVED, servers=2).end()
        self.assert_trained(launch, ["node1", "node1", "node2"], ["node1", "node2"])

    def test_ends_in_seconds_when_a_host_is_lost(self):
        launch = Launch("mpi", ["node1", "node2", "node3"], 3, *ENDLESS, "--deadline=4")
        launch.wait_for_training()
        hosts.cut("node3")
        self.addCleanup(hosts.heal, "node3")
        launch.end(within=30)
        self.assertEqual(launch.code, 5)
        hosts.heal("node3")
        hosts.assert_nothing_left(within=60)

    def test_leaves_nothing_when_it_is_killed(self):
        launch = Launch("mpi", ["node1", "node2"], 2, *ENDLESS)
        launch.wait_for_training()
        launch.process.send_signal(signal.SIGKILL)
        launch.end(within=20)
        hosts.assert_nothing_left(within=20)


class BySlurm(LaunchTest):
    def test_places_ranks_within_an_allocation(self):
        launch = Launch("slurm", ["node2 slots=2", "node3 slots=2"], 3, *LENET, remote="-",
                        within=["salloc", "--nodes=3"]).end()
        self.assert_trained(launch, ["node2", "node2", "node3"])

    def test_leaves_nothing_when_it_is_killed(self):
        launch = Launch("slurm", ["node1", "node2"], 2, *ENDLESS, remote="-",
                        within=["salloc", "--nodelist=node1,node2"])
        launch.wait_for_training()
        hosts.run("node1", ["pkill", "-KILL", "launch_once"])
        launch.end(within=20)
        hosts.assert_nothing_left(within=20)

    def test_submits_a_batch_and_waits_for_it(self):
        launch = Launch("sbatch", ["node1", "node2"], 2, *LENET, remote="-").end()
        self.assert_trained(launch, ["node1", "node2"])

    def test_ends_a_batch_when_it_is_ended_itself(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number):
                launch = Launch("sbatch", ["node1", "node2"], 2, *ENDLESS, remote="-")
                launch.wait_for_training()
                launch.process.send_signal(number)
                launch.end(within=40)
                hosts.assert_nothing_left(within=20)
                jobs = ["squeue", "--noheader", "--states=PENDING,RUNNING"]
                self.assertEqual(hosts.run("node1", jobs).stdout, "")


if __name__ == "__main__":
    unittest.main()
