"""Ranks under a real mpirun: they come and go in order, and a lost one ends the others."""

import os
import re
import signal
import subprocess
import sys
import time
import unittest

PROBE = sys.argv.pop(1)
RANKS = 3
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(RANKS)]
SOCKETS_ONLY = ["--mca", "btl", "tcp,self"]  # as between hosts


def children_of_probe():
    """Processes that still run the probe, whoever started them."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{process}/exe") == os.path.realpath(PROBE):
                found.append(int(process))
        except OSError:
            pass  # not ours, or gone
    return found


class Job:
    """mpirun with probes; its ranks' processes are known once all are connected."""

    def __init__(self, what, options=()):
        self.process = subprocess.Popen([*MPIRUN, *options, PROBE, what], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.ranks = {}
        while len(self.ranks) < RANKS:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(self.process.communicate(timeout=20)[1])
            rank, process = re.fullmatch(r"rank (\d+) is process (\d+)\n", line).groups()
            self.ranks[int(rank)] = int(process)

    def end(self, seconds):
        """Exit code and what was said on stderr, or a failure after so many seconds."""
        try:
            _, said = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            for process in self.ranks.values():
                os.kill(process, signal.SIGKILL)
            raise
        return self.process.returncode, said


class InOrder(unittest.TestCase):
    def test_ranks_come_and_go(self):
        code, said = Job("end").end(seconds=20)
        self.assertEqual((code, said), (0, ""))

    def test_a_world_of_one_needs_no_mpirun(self):
        done = subprocess.run([PROBE, "end"], text=True, capture_output=True, timeout=20)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"rank 0 is process \d+")


class LostRank(unittest.TestCase):
    def lose(self, what, culprit=1, options=()):
        job = Job(what, options)
        os.kill(job.ranks[culprit], signal.SIGKILL)
        code, said = job.end(seconds=10)
        self.assertNotEqual(code, 0)
        self.assertRegex(said, rf"error: .*rank {culprit}\b", said)
        self.assertEqual(children_of_probe(), [])

    def test_ends_those_who_wait_for_texts(self):
        self.lose("gather")

    def test_ends_those_inside_the_vendors_collective(self):
        self.lose("vendor")
        self.lose("vendor", options=SOCKETS_ONLY)

    def test_ends_those_who_wait_for_the_wire(self):
        self.lose("wire")
        self.lose("wire", options=SOCKETS_ONLY)

    def test_may_be_rank_0(self):
        self.lose("gather", culprit=0)


if __name__ == "__main__":
    unittest.main()
