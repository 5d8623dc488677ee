#!/usr/bin/env python3
"""runscalabilitytest.sh over ssh and run_dist_tf_daint.sh in Slurm, on real hosts.

Usage: dropins_hosts_test.py PROGRAM [unittest arguments]"""

import json
import pathlib
import shutil
import sys
import time
import unittest

from bed import Hosts, Slurm

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
SHORT = ["env", "LOCKSTEP_NUM_BATCHES=3", "LOCKSTEP_NUM_WARMUP_BATCHES=1", "LOCKSTEP_REPEATS=1",
         "LOCKSTEP_OVERSUBSCRIBE=true"]


def setUpModule():
    global hosts, slurm
    hosts = unittest.enterModuleContext(Hosts(3))
    slurm = unittest.enterModuleContext(Slurm(hosts))
    for name in ("runscalabilitytest.sh", "run_dist_tf_daint.sh"):
        shutil.copy(ROOT / name, hosts.directory)
    (hosts.directory / "lockstep").symlink_to(PROGRAM)


class OnHosts(unittest.TestCase):
    def setUp(self):
        self.here = hosts.directory / self.id().split(".")[-1]
        self.here.mkdir()

    def result(self, devices):
        """The run.json of the only launch with so many devices."""
        file, = self.here.glob(f"results/*/points/*-d{devices}-*/1/run.json")
        return json.loads(file.read_text())

    def test_the_scalability_test_fills_hosts_in_order(self):
        (self.here / "nodes").write_text("10.77.0.2 node2\n10.77.0.3 node3\n")
        done = hosts.run("node1", [*SHORT, "../runscalabilitytest.sh", "-m", "lenet:2", "-h", "nodes",
                                   "-g", "2", "-r", "/tmp/", "-u", "root", "--devices=3"],
                         cwd=self.here)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex((self.here / "logs/lenet_b2.csv").read_text(), r"\A3,\d+\.\d{3}\n\Z")
        self.assertEqual([rank["host"] for rank in self.result(3)["ranks"]],
                         ["node2", "node2", "node3"])

    def test_the_scalability_test_finds_the_workers_of_etc_hosts(self):
        (self.here / "etc_hosts").write_text("10.77.0.1 deeplearning-master\n"
                                             "10.77.0.2\tdeeplearning-worker1\n")
        test = "../runscalabilitytest.sh -m lenet:2 -g 1 --dry_run"
        done = hosts.run("node1", ["unshare", "--mount", "bash", "-c",
                                   f"mount --bind etc_hosts /etc/hosts && {test} && "
                                   f"echo mine >nodes && ! {test}"], cwd=self.here)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(" deeplearning-worker1 ", done.stdout)
        self.assertIn("a file nodes is here already", done.stderr)
        self.assertEqual((self.here / "nodes").read_text(), "mine\n")

    def test_sbatch_trains_where_the_variables_say(self):
        done = slurm.run(["env", "TF_NUM_WORKERS=2", "TF_PS_IN_WORKER=false",
                          "TF_FLAGS=--model lenet --batch_size=2 --conv_algorithm=direct", *SHORT,
                          "sbatch", "--nodes=3", "../run_dist_tf_daint.sh"], cwd=self.here)
        self.assertEqual(done.returncode, 0, done.stderr)
        while slurm.run(["squeue", "--noheader"]).stdout:  # sbatch --wait looks every few seconds
            time.sleep(0.1)
        log, = self.here.glob("run_dist_tf.*.log")
        self.assertRegex(log.read_text(), r"total images/sec: \d+\.\d\d\n")
        result = self.result(2)
        self.assertEqual([rank["host"] for rank in result["ranks"]], ["node2", "node3"])
        self.assertEqual([server["host"] for server in result["servers"]], ["node1"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
