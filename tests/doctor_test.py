#!/usr/bin/env python3
"""`lockstep doctor`, the real program: on this machine, on hosts that ssh reaches, and as the guard
of a sweep.

Usage: doctor_test.py PROGRAM [unittest arguments]"""

import csv
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

from bed import Hosts

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
REMOTE = "/tmp/lockstep"
GLANCE = {"versions", "cores", "affinity", "load", "governor", "turbo", "quota", "memory",
          "reserved pages", "clock", "disk"}
SEEN = GLANCE | {"port", "mpi", "memory bandwidth", "peak", "noise"}
ALIKE = {"same processor", "same versions"}
SWEEP = ["sweep", "--models=mnist_mlp:16", "--num_batches=3", "--num_warmup_batches=1",
         "--repeats=1"]


def lockstep(*arguments, environment=None):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **(environment or {})})


def findings(host):
    return {finding["subject"]: finding for finding in host["findings"]}


class OnThisMachine(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)

    def test_tells_of_everything_with_figures_and_remedies(self):
        done = lockstep("doctor", "--json", f"--result_dir={self.directory / 'new'}")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        document = json.loads(done.stdout)
        self.assertEqual(document["schema"], {"name": "lockstep-doctor", "version": 1})
        (host,) = document["hosts"]
        self.assertTrue(host["here"])
        self.assertIn("kernel", host["environment"])
        found = findings(host)
        self.assertLessEqual(SEEN, found.keys())
        for subject in ("cores", "memory", "disk", "memory bandwidth", "peak", "clock"):
            self.assertGreater(found[subject]["value"], 0, subject)
            self.assertEqual(not found[subject]["unit"], subject == "cores", subject)
        for finding in host["findings"]:
            self.assertIn(finding["level"], ("ok", "warning"))
            self.assertTrue(finding["sentence"])
            if finding["level"] == "warning":
                self.assertTrue(finding["remedy"], finding)
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_problems_have_a_code_and_a_colour_of_their_own(self):
        with socket.create_server(("", 0)) as taken:
            port = taken.getsockname()[1]
            done = lockstep("doctor", "--result_dir=/proc/results", f"--port={port}",
                            environment={"CLICOLOR_FORCE": "1"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("\x1b[1;31mproblem \x1b[0mdisk", done.stdout)
        self.assertRegex(done.stdout, r"hint:\S* --result_dir names another directory\n")
        self.assertIn("\x1b[1;33mwarning \x1b[0mport", done.stdout)
        self.assertRegex(done.stdout, r"\n1 problem, \d+ warnings?\n$")

    def test_refuses_what_has_nothing_to_do_with_it(self):
        done = lockstep("doctor", "--host=node1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean --hosts?", done.stderr)
        self.assertEqual(lockstep("doctor", "--models=alexnet").returncode, 2)

    def test_measures_nothing_where_it_is_to_be_quick(self):
        done = lockstep("doctor", "--quick", "--json")
        found = findings(json.loads(done.stdout)["hosts"][0])
        self.assertLessEqual(GLANCE, found.keys())
        self.assertFalse({"memory bandwidth", "peak", "noise"} & found.keys())

    def test_misses_mpirun_only_where_it_is_to_start_ranks(self):
        nothing = {"PATH": str(self.directory)}
        here = socket.gethostname()
        done = lockstep("doctor", "--json", environment=nothing)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = lockstep("doctor", "--json", "--launcher=mpi", f"--hosts={here}",
                        environment=nothing)
        self.assertEqual(done.returncode, 3, done.stderr)
        found = findings(json.loads(done.stdout)["hosts"][0])
        self.assertEqual(found["mpi"]["level"], "problem")
        self.assertIn("openmpi-bin", found["mpi"]["remedy"])

    def test_guards_a_sweep(self):
        done = lockstep(*SWEEP, "--devices=1", f"--result_dir={self.directory}")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads((self.directory / "doctor.json").read_text())
        found = findings(document["hosts"][0])
        self.assertLessEqual(GLANCE, found.keys())
        self.assertNotIn("noise", found)
        with open(self.directory / "results.csv", newline="") as file:
            (row,) = csv.DictReader(file)
        for finding in found.values():
            if finding["level"] != "ok":
                self.assertIn(f"warning: {finding['sentence']}", done.stderr)
                self.assertIn(finding["sentence"], row["notes"])


class OnHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = cls.enterClassContext(Hosts(2, rate="1gbit", own_processors=True))
        for host in cls.hosts.names:  # programs stay there
            cls.hosts.run(host, ["mkdir", REMOTE])
        cls.hosts.accept_what_is_there()

    def doctor(self, *arguments):
        return self.hosts.run("node1", [str(PROGRAM), "doctor", f"--remote_dir={REMOTE}",
                                        f"--result_dir={self.hosts.directory}", *arguments])

    def test_looks_at_every_host_and_between_them(self):
        done = self.doctor("--hosts=node1,node2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        first, second = json.loads(done.stdout)["hosts"]
        self.assertEqual([first["name"], second["name"]], ["node1", "node2"])
        self.assertEqual([first["here"], second["here"]], [True, False])

        found = findings(second)
        self.assertLessEqual(SEEN | ALIKE | {"ssh", "build", "clock offset"}, found.keys())
        for subject in ALIKE:
            self.assertEqual(found[subject]["sentence"], "as on node1")
        self.assertEqual(found["build"]["sentence"], f"this build was brought to {REMOTE}")
        self.assertLess(abs(found["clock offset"]["value"]), 50)  # they have one clock
        self.assertEqual(found["clock offset"]["level"], "ok")
        self.assertIn(REMOTE, found["disk"]["sentence"])
        self.assertEqual(second["environment"]["host_name"], "node2")

        found = findings(first)
        self.assertEqual(found["bandwidth"]["peer"], "node2")
        self.assertGreater(found["bandwidth"]["value"], 60)  # of 125 MB/s
        self.assertLess(found["bandwidth"]["value"], 140)
        self.assertGreater(found["round trip"]["value"], 10)

        # Again, with a host that is not there: nothing is copied, and the rest is examined.
        done = self.doctor("--hosts=nowhere,node2")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stdout, r"\nnowhere\n  problem +ssh +it cannot be reached by ssh: ")
        self.assertIn("hint: `ssh -o BatchMode=yes nowhere true` has to work", done.stdout)
        self.assertRegex(done.stdout, r"\nnode2, .*\n  ok +ssh .*\n  ok +build +it has this build\n")
        self.assertNotIn("\x1b", done.stdout)
        self.hosts.assert_nothing_left()

    def test_guards_a_sweep_on_every_host(self):
        results = self.hosts.directory / "sweep"
        done = self.hosts.run("node1", [str(PROGRAM), *SWEEP, "--devices=2", "--hosts=node1,node2",
                                        f"--remote_dir={REMOTE}/sweep", f"--result_dir={results}"])
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = json.loads((results / "doctor.json").read_text())["hosts"]
        self.assertEqual([first["name"], second["name"]], ["node1", "node2"])
        self.assertEqual(second["environment"]["host_name"], "node2")
        self.assertLessEqual(GLANCE | {"port"}, findings(first).keys())
        self.assertLessEqual(GLANCE | ALIKE, findings(second).keys())
        self.assertNotIn("port", findings(second))
        self.assertIn(REMOTE, findings(second)["disk"]["sentence"])
        with open(results / "results.csv", newline="") as file:
            (row,) = csv.DictReader(file)
        for host in (first, second):
            for finding in host["findings"]:
                if finding["level"] != "ok":
                    self.assertIn(finding["sentence"], row["notes"])


if __name__ == "__main__":
    unittest.main()
