#!/usr/bin/env python3
"""The bed of the end-to-end tests: its hosts are what it says, and nothing of it remains."""

import concurrent.futures
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

from bed import BedError, Hosts, Slurm

TESTS = pathlib.Path(__file__).resolve().parent
BRING_UP_AND_WAIT = """
import signal, sys
sys.path.insert(0, sys.argv[1])
from bed import Hosts, Slurm
with Hosts(2) as hosts, Slurm(hosts):
    hosts.start("node2", ["sleep", "1000"])
    print(hosts.directory, flush=True)
    signal.pause()
"""


def mine():
    """The processes that have a script of the bed on their command line."""
    return subprocess.run(["pgrep", "--full", f"{TESTS}/bed/"], capture_output=True,
                          text=True).stdout.split()


def of_the_machine():
    """What a bed could leave to the machine: network devices, names of namespaces, mounts."""
    return (os.listdir("/sys/class/net"), os.path.exists("/run/netns") and os.listdir("/run/netns"),
            pathlib.Path("/proc/mounts").read_text())


class OnTwoHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = cls.enterClassContext(Hosts(2, rate="1gbit"))

    def reaches(self, host, other):
        ping = self.hosts.run(host, ["ping", "-c1", "-W1", other])
        return ping.returncode == 0

    def test_each_has_its_name_and_reaches_the_other_with_ssh(self):
        for host, other in [("node1", "node2"), ("node2", "node1")]:
            done = self.hosts.run(host, ["sh", "-c", f"hostname; ssh {other} hostname"])
            self.assertEqual((done.stdout, done.stderr), (f"{host}\n{other}\n", ""))
            self.assertTrue(self.reaches(host, other))

    def test_links_keep_their_rate_both_ways_at_once(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            rates = list(pool.map(self.hosts.iperf, ["node1", "node2"], ["node2", "node1"]))
        for rate in rates:
            self.assertGreater(rate, 0.85e9, rates)
            self.assertLess(rate, 1e9, rates)

    def test_links_change_their_rate(self):
        self.addCleanup(self.hosts.rate, "node2", "1gbit")
        self.hosts.rate("node2", "100mbit")
        rate = self.hosts.iperf("node1", "node2")
        self.assertGreater(rate, 85e6)
        self.assertLess(rate, 100e6)
        with self.assertRaisesRegex(BedError, "no rate: fast"):
            self.hosts.rate("node2", "fast")

    def test_all_use_the_same_congestion_control_whatever_the_machine_does(self):
        available = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text()
        self.assertIn("cubic", available.split())
        ask = ("import socket; s = socket.create_connection(('node2', 22)); "
               "print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b'\\0'))")
        done = self.hosts.run("node1", ["python3", "-c", ask])
        self.assertEqual((done.stdout, done.stderr), ("b'cubic'\n", ""))

    def test_a_cut_link_loses_everything_until_it_heals(self):
        self.hosts.cut("node2")
        self.addCleanup(self.hosts.heal, "node2")
        self.assertFalse(self.reaches("node1", "node2"))
        self.assertFalse(self.reaches("node2", "node1"))
        self.assertEqual(self.hosts.run("node2", ["cat", "/sys/class/net/eth0/carrier"]).stdout,
                         "1\n")
        self.hosts.heal("node2")
        self.assertTrue(self.reaches("node1", "node2"))

    def test_parted_hosts_do_not_reach_each_other_until_one_heals(self):
        self.hosts.part("node2")
        self.addCleanup(self.hosts.heal, "node2")
        self.assertTrue(self.reaches("node1", "node2"))
        self.hosts.part("node1")
        self.addCleanup(self.hosts.heal, "node1")
        self.assertFalse(self.reaches("node1", "node2"))
        self.hosts.heal("node2")
        self.assertTrue(self.reaches("node1", "node2"))

    def test_files_are_shared_but_for_temporary_ones(self):
        shared = self.hosts.directory / "shared"
        for path, seen in [(shared, "node1\n"), ("/tmp/own", ""), ("/dev/shm/own", "")]:
            self.hosts.run("node1", ["sh", "-c", f"hostname >{path}"])
            self.assertEqual(self.hosts.run("node2", ["cat", path]).stdout, seen)
            self.hosts.run("node1", ["rm", path])

    def test_a_signal_reaches_the_command_and_its_exit_code_comes_back(self):
        process = self.hosts.start(
            "node2", [sys.executable, "-c", "import signal, sys\n"
                      "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
                      "print(flush=True)\nsignal.pause()"])
        process.stdout.readline()
        process.terminate()
        self.assertEqual(process.wait(timeout=10), 7)

    def test_a_command_that_takes_too_long_is_killed(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            self.hosts.run("node1", ["sleep", "1000"], timeout=0.5)
        self.hosts.assert_nothing_left()

    def test_says_what_a_command_left_and_where(self):
        self.hosts.assert_nothing_left()
        self.hosts.run("node2", ["sh", "-c", "touch /tmp/a /dev/shm/b; sleep 1000 >&- 2>&- &"])
        with self.assertRaises(AssertionError) as caught:
            self.hosts.assert_nothing_left(within=0.2)
        self.assertRegex(str(caught.exception), r"node2: process \d+: sleep 1000\n"
                                                "node2: /tmp/a\nnode2: /dev/shm/b$")
        self.hosts.run("node2", ["sh", "-c", "rm /tmp/a /dev/shm/b; pkill sleep"])
        self.hosts.assert_nothing_left()

    def test_slurm_starts_tasks_on_both(self):
        with Slurm(self.hosts) as slurm:
            done = slurm.run(["srun", "--label", "--nodes=2", "hostname"])
            self.assertEqual(sorted(done.stdout.splitlines()), ["0: node1", "1: node2"], done)
            done = slurm.run(["srun", "--mpi=pmix", "--nodes=2", "--ntasks-per-node=2",
                              "sh", "-c", "echo $(hostname) $PMIX_RANK"])
            self.assertEqual(sorted(done.stdout.splitlines()),
                             ["node1 0", "node1 1", "node2 2", "node2 3"], done)
            self.hosts.assert_nothing_left()
        for host in self.hosts.names:
            self.assertEqual(len(self.hosts.processes(host)), 1, "more than its sshd")


class Bed(unittest.TestCase):
    def test_a_crashed_host_is_gone_and_the_others_are_not(self):
        with Hosts(3) as hosts:
            process = hosts.start("node3", ["sh", "-c", "echo started; sleep 1000"])
            self.assertEqual(process.stdout.readline(), "started\n")
            hosts.crash("node3")
            self.assertEqual(process.wait(timeout=10), -signal.SIGKILL)
            self.assertIn("no host node3", hosts.run("node3", ["true"]).stderr)
            self.assertNotEqual(hosts.run("node1", ["ssh", "node3", "true"]).returncode, 0)
            self.assertEqual(hosts.run("node1", ["ssh", "node2", "hostname"]).stdout, "node2\n")
            hosts.assert_nothing_left()

    def test_hosts_can_have_their_own_processors(self):
        share = max(1, len(os.sched_getaffinity(0)) // 2)
        with Hosts(2, own_processors=True) as hosts:
            for host in hosts.names:
                for command in (["nproc"], ["ssh", host, "nproc"]):
                    self.assertEqual(hosts.run(host, command).stdout, f"{share}\n")

    def test_nothing_survives_the_one_who_brought_it_up(self):
        before = of_the_machine()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            with subprocess.Popen([sys.executable, "-B", "-c", BRING_UP_AND_WAIT, TESTS], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                directory = pathlib.Path(process.stdout.readline().strip())
                self.assertTrue(directory.is_dir())
                self.assertNotEqual(mine(), [])
                process.send_signal(number)
                process.wait(timeout=30)
            deadline = time.monotonic() + 10
            while mine() and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(mine(), [])
            self.assertEqual(of_the_machine(), before)
            if number == signal.SIGKILL:  # which leaves nobody to remove the files
                shutil.rmtree(directory)
            self.assertFalse(directory.exists())

    def test_an_error_brings_the_logs_along(self):
        with self.assertRaises(ZeroDivisionError) as caught:
            with Hosts(1):
                1 / 0
        self.assertIn("--- node1/log\nServer listening", caught.exception.__notes__[0])

    def test_says_what_the_machine_lacks(self):
        script = TESTS / "bed" / "hosts"
        for lacking, words in [(["unshare", "--user"], "only root"),
                               (["env", "PATH=/bin:/usr/bin"], "tc is missing"),
                               (["setpriv", "--bounding-set=-sys_admin"], "capability SYS_ADMIN")]:
            with self.subTest(words):
                done = subprocess.run([*lacking, script, "/not/made", "1"], capture_output=True,
                                      text=True, timeout=10, stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
