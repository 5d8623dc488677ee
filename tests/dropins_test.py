#!/usr/bin/env python3
"""runscalabilitytest.sh, runall.sh and run_dist_tf_daint.sh with the real program on this machine:
how they read their flags and variables, and the files they leave.

Usage: dropins_test.py PROGRAM [unittest arguments]"""

import csv
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
# A launch is some tenths of a second. Machines of the tests may have one core.
SHORT = {"LOCKSTEP_NUM_BATCHES": "3", "LOCKSTEP_NUM_WARMUP_BATCHES": "1", "LOCKSTEP_REPEATS": "1",
         "LOCKSTEP_OVERSUBSCRIBE": "true", "LOCKSTEP_THREADS_PER_DEVICE": "1"}
ALLOCATION = {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "3", "SLURM_JOB_NODELIST": "n[1-3]",
              "SLURM_NTASKS": "3", "SLURM_TASKS_PER_NODE": "1(x3)"}


class Scripts(unittest.TestCase):
    """The scripts beside a ./lockstep that is the program as it was built for this test."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name) / "the tree"
        self.here = pathlib.Path(temporary.name) / "else where"
        self.root.mkdir()
        self.here.mkdir()
        for name in ("runscalabilitytest.sh", "runall.sh", "run_dist_tf_daint.sh"):
            shutil.copy(ROOT / name, self.root)
        (self.root / "lockstep").symlink_to(PROGRAM)
        (self.here / "nodes").write_text("localhost me\n\n")

    def environment(self):
        return {key: value for key, value in os.environ.items()
                if not key.startswith(("LOCKSTEP_", "SLURM_", "TF_", "DEEPLEARNING_"))}

    def run_script(self, name, *arguments, **variables):
        return subprocess.run([self.root / name, *arguments], cwd=self.here, capture_output=True,
                              text=True, timeout=60, stdin=subprocess.DEVNULL,
                              env={**self.environment(), **SHORT, **variables})

    def scale(self, *arguments, **variables):
        return self.run_script("runscalabilitytest.sh", *arguments, **variables)

    def slurm(self, *arguments, **variables):
        return self.run_script("run_dist_tf_daint.sh", *arguments, **variables)

    def commands(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stdout.splitlines() if not line.startswith("---")]

    def refusal(self, done):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse((self.here / "logs").exists())
        return done.stderr

    def curve(self, path):
        """The numbers in a file of the form devices,images per second."""
        text = (self.here / path).read_text()
        self.assertRegex(text, r"\A(\d+,\d+\.\d{3}\n)+\Z")
        return {int(devices): float(speed) for devices, speed in
                (line.split(",") for line in text.splitlines())}

    def drawing(self, path):
        """The texts of a drawing, those that show under the mouse too."""
        root = xml.etree.ElementTree.parse(self.here / path).getroot()
        return [element.text for element in root.iter() if element.text and element.text.strip()]

    def results(self):
        file, = self.here.glob("results/sweep-*/results.csv")
        with open(file, newline="") as lines:
            return list(csv.DictReader(lines))


class Measured(Scripts):
    def test_one_network_as_tfperftest_asked_for_it(self):
        done = self.scale("-h", "nodes", "-m", "mnist_mlp", "-g", "3", "-b", "16", "-r", "/tmp/",
                          "-x", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        speeds = self.curve("logs/mnist_mlp_b16.csv")
        self.assertEqual(list(speeds), [1, 2, 3])  # the largest too, though no power of two
        for row in self.results():
            self.assertEqual(row["strategy"], "parameter_server")
            speed = speeds[int(row["devices"])]
            self.assertAlmostEqual(float(row["images_per_s"]), speed, delta=1e-4 * speed)
        for devices, ideal in self.curve("logs/mnist_mlp_b16.csv.ideal").items():
            self.assertAlmostEqual(ideal, devices * speeds[1], delta=0.01)
        texts = self.drawing("logs/mnist_mlp_b16.svg")
        for text in ("lockstep", "Ideal", "Number of devices", "Images/sec", "0", "1", "2", "3"):
            self.assertIn(text, texts)

    def test_several_networks_as_deeplearning_benchmark_asked_for_them(self):
        (self.here / "csv_tf").mkdir()
        (self.here / "csv_tf/lenet_b2.csv").write_text("1,10.5\n2,20\n")
        (self.here / "csv_tf/vgg_b2.csv").write_text("1,10.5\n")
        (self.here / "csv_mxnet").mkdir()
        (self.here / "csv_mxnet/lenet.csv").write_text("<html>\n")
        done = self.scale("-m", "Lenet:2, mnist_mlp:16", "-h", "nodes", "-n", "1", "-g", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("GPU", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-6:], [
            "Summary:",
            "Completed tests on 1, 2 devices (a device: 1 CPU thread)",
            "Data available in:",
            "csv_lockstep/lenet_b2.csv",
            "csv_lockstep/mnist_mlp_b16.csv",
            "Data plotted in graph: comparison_graph.svg"])
        for name in ("lenet_b2.csv", "mnist_mlp_b16.csv"):
            self.assertEqual(self.curve(f"csv_lockstep/{name}"), self.curve(f"logs/{name}"))
        texts = self.drawing("comparison_graph.svg")
        self.assertIn("Deep Learning Frameworks - Performance Comparison", texts)
        self.assertIn("Ideal", texts)
        for series in ("lenet on lockstep", "mnist_mlp on lockstep", "lenet on TensorFlow"):
            tips = [text for text in texts if re.fullmatch(
                series + r": Speedup: \d+\.\d\d, Images/Sec: \d+\.\d\d", text)]
            self.assertEqual(len(tips), 2, series)
        self.assertFalse([text for text in texts if "vgg" in text or "MXNet" in text or "GPU" in text])
        self.assertTrue(texts[-1].startswith("A device: 1 CPU thread. lockstep "), texts[-1])
        self.assertIn("csv_mxnet/lenet.csv is not drawn", done.stderr)

    def test_runall_does_the_same(self):
        done = self.run_script("runall.sh", "-m", "Alexnet:1", "-h", "nodes", "-g", "1", "-r", "/tmp/",
                               "-x", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(self.curve("logs/alexnet_b1.csv")), [1])

    def test_a_point_that_fails_has_no_line(self):
        done = self.scale("-m", "lenet:4", "-x", "1", "--init_learning_rate=1e30")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual((self.here / "logs/lenet_b4.csv").read_text(), "")
        self.assertIn("Completed tests on no devices (a device: 1 CPU thread)\n"
                      "Not completed:\nlenet_b4 on 1 device: failed\n", done.stdout)
        self.assertIn("nothing was measured", self.drawing("logs/lenet_b4.svg"))


    def test_terminated_half_way_it_says_what_was_measured(self):
        process = subprocess.Popen(
            [self.root / "runscalabilitytest.sh", "-m", "mnist_mlp:16,lenet:64", "-x", "1",
             "--num_batches=30000"], cwd=self.here, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**self.environment(), **SHORT})
        self.addCleanup(process.kill)
        # lenet's launch comes second and takes minutes
        while not list(self.here.glob("results/*/points/lenet-*/*.running/samples.0")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        stdout, stderr = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 143, stderr)
        self.assertNotIn("Completed tests", stdout)
        self.assertIn("Summary:\nEnded early, with:\n"
                      "mnist_mlp_b16 on 1 device: 1 launch\n"
                      "lenet_b64 on 1 device: not measured\n"
                      "Data available in:\n", stdout)
        self.assertEqual(list(self.curve("logs/mnist_mlp_b16.csv")), [1])
        self.assertEqual((self.here / "logs/lenet_b64.csv").read_text(), "")


class Flags(Scripts):
    def test_names_are_those_of_the_earlier_networks(self):
        lines = self.commands(self.scale("-m", "Alexnet:2,INCEPTIONV3:1,Resnet:1,lenet:3", "-x", "1",
                                         "--dry_run"))
        self.assertEqual([re.search("--model=([^ ]+) --batch_size=([^ ]+)", line).groups()
                          for line in lines],
                         [("alexnet_ab", "2"), ("inception3_aux", "1"), ("resnet152_ab", "1"),
                          ("lenet", "3")])

    def test_long_names_and_equal_signs_mean_the_same(self):
        short = self.scale("-m", "lenet", "-b", "2", "-h", "nodes", "-g", "2", "-x", "2",
                           "--print_config")
        for long in (["--model", "lenet", "--batch_size", "2", "--nodes_file", "nodes",
                      "--gpu_per_machine", "2", "--max_gpu", "2"],
                     ["--models=lenet:2", "--hosts=nodes", "--gpu_per_host=2", "--max_gpu=2"]):
            done = self.scale(*long, "--print_config")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, short.stdout)

    def test_instances_have_their_numbers_of_devices_and_their_networks(self):
        done = self.scale("-t", "p2.8xlarge", "--print_config", "-h", "nodes")
        for text in ('"alexnet_ab:512"', '"inception3_aux:32"', '"devices_per_host": "8"'):
            self.assertIn(text, done.stdout)
        self.assertIn('"alexnet_ab:128"', self.scale("-t", "g2.8xlarge", "--print_config").stdout)
        self.assertIn("Unknown EC2 instance type m1.small.", self.refusal(self.scale("-t", "m1.small")))

    def test_other_hosts_are_reached_with_the_user_and_the_key(self):
        (self.here / "nodes").write_text("10.0.0.1 node1\n10.0.0.2 node2\n10.0.0.3 node3\n")
        flags = ["-m", "lenet:2", "-h", "nodes", "-n", "2", "-g", "1", "-u", "me", "-p", "key.pem",
                 "-r", "/scratch", "--dry_run"]
        lines = "\n".join(self.commands(self.scale(*flags)))
        for text in ("ssh", "node1", "node2", "me", "key.pem", "/scratch/"):
            self.assertIn(text, lines)
        self.assertNotIn("node3", lines)
        self.assertIn("/tmp/lockstep-", self.scale(*flags[:8], "--dry_run").stdout)

    def test_workers_of_the_environment_are_the_hosts(self):
        workers = self.here / "workers"
        workers.write_text("w1\nw2\nw3\n")
        lines = "\n".join(self.commands(self.scale(
            "-m", "lenet:2", "--dry_run", DEEPLEARNING_WORKERS_PATH=str(workers),
            DEEPLEARNING_WORKERS_COUNT="2", DEEPLEARNING_WORKER_GPU_COUNT="1")))
        self.assertIn("w2", lines)
        self.assertNotIn("w3", lines)

    def test_refuses_what_it_does_not_understand(self):
        for arguments, words in (
                (["-h"], ["-h needs a value", "--help"]),
                (["-h", "-m", "lenet"], ["-h needs a value"]),
                (["-m", " "], ["-m needs a value"]),
                (["--models="], ["--models needs a value"]),
                (["-z"], ["unknown flag -z"]),
                (["--max_gpus=2"], ["unknown flag --max_gpus"]),
                (["lenet"], ["unexpected argument lenet"]),
                (["-x", "two"], ["-x is 'two'"]),
                (["--max_gpu=0"], ["--max_gpu is '0'"]),
                (["-g", "0"], ["-g is '0'"]),
                (["-n", "0"], ["-n is '0'"]),
                (["-b", "0"], ["-b is '0'"]),
                (["-m", "lenet:0"], ["lenet:0"]),
                (["-m", ","], ["one of the values is empty"]),
                (["-m", "lenett:2"], ["did you mean", "lenet"]),
                (["-m", "lenet:2,,lenet:4"], ["one of the values is empty"]),
                (["-h", "nowhere"], ["cannot read nowhere"]),
                (["-h", "nodes", "-n", "2"], ["there is 1"]),
                (["-h", "nodes", "-g", "2", "-x", "3"], ["3 devices do not fit on 2 slots"])):
            with self.subTest(arguments=arguments):
                message = self.refusal(self.scale(*arguments))
                for word in words:
                    self.assertIn(word, message)

    def test_explains_itself(self):
        for script in ("runscalabilitytest.sh", "runall.sh"):
            done = self.run_script(script, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for word in ("-h,", "-m,", "-g,", "-b,", "-r,", "-x,", "-n,", "-t,", "-u,", "-p,",
                         "comparison_graph.svg"):
                self.assertIn(word, done.stdout)


class Slurm(Scripts):
    def srun(self, **variables):
        line, = self.commands(self.slurm("--dry_run", TF_FLAGS="--model=lenet --batch_size 2",
                                         **ALLOCATION, **variables))
        self.assertIn("--model=lenet --batch_size=2 --variable_update=parameter_server", line)
        return (re.search(r"--nodelist=([^ ]+)", line)[1],
                re.search(r"--num_ps=([^ ]+)", line)[1])

    def test_has_a_worker_on_each_host_and_a_server_on_the_first(self):
        self.assertEqual(self.srun(), ("n1,n2,n3,n1", "1"))

    def test_places_workers_and_servers_as_the_variables_say(self):
        self.assertEqual(self.srun(TF_NUM_WORKERS="4", TF_WORKER_PER_NODE="2", TF_NUM_PS="2"),
                         ("n1,n1,n2,n2,n1,n2", "2"))
        self.assertEqual(self.srun(TF_NUM_WORKERS="2", TF_NUM_PS="2", TF_PS_PER_NODE="2"),
                         ("n1,n2,n1,n1", "2"))
        self.assertEqual(self.srun(TF_NUM_WORKERS="2", TF_PS_IN_WORKER="false"), ("n2,n3,n1", "1"))

    def test_counts_the_devices_of_a_worker(self):
        for flags in ("--num_gpus=2", "--num_gpus 2"):
            line, = self.commands(self.slurm(
                "--dry_run", TF_FLAGS=f"--model=lenet {flags} --variable_update distributed_replicated",
                TF_NUM_WORKERS="2", **ALLOCATION))
            self.assertIn("--nodelist=n1,n1,n2,n2,n1", line)
            self.assertIn("--variable_update=distributed_replicated", line)

    def test_takes_the_flags_that_tf_cnn_benchmarks_had_then(self):
        line, = self.commands(self.slurm(
            "--dry_run", TF_FLAGS="--model=lenet --batch_size=64 --data_format=NCHW --optimizer=sgd "
            "--local_parameter_device=cpu --use_nccl=True --learning_rate 0.1", **ALLOCATION))
        self.assertIn("--init_learning_rate=0.1", line)

    def test_says_what_it_starts_and_what_it_does_not(self):
        done = self.slurm("--dry_run", "--models=lenet", TF_SCRIPT="train.py", **ALLOCATION)
        for line in ("--- Number of PS: 1", "--- Number of WORKERS: 3", "--- PS / node: 1",
                     "--- WORKERS / node: 1", "--- Hosts: n[1-3]"):
            self.assertIn(line, done.stdout.splitlines())
        self.assertIn("train.py is not run", done.stderr)

    def test_refuses_what_cannot_be(self):
        for variables, word in (({"TF_NUM_PS": "x"}, "TF_NUM_PS is 'x'"),
                                ({"TF_NUM_WORKERS": "0"}, "TF_NUM_WORKERS is '0'"),
                                ({"TF_PS_IN_WORKER": "maybe"}, "neither true nor false"),
                                ({"TF_FLAGS": "--num_gpus"}, "--num_gpus in TF_FLAGS is ''"),
                                ({"TF_FLAGS": "--modle=lenet"}, "did you mean"),
                                ({"TF_NUM_WORKERS": "4"}, "4 devices do not fit on 3 slots")):
            with self.subTest(variables=variables):
                self.assertIn(word, self.refusal(self.slurm("--dry_run",
                                                            **{**ALLOCATION, **variables})))
        self.assertIn("no Slurm allocation", self.refusal(self.slurm()))

    def test_explains_itself(self):
        done = self.slurm("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ("TF_NUM_WORKERS", "TF_PS_IN_WORKER", "TF_FLAGS"):
            self.assertIn(name, done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
