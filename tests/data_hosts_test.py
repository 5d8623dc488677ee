#!/usr/bin/env python3
"""`lockstep data copy` to real hosts, over ssh: whole copies and broken ones.

Usage: data_hosts_test.py PROGRAM [unittest arguments]"""

import hashlib
import os
import pathlib
import re
import signal
import sys
import time
import unittest

from bed import Hosts

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
TRAIN = [f"train-{i:05}-of-00004" for i in range(4)]
VALIDATION = "validation-00000-of-00001"
MEBIBYTE = 1 << 20


def setUpModule():
    """What the files hold is of no interest here, but that it arrives. It takes two seconds to."""
    global hosts, dataset
    hosts = unittest.enterModuleContext(Hosts(3, rate="40mbit"))
    dataset = hosts.directory / "my records"
    dataset.mkdir()
    for name in (*TRAIN, VALIDATION):
        (dataset / name).write_bytes(os.urandom(2 * MEBIBYTE))
    (dataset / "notes.txt").write_text("no part of the dataset")
    for host in hosts.names:
        hosts.run(host, ["mkdir", "/tmp/data"])
    hosts.accept_what_is_there()


class Copy(unittest.TestCase):
    def start(self, *flags):
        self.process = hosts.start("node1", [str(PROGRAM), "data", "copy", str(dataset), *flags])

    def assert_ends(self, code):
        self.output, self.errors = self.process.communicate(timeout=30)
        self.assertEqual(self.process.returncode, code, self.errors)
        hosts.assert_nothing_left()

    def copy(self, *flags, code=0):
        self.start(*flags)
        self.assert_ends(code)

    def assert_same(self, host, directory, names):
        there = hosts.run(host, ["sh", "-c", f"cd '{directory}' && sha256sum *"]).stdout
        here = (f"{hashlib.sha256((dataset / name).read_bytes()).hexdigest()}  {name}\n"
                for name in sorted(names))
        self.assertEqual(there, "".join(here))

    def wait_for(self, host, path):
        """Until a file comes."""
        deadline = time.monotonic() + 20
        while hosts.run(host, ["test", "-e", path]).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"{path} does not come: {self.process.communicate(timeout=10)}")

    def inode(self, host, path):
        return hosts.run(host, ["stat", "--format=%i", path]).stdout

    def test_goes_on_where_it_was_cut_off_and_replaces_what_is_damaged(self):
        there = "/tmp/data/in turn"
        flags = ["--hosts=node2", f"--to={there}"]
        self.start(*flags)
        self.wait_for("node2", f"{there}/{TRAIN[1]}")
        hosts.run("node2", ["pkill", "-KILL", "tar"])
        self.assert_ends(4)
        self.assertIn(f"error: host node2: cannot write to {there}: ", self.errors)
        first = self.inode("node2", f"{there}/{TRAIN[0]}")

        self.start(*flags)
        self.wait_for("node2", f"{there}/{TRAIN[2]}")
        self.process.send_signal(signal.SIGINT)
        self.assert_ends(130)
        self.assertEqual(self.output, "")

        self.copy(*flags)
        sent = re.fullmatch(rf"node2:{there}: 5 files, 10\.0 MiB; sent (\d) files, ([\d.]+) MiB\n",
                            self.output)
        self.assertLessEqual(int(sent[1]), 3)
        self.assertLessEqual(float(sent[2]), 6)
        self.assert_same("node2", there, [*TRAIN, VALIDATION])

        damage = f"printf x | dd of='{there}/{TRAIN[3]}' bs=1 seek=1000000 conv=notrunc"
        hosts.run("node2", ["sh", "-c", damage])
        self.copy(*flags)
        self.assertIn("; sent 1 file, 2.00 MiB\n", self.output)
        self.assert_same("node2", there, [*TRAIN, VALIDATION])
        self.copy(*flags)
        self.assertIn("; all were there\n", self.output)
        self.assertEqual(self.inode("node2", f"{there}/{TRAIN[0]}"), first)

    def test_gives_each_host_its_share_whatever_becomes_of_the_others(self):
        there = "/tmp/data/shares"
        self.copy("--hosts=node2,node3,node4", f"--to={there}", "--shards", code=4)
        self.assertIn("error: host node4: cannot be reached by ssh: ssh: Could not resolve hostname "
                      "node4", self.errors)
        self.assert_same("node2", there, [TRAIN[0], TRAIN[3], VALIDATION])
        self.assert_same("node3", there, [TRAIN[1], VALIDATION])
        self.assertEqual(self.output,
                         f"node2:{there}: 3 files, 6.00 MiB; sent 3 files, 6.00 MiB\n"
                         f"node3:{there}: 2 files, 4.00 MiB; sent 2 files, 4.00 MiB\n")

    def test_finds_the_dataset_on_hosts_that_share_our_files(self):
        self.copy("--hosts=node1,node3")
        self.assertEqual(self.output, f"node3:{dataset}: 5 files, 10.0 MiB; all were there\n")


if __name__ == "__main__":
    unittest.main()
