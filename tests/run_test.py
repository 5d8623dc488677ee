#!/usr/bin/env python3
"""`lockstep run`, the real program: what it prints, what it leaves behind and how it ends.

Usage: run_test.py PROGRAM [unittest arguments]"""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
STEP_LINE = re.compile(r"^\d+\timages/sec: [\d.]+ \+/- [\d.]+ \(jitter = [\d.]+\)\t[\d.]+$")
DIRECT = "--conv_algorithm=direct"  # nothing is measured that is not of interest
TINY = ["--model=lenet", "--batch_size=4", "--num_intra_threads=1", "--num_warmup_batches=1", DIRECT]


def lockstep(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


def samples(directory):
    lines = (pathlib.Path(directory) / "samples.0").read_text().splitlines()
    names = lines[1].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[2:]]


class Run(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def run_json(self):
        document = json.loads((pathlib.Path(self.directory.name) / "run.json").read_text())
        schema = json.loads((ROOT / "docs" / "run.schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(document)
        return document

    def test_prints_the_lines_of_tf_cnn_benchmarks_and_one_total(self):
        done = lockstep("run", *TINY, "--num_batches=20")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[1:4], ["Model:       lenet", "Dataset:     imagenet (synthetic)",
                                      "Mode:        training"])
        steps = [line for line in lines if STEP_LINE.match(line)]
        self.assertEqual([line.split("\t")[0] for line in steps], ["1", "10", "20"])
        self.assertEqual(len([l for l in lines if l.startswith("total images/sec: ")]), 1)
        self.assertIn("of memory; 1 thread on processor", done.stderr)
        self.assertRegex(done.stderr, r"note: median step [\d.]+ ms, p95 .* 95 % interval .* "
                                      r"GFLOP/s, \d+ % of the peak; peak memory .*; first step after")

    def test_leaves_a_valid_result_and_every_sample(self):
        done = lockstep("run", *TINY, "--num_batches=7", "--result_dir", self.directory.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = self.run_json()
        self.assertEqual(document["config"]["model"], "lenet")
        self.assertEqual(document["statistics"]["steps_measured"], 7)
        self.assertEqual(document["statistics"]["steps_warmup"], 1)
        self.assertEqual([sample["step"] for sample in samples(self.directory.name)],
                         [str(step) for step in range(8)])

    def test_leaves_the_whole_command_its_warnings_and_what_they_came_to(self):
        flags = ["--model=lenet", "--batch_size=8", "--data_name=mnist", "--num_epochs=0.0008",
                 "--xla", "--data_format=NCHW", "--num_warmup_batches=1",
                 "--result_dir", self.directory.name]
        done = lockstep("run", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = self.run_json()
        self.assertEqual(document["argv"], ["lockstep", "run", *flags])
        self.assertEqual(document["config"]["num_batches"], 6)
        self.assertEqual(document["statistics"]["steps_measured"], 6)
        threads = document["config"]["threads_per_device"]
        self.assertGreaterEqual(threads, 1)
        self.assertIn(f"; {threads} thread", done.stderr)
        self.assertIn(f"on processor{'s'[:threads - 1]} {document['context']['processors']};",
                      done.stderr)
        for warning in document["warnings"]:
            self.assertEqual(done.stderr.count(warning), 1, warning)
        self.assertTrue(any("--xla has no effect" in w for w in document["warnings"]))

    def test_resolves_the_weight_decay_that_the_model_brings_along(self):
        def weight_decay(*flags):
            done = lockstep("run", *flags, "--print_config")
            return json.loads(done.stdout)["optimizer"]["weight_decay"]
        self.assertEqual(weight_decay("--model=lenet"), 4e-5)
        self.assertEqual(weight_decay("--model=resnet152_ab"), 2e-4)
        self.assertEqual(weight_decay("--model=resnet152_ab", "--weight_decay=0"), 0)

    def test_gives_the_same_losses_bit_for_bit(self):
        losses = []
        for _ in range(2):
            lockstep("run", "--model=mnist_deep", "--batch_size=8", "--num_batches=5",
                     "--optimizer=momentum", "--num_intra_threads=1", "--num_warmup_batches=1",
                     "--conv_algorithm=winograd",
                     "--result_dir", self.directory.name)
            losses.append([sample["loss"] for sample in samples(self.directory.name)])
        self.assertEqual(len(losses[0]), 6)
        self.assertEqual(losses[0], losses[1])

    def test_learns(self):
        lockstep("run", *TINY, "--num_batches=30", "--init_learning_rate=0.02",
                 "--result_dir", self.directory.name)
        losses = [float(sample["base_loss"]) for sample in samples(self.directory.name)]
        self.assertLess(losses[-1], 0.5 * losses[0])

    def test_stops_at_the_first_loss_that_is_not_finite_and_names_the_layer(self):
        done = lockstep("run", *TINY, "--init_learning_rate=1e30", "--result_dir",
                        self.directory.name)
        self.assertEqual(done.returncode, 5)
        self.assertRegex(done.stderr, r"the loss is (nan|-?inf) at step \d+ \(from 0")
        self.assertRegex(done.stderr, r"(conv|dense)\d")
        self.assertNotIn("total images/sec", done.stdout)
        document = self.run_json()
        self.assertIn("message", document["error"])
        self.assertNotIn("statistics", {k: v for k, v in document.items() if v is not None})

    def interrupt(self, number, line_start, *flags):
        """Sends the signal behind the first line that starts so; the process and what it said."""
        process = subprocess.Popen([PROGRAM, "run", "--model=lenet", "--batch_size=4",
                                    "--num_intra_threads=1", *flags,
                                    "--result_dir", self.directory.name],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in process.stdout:
            if line.startswith(line_start):
                break
        process.send_signal(number)
        rest, errors = process.communicate(timeout=60)
        return process, rest, errors

    def test_ends_cleanly_at_the_first_signal_with_what_was_measured(self):
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            process, rest, errors = self.interrupt(
                number, "10\t", "--num_warmup_batches=1", "--num_batches=1000000")
            self.assertEqual(process.returncode, code)
            self.assertIn("total images/sec: ", rest)
            self.assertIn("interrupted after", errors)
            self.assertGreaterEqual(self.run_json()["statistics"]["steps_measured"], 10)

    def test_says_that_it_was_interrupted_before_anything_was_measured(self):
        process, rest, errors = self.interrupt(
            signal.SIGINT, "Running warm up", "--num_warmup_batches=1000000")
        self.assertEqual(process.returncode, 130)
        self.assertNotIn("total images/sec: ", rest)
        self.assertIn("interrupted before the first timed step", errors)
        self.assertEqual(self.run_json()["error"]["exit_code"], 130)

    def test_obeys_a_signal_while_many_devices_start(self):
        process = subprocess.Popen(
            [PROGRAM, "run", "--model=mnist_softmax", "--batch_size=2", "--devices=60",
             "--oversubscribe", "--num_batches=1000000", "--result_dir", self.directory.name],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "60 times " in line:
                break
        process.send_signal(signal.SIGTERM)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 143, errors)
        self.assertIn("interrupted before the first", errors)
        self.assertEqual(self.run_json()["error"]["exit_code"], 143)

    def test_announces_all_the_memory_that_devices_take(self):
        done = lockstep("run", "--model=lenet", "--batch_size=2", "--devices=24", "--oversubscribe",
                        "--num_batches=2", "--num_warmup_batches=0", "--optimizer=momentum",
                        "--variable_update=replicated", DIRECT, "--result_dir", self.directory.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        announced = float(re.search(r"24 times ([\d.]+) MiB of memory", done.stderr)[1])
        peak = self.run_json()["statistics"]["rss_peak_bytes"] / 2**20
        program = 40  # of which no device knows
        self.assertLess(peak, 24 * announced + program)
        self.assertGreater(peak, 24 * announced / 2)

    def test_refuses_absurd_numbers_at_once_and_in_its_own_words(self):
        for flags in (["--batch_size=2147483647"], ["--batch_size=2147483647", "--forward_only"],
                      ["--model=resnet50", "--batch_size=1000000"],
                      ["--model=vgg16", "--devices=4000", "--oversubscribe"],
                      ["--num_ps=60000"]):
            with self.subTest(flags):
                done = lockstep("run", "--model=lenet", *flags)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertRegex(done.stderr, r"error: \w+ with a batch of \d+ needs .* are available")
                self.assertEqual(done.stdout, "")

    def test_refuses_what_does_not_fit_into_memory_before_the_first_step(self):
        done = lockstep("run", "--model=vgg19", "--batch_size=20000", "--num_intra_threads=1",
                        DIRECT, "--result_dir", self.directory.name)
        self.assertEqual(done.returncode, 3, done.stderr)
        message = r"needs [\d.]+ [GT]iB of memory, [\d.]+ GiB are available"
        self.assertRegex(done.stderr, message)
        error = self.run_json()["error"]
        self.assertEqual(error["exit_code"], 3)
        self.assertRegex(error["message"], message)

    def shell(self, command, *flags):
        """A run of a few steps with redirections that a shell makes: $0 is the program."""
        return subprocess.run(
            ["bash", "-c", command, str(PROGRAM), "run", *TINY, "--num_batches=3",
             "--result_dir", self.directory.name, *flags],
            capture_output=True, text=True, timeout=120)

    def test_needs_nobody_to_read_its_messages(self):
        for command in ('"$0" "$@" 2>/dev/full', '"$0" "$@" 2>&-', '"$0" "$@" 0<&- 2>&-',
                        '"$0" "$@" 2> >(exec 0<&-)'):
            with self.subTest(command):
                done = self.shell(command)
                self.assertEqual(done.returncode, 0)
                self.assertIn("total images/sec: ", done.stdout)
                self.assertNotIn("note: ", done.stdout)  # no file took the number of the closed one
                self.assertEqual(self.run_json()["statistics"]["steps_measured"], 3)

    def test_leaves_its_result_where_its_lines_cannot_be_printed(self):
        for command, reason in (('"$0" "$@" >/dev/full', "No space left on device"),
                                ('"$0" "$@" >&-', "Bad file descriptor")):
            with self.subTest(command):
                done = self.shell(command)
                self.assertEqual(done.returncode, 3)
                self.assertIn(f"error: cannot write to standard output: {reason}\n", done.stderr)
                self.assertEqual(self.run_json()["statistics"]["steps_measured"], 3)

    def test_ends_in_order_when_nobody_reads_its_lines_any_more(self):
        done = self.shell('set -o pipefail; "$0" "$@" | sed "/^10\\t/q"', "--num_batches=1000000")
        self.assertEqual(done.returncode, 128 + signal.SIGPIPE, done.stderr)
        self.assertNotIn("error: ", done.stderr)
        self.assertLess(self.run_json()["statistics"]["steps_measured"], 1000000)

    def test_fails_an_unstable_run_only_when_it_is_strict(self):
        # No interval of one step: it is never stable.
        once = [*TINY, "--num_batches=1"]
        self.assertEqual(lockstep("run", *once).returncode, 0)
        done = lockstep("run", *once, "--strict", "--result_dir", self.directory.name)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("total images/sec: ", done.stdout)
        self.assertFalse(self.run_json()["statistics"]["stable"])

    def test_stops_when_it_is_precise_enough(self):
        # Few intervals are wider than this: one of the first looks, from 20 steps on, decides.
        done = lockstep("run", *TINY, "--num_batches=100000", "--target_precision=0.9",
                        "--result_dir", self.directory.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        statistics = self.run_json()["statistics"]
        self.assertGreaterEqual(statistics["steps_measured"], 20)
        self.assertLess(statistics["steps_measured"], 1000)

    def test_says_what_was_meant_and_what_is_known(self):
        for arguments, words in [
            (["run", "--model=resnet51"], ["resnet51", "did you mean", "resnet50"]),
            (["run", "--batchsize=3"], ["batchsize", "--batch_size"]),
            (["run", "--model=inception3", "--image_size=20"], ["too small", "--image_size"]),
            (["run", "--use_fp16"], ["use_fp16"]),
            (["run", "--num_intra_threads=4096"], ["4096"]),
            (["rum"], ["rum", "run"]),
        ]:
            done = lockstep(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            for word in words:
                self.assertIn(word, done.stderr, arguments)
            self.assertNotIn("total images/sec", done.stdout)

    def test_refuses_more_devices_than_cores_unless_they_may_take_turns(self):
        cores = len(os.sched_getaffinity(0))
        flags = ["run", "--model=mnist_mlp", "--batch_size=2", f"--devices={cores + 1}",
                 "--num_batches=2", "--num_warmup_batches=0", "--result_dir", self.directory.name]
        done = lockstep(*flags)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{cores + 1} devices need at least {cores + 1} cores, ", done.stderr)
        self.assertIn("--oversubscribe", done.stderr)
        done = lockstep(*flags, "--oversubscribe")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: devices are oversubscribed (--oversubscribe)", done.stderr)
        self.assertIn("are oversubscribed", " ".join(self.run_json()["warnings"]))

    def test_says_what_it_takes_an_all_reduce_of_gpus_for(self):
        for spec in ("nccl/xring", "nccl"):
            done = lockstep("run", "--model=mnist_mlp", "--batch_size=2", "--variable_update=replicated",
                            f"--all_reduce_spec={spec}", "--num_batches=2", "--num_warmup_batches=0",
                            "--num_gpus=1", "--result_dir", self.directory.name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"warning: {spec} is taken as hierarchical", done.stderr)
            self.assertIn(f"{spec} is taken as", " ".join(self.run_json()["warnings"]))
            self.assertEqual(done.stderr.count("note: --num_gpus counts devices, which are groups"), 1)

    def test_refuses_names_that_nothing_could_have(self):
        for flag, code, message in (
                (b"--result_dir=/tmp/\xff\xfe", 2, "is not valid UTF-8"),
                (b"--data_dir=/" + b"x" * 5000, 2, "is not a directory: File name too long"),
                (b"--result_dir=/tmp/" + b"x" * 5000, 3, "File name too long"),
                (b"--train_dir=/tmp/" + b"x" * 5000, 3, "File name too long"),
                (b"--train_dir=/dev/null/x", 3, "cannot make the directory /dev/null/x")):
            with self.subTest(flag[:20]):
                done = subprocess.run([PROGRAM, "run", *TINY, "--num_batches=1", flag],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertNotIn("exception", done.stderr)
                self.assertNotIn("unexpected", done.stderr)
                self.assertEqual(done.stdout, "")  # at once

    def test_refuses_a_place_that_mpi_does_not_confirm(self):
        place = {"RANK": 1, "LOCAL_RANK": 1, "WORLD_SIZE": 4, "LOCAL_WORLD_SIZE": 4}
        done = lockstep("run", "--model=mnist_mlp", "--transport=mpi", "--oversubscribe",
                        **{f"LOCKSTEP_{name}": str(value) for name, value in place.items()})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("this is rank 1 of 4 by lockstep (LOCKSTEP_RANK), but rank 0 of 1 by MPI",
                      done.stderr)

    def test_runs_forward_only_and_evaluates(self):
        done = lockstep("run", *TINY, "--num_batches=10", "--forward_only")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Mode:        forward only", done.stdout)
        self.assertIn("top_1_accuracy", done.stdout)
        done = lockstep("run", *TINY, "--num_batches=10", "--eval")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"10\t[\d.]+ examples/sec\nAccuracy @ 1 = [\d.]+ ")

    def test_trains_with_all_cores_when_nothing_is_said(self):
        done = lockstep("run", "--num_batches=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Model:       trivial\n", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^total images/sec: [\d.]+$")

    def test_stops_at_its_time_limit(self):
        done = lockstep("run", *TINY, "--num_batches=1000000", "--max-time=0.3",
                        "--result_dir", self.directory.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(self.run_json()["statistics"]["steps_measured"], 1000000)

    def test_shows_the_plan_with_its_reorders(self):
        show = ["show", "resnet50", "--plan", "--batch_size=2", "--num_intra_threads=1"]
        done = lockstep(*show, DIRECT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("reorders of activations and gradients between layers: 0\n", done.stdout)
        self.assertNotIn("winograd", done.stdout)
        done = lockstep(*show, "--conv_algorithm=winograd", "--json")
        plan = json.loads(done.stdout)
        self.assertEqual(plan["reorders_of_data"], 0)
        self.assertGreater(plan["reorders_of_rows"], 0)
        self.assertIn("conv1", [step["layer"] for step in plan["steps"]])
        self.assertTrue(any("winograd" in step["implementation"] for step in plan["steps"]))


class SharedCores(unittest.TestCase):
    """Of a host, by two ranks on it."""
    CORE = str(min(os.sched_getaffinity(0)))

    def start(self, launcher, *binding):
        place = ("LOCKSTEP_RANK=0 LOCKSTEP_LOCAL_RANK=0 LOCKSTEP_WORLD_SIZE=2 "
                 "LOCKSTEP_LOCAL_WORLD_SIZE=2 LOCKSTEP_COORDINATOR=127.0.0.1")
        rank = shlex.join([*binding, str(PROGRAM), "run", "--print_config"])
        return subprocess.run([*launcher, "sh", "-c", f"{place} {rank}; exit $?"],
                              capture_output=True, text=True, timeout=60)

    def test_are_shared_out_where_the_launcher_itself_is_bound(self):
        done = self.start(["taskset", "-c", self.CORE])
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("2 devices need at least 2 cores, 1 is allowed", done.stderr)

    def test_are_its_own_where_the_launcher_binds_each(self):
        done = self.start([], "taskset", "-c", self.CORE)
        if len(os.sched_getaffinity(0)) == 1:  # all that there is: that binds nobody
            self.assertEqual(done.returncode, 2)
        else:
            self.assertIn('"threads_per_device": 1,', done.stdout, done.stderr)


class UnderHorovodrun(unittest.TestCase):
    def start(self, rank, *unset):
        place = {"RANK": rank, "SIZE": 2, "LOCAL_RANK": rank, "LOCAL_SIZE": 2, "CROSS_RANK": 0,
                 "CROSS_SIZE": 1, "GLOO_RENDEZVOUS_ADDR": "127.0.0.1",
                 "GLOO_RENDEZVOUS_PORT": 1}
        variables = {f"HOROVOD_{name}": str(value) for name, value in place.items()
                     if name not in unset}
        return subprocess.Popen(
            [PROGRAM, "run", *TINY, "--num_batches=2", "--variable_update=horovod",
             "--oversubscribe"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **variables, "LOCKSTEP_COORDINATOR": f"127.0.0.1:{self.port}"})

    def setUp(self):
        self.port = free_port()

    def test_ranks_are_one_world(self):
        ranks = [self.start(rank) for rank in range(2)]
        outputs, errors = zip(*(rank.communicate(timeout=60) for rank in ranks))
        self.assertEqual([rank.returncode for rank in ranks], [0, 0], errors)
        self.assertIn("Batch size:  8 global", outputs[0])
        self.assertEqual([output.count("total images/sec: ") for output in outputs], [1, 0])

    def test_ranks_take_other_ports_where_those_for_data_are_in_use(self):
        with socket.create_server(("127.0.0.1", self.port + 1)), \
                socket.create_server(("127.0.0.1", self.port + 2)):
            self.test_ranks_are_one_world()

    def test_refuses_a_part_of_a_place(self):
        rank = self.start(0, "LOCAL_SIZE")
        _, errors = rank.communicate(timeout=60)
        self.assertEqual(rank.returncode, 2)
        self.assertIn("HOROVOD_LOCAL_SIZE is not", errors)


class UnderMpirun(unittest.TestCase):
    def run_on(self, processes, *flags, **environment):
        variables = [word for name, value in environment.items() for word in ("-x", f"{name}={value}")]
        return subprocess.run(
            ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
             "-np", str(processes), *variables, PROGRAM, "run", *TINY, "--num_batches=2",
             "--variable_update=replicated", "--oversubscribe", *flags],
            capture_output=True, text=True, timeout=120)

    def assert_one_total(self, done, devices):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("total images/sec: "), 1)
        self.assertIn(f"Batch size:  {4 * devices} global", done.stdout)

    def assert_refuses(self, done, message):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertNotIn("total images/sec", done.stdout)

    def test_refuses_another_place_than_mpis(self):
        alone = {"RANK": 0, "WORLD_SIZE": 1, "LOCAL_RANK": 0, "LOCAL_WORLD_SIZE": 1}
        for more in ({}, {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}):
            self.assert_refuses(self.run_on(2, **alone, **more),
                                "this is rank 0 of 1 by torchrun (RANK), but rank ")

    def test_refuses_threads_of_processes_that_do_not_know_each_other(self):
        self.assert_refuses(self.run_on(2, "--transport=threads"),
                            "--transport=threads in each of 2 processes (OMPI_COMM_WORLD_RANK)")
        self.assert_one_total(self.run_on(1, "--transport=threads", "--devices=2"), 2)

    def test_takes_one_process_for_a_world_like_any_other(self):
        for flags in (["--transport=mpi"], ["--all_reduce_spec=vendor"]):
            self.assert_one_total(self.run_on(1, *flags), 1)

    def test_meets_over_tcp_where_it_is_told_to(self):
        self.assert_refuses(self.run_on(2, "--transport=tcp"), "set LOCKSTEP_COORDINATOR=host:port")
        self.assert_one_total(self.run_on(2, "--transport=tcp",
                                          LOCKSTEP_COORDINATOR=f"127.0.0.1:{free_port()}"), 2)


class StartedByHand(unittest.TestCase):
    """Two processes on one host."""
    FLAGS = ["--model=mnist_mlp", "--num_batches=3", "--num_warmup_batches=1",
             "--num_intra_threads=1", "--job_name=worker"]

    def assert_refused(self, message, *flags, others=(), verb="run", names=("127.0.0.1",) * 2):
        hosts = ",".join(f"{name}:{free_port()}" for name in names)
        processes = [subprocess.Popen(
            [PROGRAM, verb, *(self.FLAGS if verb == "run" else ["--job_name=worker"]), *flags,
             f"--worker_hosts={hosts}", f"--task_index={task}", *(others if task else ())],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for task in range(2)]
        for process in processes:
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 2, errors)
            self.assertIn(message, errors)

    def test_must_be_told_the_same(self):
        for flag, difference in [
                ("--variable_update=replicated", 'variable_update is "replicated" there, not '),
                ("--fusion_threshold_mb=0.01", "fusion_threshold_mb is 0.01 there, not "),
                ("--num_batches=5", "num_batches is 5 there, not 3"),
                ("--batch_size=4", "batch_size is 4 there, not "),
                ("--model=mnist_softmax", 'model is "mnist_softmax" there, not "mnist_mlp"')]:
            with self.subTest(flag):
                self.assert_refused(difference, others=[flag])
        self.assert_refused("sizes.1 is 2048 there, not null", "--sizes=1KB", verb="comm",
                            others=["--sizes=1KB,2KB"])

    def test_must_call_a_host_by_one_name(self):
        self.assert_refused("localhost and 127.0.0.1 in --worker_hosts are the same host",
                            names=("localhost", "127.0.0.1"))


class Controller(unittest.TestCase):
    """A process with --job_name=controller, and the workers that it reports of."""
    FLAGS = ["--model=mnist_mlp", "--batch_size=4", "--num_warmup_batches=1", "--num_intra_threads=1",
             "--variable_update=distributed_all_reduce"]

    def setUp(self):
        self.controller_host = f"127.0.0.1:{free_port(1)}"
        self.worker_hosts = [f"127.0.0.1:{free_port()}"]

    def start(self, job, *flags, task=0):
        process = subprocess.Popen(
            [PROGRAM, "run", *self.FLAGS, f"--worker_hosts={','.join(self.worker_hosts)}",
             f"--controller_host={self.controller_host}", f"--job_name={job}", f"--task_index={task}",
             *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors

    def assert_lost(self, signal_, deadline, reason):
        controller = self.start("controller", f"--deadline={deadline}")
        worker = self.start("worker", "--num_batches=1000000", f"--deadline={deadline}")
        for line in controller.stdout:
            if STEP_LINE.match(line.strip()):
                break
        worker.send_signal(signal_)
        code, _, errors = self.end(controller)
        self.assertEqual(code, 5, errors)
        self.assertRegex(errors, f"error: rank 0 on .* was lost: {reason}")

    def test_prints_what_rank_0_prints_and_ends_as_it_does(self):
        self.worker_hosts.append(f"127.0.0.1:{free_port()}")
        controller = self.start("controller", "--num_batches=20")
        workers = [self.start("worker", "--num_batches=20", task=task) for task in range(2)]
        code, output, errors = self.end(workers[0])
        self.assertEqual(code, 0, errors)
        self.assertNotIn("controller", errors)
        self.assertIn("total images/sec: ", output)
        self.assertEqual(self.end(workers[1])[:2], (0, ""))
        self.assertEqual(self.end(controller)[:2], (0, output))

    def test_fails_by_what_rank_0_has_failed_by(self):
        flags = ["--init_learning_rate=1e30", "--num_batches=100"]
        controller = self.start("controller", *flags)
        code, _, errors = self.end(self.start("worker", *flags))
        self.assertEqual(code, 5, errors)
        (cause,) = re.findall("error: (.*loss.*)", errors)
        code, _, errors = self.end(controller)
        self.assertEqual(code, 5, errors)
        self.assertRegex(errors, "error: rank 0 on .*: " + re.escape(cause))

    def test_ends_with_a_rank_0_that_was_killed_or_hangs(self):
        self.assert_lost(signal.SIGKILL, 60, "its process ended")
        self.setUp()
        self.assert_lost(signal.SIGSTOP, 1, "silent for 1 s")

    def test_ends_without_a_rank_0(self):
        code, output, errors = self.end(self.start("controller", "--start_timeout=0.2"))
        self.assertEqual((code, output), (4, ""), errors)
        self.assertIn(f"rank 0 did not come to the controller at {self.controller_host} within 0.2 s", errors)

    def test_need_not_be_there(self):
        code, output, errors = self.end(self.start("worker", "--num_batches=3", "--start_timeout=0.2"))
        self.assertEqual(code, 0, errors)
        self.assertIn("total images/sec: ", output)
        self.assertEqual(errors.count("controller"), 1, errors)
        self.assertIn(f"warning: no controller at {self.controller_host}: Connection refused; the run "
                      "continues without it", errors)

    def test_may_end_before_rank_0(self):
        controller = self.start("controller")
        worker = self.start("worker", "--num_batches=100000000")
        for line in controller.stdout:
            if STEP_LINE.match(line.strip()):
                break
        controller.kill()
        controller.wait()
        for _ in range(100):
            self.assertTrue(worker.stdout.readline())
        worker.send_signal(signal.SIGINT)
        code, output, errors = self.end(worker)
        self.assertEqual(code, 130, errors)
        self.assertIn("total images/sec: ", output)
        self.assertIn("warning: the controller was lost", errors)


class Convolutions(unittest.TestCase):
    FLAGS = ["--model=resnet20", "--batch_size=4", "--num_intra_threads=1", "--num_batches=2",
             "--num_warmup_batches=1", "--variable_update=replicated"]

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def cache(self, name):
        return str(self.directory / name)

    def choices(self, cache):
        (file,) = (self.directory / cache / "lockstep").glob("convolutions-*.json")
        return file, json.loads(file.read_text())

    def run_in(self, cache, *flags):
        done = lockstep("run", *self.FLAGS, "--result_dir", str(self.directory), *flags,
                        XDG_CACHE_HOME=self.cache(cache), LOCKSTEP_CONV_ALGORITHM="auto")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads((self.directory / "run.json").read_text())
        return (document["context"].get("convolutions"),
                [sample["loss"] for sample in samples(self.directory)], done.stderr)

    def test_are_measured_once(self):
        taken, losses, errors = self.run_in("a")
        self.assertIn("measured how to convolve 3 shapes", errors)
        self.assertEqual(self.choices("a")[1]["choices"], taken)
        self.assertEqual(len(taken), 3)
        again, same_losses, errors = self.run_in("a")
        self.assertNotIn("measured how", errors)
        self.assertEqual((again, same_losses), (taken, losses))
        forced, _, errors = self.run_in("b", "--nowinograd_nonfused")
        self.assertIsNone(forced)
        self.assertNotIn("measured how", errors)

    def test_are_those_of_rank_0_in_every_process(self):
        self.run_in("a")
        shutil.copytree(self.cache("a"), self.cache("b"))
        file, document = self.choices("b")
        other = {"direct": "winograd", "winograd": "direct"}
        document["choices"] = {shape: other[name] for shape, name in document["choices"].items()}
        file.write_text(json.dumps(document))
        port = free_port()
        ranks = []
        for rank, cache in enumerate("ab"):
            environment = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2,
                           "COORDINATOR": f"127.0.0.1:{port}", "CONV_ALGORITHM": "auto"}
            ranks.append(subprocess.Popen(
                [PROGRAM, "run", *self.FLAGS, "--result_dir", str(self.directory)],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                env={**os.environ, "XDG_CACHE_HOME": self.cache(cache),
                     **{f"LOCKSTEP_{name}": str(value) for name, value in environment.items()}}))
        errors = [rank.communicate(timeout=60)[1] for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0, 0], errors)
        document = json.loads((self.directory / "run.json").read_text())
        self.assertEqual(document["context"]["convolutions"], self.choices("a")[1]["choices"])


if __name__ == "__main__":
    unittest.main()
