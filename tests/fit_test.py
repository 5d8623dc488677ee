#!/usr/bin/env python3
"""`lockstep run` on a dataset: it learns what can be learned, and goes on from its checkpoints.

Usage: fit_test.py PROGRAM [unittest arguments]"""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ACCURACY = re.compile(r"^Accuracy @ 1 = (0\.\d{4}|1\.0000) Accuracy @ 5 = ([\d.]+) \[(\d+) examples\]$", re.M)
SYNCHRONOUS = ["parameter_server", "parameter_server --num_ps=1", "distributed_replicated", "replicated",
               "distributed_all_reduce", "collective_all_reduce", "horovod"]


def lockstep(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


class Fit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = tempfile.TemporaryDirectory()
        cls.data = pathlib.Path(cls.all.name) / "data"
        os.environ["XDG_CACHE_HOME"] = cls.all.name  # of indices
        done = lockstep("data", "make", cls.data, "--format=mnist", "--train=6000", "--validation=500")
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.all.cleanup()

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)

    def run_ok(self, *arguments):
        done = lockstep("run", f"--data_dir={self.data}", f"--result_dir={self.path / 'result'}",
                        "--num_intra_threads=1", "--num_warmup_batches=0", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.document = json.loads((self.path / "result" / "run.json").read_text())
        schema = json.loads((ROOT / "docs" / "run.schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(self.document)
        return done

    def losses(self):
        lines = (self.path / "result" / "samples.0").read_text().splitlines()
        column = lines[1].split("\t").index("loss")
        return [line.split("\t")[column] for line in lines[2:]]

    # --- What is learned ---

    def learn(self, *arguments):
        done = self.run_ok("--model=mnist_deep", "--batch_size=25", "--optimizer=momentum",
                           "--init_learning_rate=0.005", "--num_batches=800",
                           "--eval_during_training_every_n_steps=50", "--stop_at_top_1_accuracy=0.99", *arguments)
        self.assertIn("Stopping, as eval accuracy at least 0.99 was reached\n", done.stdout)
        reached = self.document["time_to_accuracy"]
        self.assertEqual(reached["step"], self.document["evaluations"][-1]["step"])
        self.assertGreaterEqual(self.document["evaluations"][-1]["top_1"], 0.99)
        self.assertLessEqual(reached["step"], 250)  # a few seconds, where nothing else runs
        return done

    def test_softmax_regression_learns_little(self):
        done = self.run_ok("--model=mnist_softmax", "--num_epochs=3", "--eval_during_training_every_n_epochs=1",
                           "--stop_at_top_1_accuracy=0.9")
        best = max(evaluation["top_1"] for evaluation in self.document["evaluations"])
        missed = f"--stop_at_top_1_accuracy=0.9 was not reached: the best of 3 evaluations had {best:.4f}"
        self.assertIn(f"warning: {missed}\n", done.stderr)
        self.assertIn(missed, self.document["warnings"])
        self.assertEqual(done.stdout.count("\ntotal images/sec: "), 1)
        self.assertEqual(len(self.document["evaluations"]), 3)
        for evaluation in self.document["evaluations"]:
            self.assertLess(evaluation["top_1"], 0.6)
        self.assertGreaterEqual(self.document["input"]["images"], 18000)

    def test_the_recipe_that_comes_with_the_dataset_learns_it(self):
        done = lockstep("data", "make", self.path / "made")
        self.assertEqual(done.returncode, 0, done.stderr)
        words = shlex.split(done.stderr.splitlines()[-1])
        self.assertEqual(words[:2], ["lockstep", "run"])
        done = lockstep(*words[1:])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Stopping, as eval accuracy at least 0.9 was reached\n", done.stdout)
        self.assertNotIn("not reached", done.stderr)

    def test_the_convnet_learns_all_and_keeps_it(self):
        done = self.learn(f"--train_dir={self.path}")
        in_training = ACCURACY.findall(done.stdout)[-1]
        self.assertEqual(in_training[2], "500")
        # 64 is no divisor of 500.
        done = self.run_ok("--model=mnist_deep", "--eval", "--batch_size=64", f"--train_dir={self.path}")
        self.assertEqual(ACCURACY.findall(done.stdout), [in_training])
        self.assertEqual(self.document["evaluations"][0]["images"], 500)
        self.assertNotIn("--num_warmup_batches is given", done.stderr)  # it has no say here

    def test_the_convnet_learns_on_two_ranks_by_every_synchronous_strategy(self):
        for strategy in SYNCHRONOUS:
            with self.subTest(strategy):
                self.learn("--num_gpus=2", *f"--variable_update={strategy}".split())

    # --- Damage ---

    def test_names_damaged_files_or_goes_on_without_what_is_damaged(self):
        damaged = self.path / "damaged"
        shutil.copytree(self.data, damaged)
        images = damaged / "train-images-idx3-ubyte"
        os.truncate(images, 16 + 100 * 784 + 5)
        arguments = ["--model=mnist_softmax", "--batch_size=30", "--num_batches=10", f"--data_dir={damaged}"]
        done = lockstep("run", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, rf"^error: {images}: at byte 78421: .*\nhint: --skip_corrupt")
        done = self.run_ok(*arguments, "--skip_corrupt")
        self.assertIn(f"warning: left out as damaged: {images}: at byte 78421: ", done.stderr)
        self.assertIn(f"left out as damaged: {images}", self.document["warnings"][0])
        self.assertEqual(self.document["config"]["num_batches"], 10)

    # --- Checkpoints ---

    STEPS = ["--model=mnist_deep", "--optimizer=momentum", "--init_learning_rate=0.05",
             "--datasets_prefetch_buffer_size=3", "--datasets_num_private_threads=2"]

    def test_goes_on_bit_for_bit(self):
        for world in ("--num_gpus=1", "--num_gpus=2 --variable_update=replicated",
                      "--num_gpus=2 --num_ps=1", "--num_gpus=2 --variable_update=horovod"):
            with self.subTest(world):
                steps = [*self.STEPS, "--batch_size=8", *world.split()]
                train_dir = f"--train_dir={self.path / world}"
                self.run_ok(*steps, "--num_batches=20")
                straight = self.losses()
                self.run_ok(*steps, "--num_batches=10", train_dir)
                first = self.losses()
                done = self.run_ok(*steps, "--num_batches=10", train_dir)
                self.assertIn("checkpoint-10, behind step 10", done.stderr)
                self.assertEqual(first + self.losses(), straight)

    def test_goes_on_with_another_optimizer_state_world_and_strategy(self):
        for optimizer in ("rmsprop", "adam"):
            with self.subTest(optimizer):
                steps = [*self.STEPS, f"--optimizer={optimizer}", "--init_learning_rate=0.001"]
                train_dir = f"--train_dir={self.path / optimizer}"
                self.run_ok(*steps, "--batch_size=16", "--num_batches=20")
                straight = self.losses()
                self.run_ok(*steps, "--batch_size=8", "--num_batches=10", train_dir, "--num_gpus=2", "--num_ps=1")
                self.run_ok(*steps, "--batch_size=16", "--num_batches=10", train_dir,
                            "--variable_update=horovod")
                for mine, theirs in zip(self.losses(), straight[10:], strict=True):
                    self.assertAlmostEqual(float(mine), float(theirs), delta=2e-3 * float(theirs))

    def test_says_where_it_saved_what_was_interrupted(self):
        process = subprocess.Popen(
            [PROGRAM, "run", "--model=mnist_softmax", f"--data_dir={self.data}", "--batch_size=4",
             "--num_batches=1000000", "--num_warmup_batches=1", f"--train_dir={self.path}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in process.stdout:
            if line.startswith("10\t"):
                break
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, errors)
        (saved,) = self.path.glob("checkpoint-*")
        self.assertIn(f"note: saved {saved}: the same command resumes there\n", errors)

    def test_keeps_what_it_is_told_to(self):
        self.run_ok("--model=mnist_softmax", "--batch_size=4", "--num_batches=7", "--save_model_steps=2",
                    "--max_ckpts_to_keep=3", f"--train_dir={self.path}")
        self.assertEqual({path.name for path in self.path.glob("checkpoint-*")},
                         {"checkpoint-4", "checkpoint-6", "checkpoint-7"})

    def test_ends_with_code_2_where_a_checkpoint_is_of_no_use(self):
        arguments = ["run", f"--data_dir={self.data}", "--batch_size=4", "--num_batches=1",
                     "--num_warmup_batches=0", f"--train_dir={self.path}"]

        def refused(*more):
            done = lockstep(*arguments, *more)
            self.assertEqual(done.returncode, 2, done.stderr)
            return done.stderr

        self.assertIn(f"Checkpoint not found in {self.path}", refused("--model=mnist_softmax", "--eval"))
        self.assertEqual(lockstep(*arguments, "--model=mnist_softmax").returncode, 0)
        self.assertIn("a checkpoint of mnist_softmax", refused("--model=mnist_deep"))
        self.assertIn("trained with --optimizer=sgd", refused("--model=mnist_softmax", "--optimizer=adam"))
        file = self.path / "checkpoint-1"
        whole = file.read_bytes()
        file.write_bytes(whole[:-1000])
        self.assertIn("cut off", refused("--model=mnist_softmax", "--num_gpus=2"))
        file.write_bytes(whole[:-1000] + bytes([whole[-1000] ^ 1]) + whole[-999:])
        self.assertIn("is damaged", refused("--model=mnist_softmax"))
        self.assertIn("is damaged", refused("--model=mnist_softmax", "--eval"))

    def test_watches_while_training_goes_on(self):
        command = [PROGRAM, "run", "--model=mnist_softmax", "--eval", "--eval_interval_secs=1",
                   f"--data_dir={self.data}", f"--train_dir={self.path}", "--num_intra_threads=1"]
        watcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(watcher.stdout.close)
        self.addCleanup(watcher.wait)
        self.addCleanup(watcher.kill)

        def next_accuracy():
            return next(line for line in watcher.stdout if ACCURACY.match(line))

        for _ in range(2):
            self.run_ok("--model=mnist_softmax", "--num_batches=30", f"--train_dir={self.path}")
            self.assertIn("[500 examples]", next_accuracy())
        watcher.send_signal(signal.SIGINT)
        self.assertEqual(watcher.wait(timeout=20), 130)


if __name__ == "__main__":
    unittest.main()
