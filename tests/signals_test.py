#!/usr/bin/env python3
"""Single ranks of a sweep that are killed, crash, are asked to end, or stop: nothing that was measured
is lost, the launch is made again, and nothing keeps running.

Usage: signals_test.py PROGRAM [unittest arguments]"""

import csv
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from ports import free_port

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
# Ranks that are processes, two to a launch, which takes about a second; on a busy machine, where ranks
# wait for each other's turns, many.
SWEEP = ["--models=mnist_mlp:16,mnist_mlp:32", "--devices=2", "--noceiling", "--oversubscribe",
         "--processes", "--num_batches=500", "--num_warmup_batches=1"]
POINTS = ["mnist_mlp-b16-d2-replicated", "mnist_mlp-b32-d2-replicated"]


class Signals(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name) / "out"
        self.messages = pathlib.Path(temporary.name) / "messages"

    def start(self, *flags):
        """Its messages go to a file, which can be looked at while it runs."""
        with open(self.messages, "w") as messages:
            process = subprocess.Popen([PROGRAM, "sweep", *SWEEP, *flags, f"--port={free_port()}",
                                        f"--result_dir={self.directory}"],
                                       stdout=subprocess.DEVNULL, stderr=messages)

        def end():
            process.kill()
            process.wait()

        self.addCleanup(end)
        return process

    def launches(self):
        """The finished ones, each with the inode of its result, which tells old from new."""
        return {f"{point}/{place.name}": (place / "run.json").stat().st_ino
                for point in POINTS for place in (self.directory / "points" / point).glob("*")
                if place.name.isdigit()}

    def ranks(self):
        """The processes of the two ranks that run, by rank. The youngest come first: launches are short."""
        found = {}
        for pid in sorted((int(name) for name in os.listdir("/proc") if name.isdigit()), reverse=True):
            try:
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
                if f"--result_dir={self.directory}/points".encode() not in words:
                    continue
                variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            except OSError:  # it ends while we look
                continue
            found.update({rank: pid for rank in (0, 1) if f"LOCKSTEP_RANK={rank}".encode() in variables})
            if len(found) == 2:
                break
        return found

    def left_over(self):
        """The processes that have the directory in their command line."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if str(self.directory).encode() in (entry / "cmdline").read_bytes():
                    found.append(entry.name)
            except OSError:
                continue
        return found

    def training(self):
        """The ranks of a launch that trains."""
        for point in POINTS:
            for place in (self.directory / "points" / point).glob("*.running"):
                if all((place / f"samples.{rank}").exists() for rank in (0, 1)):
                    return self.ranks()
        return {}

    def wait_for(self, condition):
        end = time.monotonic() + 180  # to end a test that hangs
        while not (found := condition()):
            self.assertLess(time.monotonic(), end, self.messages.read_text())
            time.sleep(0.005)
        return found

    def failures(self):
        return [line.partition("failed")[2] for line in self.messages.read_text().splitlines()
                if " failed" in line]

    def hit(self, number, rank):
        """Sends the signal to a rank that trains. Returns what the sweep says about its launch."""
        before = self.failures()
        while True:
            ranks = self.wait_for(lambda: len(ranks := self.training()) == 2 and ranks)
            launches = self.launches()
            try:
                os.kill(ranks[rank], number)
            except ProcessLookupError:
                continue
            self.wait_for(lambda: len(self.failures()) > len(before) or self.launches() != launches)
            if self.launches() == launches:
                return self.failures()[-1]
            # It had ended just before: the next one, then.

    def ends(self, process, code, statuses):
        """As it should, with this in results.csv and with nothing that keeps running."""
        self.assertEqual(process.wait(timeout=120), code, self.messages.read_text())
        with open(self.directory / "results.csv", newline="") as file:
            self.assertEqual([(row["status"], row["launches"]) for row in csv.DictReader(file)], statuses)
        self.assertFalse(self.left_over())

    def test_launches_again_what_a_signal_ended(self):
        signals = [(number, rank) for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT,
                                                 signal.SIGTERM) for rank in (0, 1)]
        repeats = len(signals) * 3 // 4  # of two points: some may end before they are hit
        process = self.start(f"--repeats={repeats}", "--retries=100")
        kept = {}
        for number, rank in signals:
            why = self.hit(number, rank)
            self.assertNotRegex(why, "warning: |note: |cannot")
            launches = self.launches()
            self.assertLessEqual(kept.items(), launches.items(), "a finished launch was run again")
            self.wait_for(lambda: len(self.launches()) > len(launches))
            kept = self.launches()
        self.ends(process, 0, [("measured", str(repeats))] * 2)
        self.assertLessEqual(kept.items(), self.launches().items(), "a finished launch was run again")

    def test_launches_again_what_stopped(self):
        process = self.start("--repeats=1", "--retries=100", "--deadline=2")
        for rank in (0, 1):
            self.assertIn("was lost: silent for 2 s", self.hit(signal.SIGSTOP, rank))
        self.ends(process, 0, [("measured", "1")] * 2)

    def test_leaves_out_a_point_whose_ranks_die_again_and_again(self):
        process = self.start("--repeats=2", "--retries=1")
        for outcome in (", is tried again: ", ": "):
            self.assertTrue(self.hit(signal.SIGKILL, 1).startswith(outcome), self.failures())
        self.ends(process, 5, [("failed", "0"), ("measured", "2")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
