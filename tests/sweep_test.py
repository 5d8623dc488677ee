#!/usr/bin/env python3
"""`lockstep sweep`, the real program, on this machine: what it leaves behind, how it goes on after
whatever ends it, and how it answers what cannot be done.

Usage: sweep_test.py PROGRAM [unittest arguments]"""

import csv
import errno
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
# Two points of some tenths of a second. Machines of the tests may have one core.
TINY = ["--models=mnist_mlp:16", "--devices=1,2", "--noceiling", "--oversubscribe",
        "--num_batches=3", "--num_warmup_batches=1"]
TINY_POINTS = ["mnist_mlp-b16-d1-replicated", "mnist_mlp-b16-d2-replicated"]


def lockstep(*arguments, environment=None):
    return subprocess.run([PROGRAM, "sweep", *arguments], capture_output=True, text=True,
                          timeout=120, env={**os.environ, **(environment or {})})


def rounds_of(launches):
    """The number of the last round that has a launch."""
    return max(int(launch.rpartition("/")[2]) for launch in launches)


def processes_of(directory):
    """The processes that have the directory in their command line."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if str(directory).encode() in words:
            found.append(entry.name)
    return found


class SmallDisk:
    """A file system of a few megabytes, which only those see that are started in it."""

    def __init__(self, directory):
        self.directory = directory
        root = os.geteuid() == 0  # or becomes it, in there
        self.unshare = ["unshare", "--mount"] + ([] if root else ["--map-root-user"])
        self.enter = ["nsenter", "--mount"] + ([] if root else ["--user", "--preserve-credentials"])

    def __enter__(self):
        self.holder = subprocess.Popen(
            [*self.unshare, "sh", "-c",
             'mount -t tmpfs -o size=4m tmpfs "$0" && echo mounted && exec cat', self.directory],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "mounted\n":
            raise OSError("cannot mount a small disk")
        return self

    def __exit__(self, *_):
        self.holder.communicate()  # it ends with its input, and the disk with it

    def within(self):
        """What goes before a command."""
        return [*self.enter, f"--target={self.holder.pid}"]

    def seen_from_here(self, path):
        return pathlib.Path(f"/proc/{self.holder.pid}/root{path}")

    def fill(self):
        with open(self.seen_from_here(self.directory / "filler"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def free(self):
        self.seen_from_here(self.directory / "filler").unlink()


class Sweep(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name) / "out"

    def sweep(self, *arguments, **options):
        return lockstep(*arguments, f"--result_dir={self.directory}", **options)

    def start(self, *arguments, within=()):
        process = subprocess.Popen(
            [*within, PROGRAM, "sweep", *arguments, f"--result_dir={self.directory}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end():
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()

        self.addCleanup(end)
        return process

    def results(self):
        with open(self.directory / "results.csv", newline="") as file:
            return list(csv.DictReader(file))

    def launches(self):
        """The finished launches with a whole result, and its inode, which tells old from new."""
        found = {}
        for path in self.directory.glob("points/*/*/run.json"):
            try:
                json.loads(path.read_text())
                found[str(path.parent.relative_to(self.directory))] = path.stat().st_ino
            except (OSError, ValueError):  # it goes while we look, or was cut short
                continue
        return {name: inode for name, inode in found.items() if name.rpartition("/")[2].isdigit()}

    def wait_for(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_ends_in_a_table_a_csv_and_a_drawing(self):
        done = self.sweep("--models=mnist_mlp:16,lenet:4", "--devices=1,2", "--oversubscribe",
                          "--strategies=replicated,parameter_server", "--repeats=2",
                          "--num_batches=3", "--num_warmup_batches=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.results()
        self.assertEqual(len(rows), 10)  # two at one device, three at two
        for row in rows:
            self.assertEqual((row["status"], row["launches"]), ("measured", "2"), row)
            self.assertGreater(float(row["images_per_s"]), 0)
            self.assertLess(float(row["images_per_s_ci95_lo"]), float(row["images_per_s"]))
            self.assertAlmostEqual(float(row["efficiency"]) * int(row["devices"]),
                                   float(row["speedup"]), places=4)
            self.assertIn(row["model"], done.stdout)
            self.assertEqual(int(row["batch_global"]),
                             int(row["batch_per_device"]) * int(row["devices"]))
            reduces = row["strategy"] == "replicated" and row["devices"] == "2"
            self.assertEqual(row["algorithm"], "direct" if reduces else "", row)
            if row["strategy"] != "independent":  # they do the same work on one device
                self.assertTrue(row["baseline_point"].endswith("-d1-replicated"), row)
            if row["devices"] == "1":
                self.assertEqual(row["best"], "0", row)
        self.assertEqual(len(self.launches()), 20)
        drawing = xml.etree.ElementTree.parse(self.directory / "throughput.svg").getroot()
        self.assertTrue(drawing.tag.endswith("svg"))
        for name in ("results.csv", "throughput.svg", "report/report.html"):
            self.assertIn(str(self.directory / name), done.stdout)
        self.assertIn("lockstep report", done.stderr)
        self.assertIn("  2 independent ", done.stdout)  # of the bars
        self.assertRegex(done.stdout, r"(mnist_mlp|lenet):\d+ scales better than (mnist_mlp|lenet):")
        page = (self.directory / "report" / "report.html").read_text()
        self.assertIn(" scales better than ", page)
        for name in ("report.md", "report.tex", "results.csv", "summary.csv", "efficiency.svg"):
            self.assertTrue((self.directory / "report" / name).exists(), name)

    def test_leaves_its_results_where_nothing_can_be_printed(self):
        for stream, code in (("2", 0), ("1", 3)):
            with self.subTest(stream):
                done = subprocess.run(
                    ["bash", "-c", f'"$0" "$@" {stream}>/dev/full', PROGRAM, "sweep", *TINY,
                     f"--result_dir={self.directory / stream}"],
                    capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn("measured", (self.directory / stream / "results.csv").read_text())

    def test_records_the_all_reduce_that_was_asked_for(self):
        done = self.sweep(*TINY, "--repeats=1", "--all_reduce_spec=tree:1k:xring#2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["algorithm"] for row in self.results()], ["", "ring#2"])

    def test_tells_what_real_images_cost(self):
        dataset = self.directory.parent / "mnist"
        made = subprocess.run([PROGRAM, "data", "make", dataset, "--train=64", "--validation=16"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(made.returncode, 0, made.stderr)
        flags = ["--models=mnist_mlp:16", "--devices=1", "--inputs=synthetic,cached,real",
                 f"--data_dir={dataset}", "--repeats=2", "--num_batches=5", "--num_warmup_batches=1"]
        cache = {"XDG_CACHE_HOME": str(self.directory.parent)}
        done = self.sweep(*flags, environment=cache)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("I/O overhead", done.stdout)
        synthetic, *others = self.results()
        self.assertEqual(synthetic["point"], "mnist_mlp-b16-d1-replicated-synthetic")
        self.assertEqual((synthetic["dataset"], synthetic["io_overhead"]), ("mnist", ""))
        self.assertEqual([row["input"] for row in others], ["cached", "real"])
        for row in others:
            lost = 1 - float(row["images_per_s"]) / float(synthetic["images_per_s"])
            self.assertAlmostEqual(float(row["io_overhead"]), lost, places=4)
            self.assertLess(float(row["io_overhead_ci95_lo"]), lost)
        for row in (synthetic, *others):
            run = json.loads((self.directory / "points" / row["point"] / "1/run.json").read_text())
            data = run["config"]["data"]
            self.assertEqual((bool(data["dir"]), data["repeat_cached_sample"]),
                             {"synthetic": (False, False), "cached": (True, True),
                              "real": (True, False)}[row["input"]])
        kept = self.launches()
        self.assertEqual(self.sweep("--resume", environment=cache).returncode, 0)
        self.assertEqual(self.launches(), kept)

    def test_measures_devices_that_are_processes(self):
        done = self.sweep(*TINY, "--processes", "--repeats=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["status"] for row in self.results()], ["measured"] * 2)
        logs = {path.name for path in self.directory.glob(f"points/{TINY_POINTS[1]}/1/*.log")}
        self.assertEqual(logs, {"rank0.log", "rank1.log"})

    def test_measures_every_point_once_a_round(self):
        done = self.sweep(*TINY, "--repeats=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        order = [line.split()[1] for line in done.stderr.splitlines() if line.startswith("[")]
        self.assertEqual(order, TINY_POINTS + TINY_POINTS[::-1])

    def test_can_be_replayed_from_what_it_wrote(self):
        self.assertEqual(self.sweep(*TINY, "--repeats=1").returncode, 0)
        spec = self.directory / "sweep.json"
        again = lockstep(f"--spec={spec}", "--print_config")
        self.assertEqual(json.loads(again.stdout), json.loads(spec.read_text()))

    def test_takes_the_command_line_before_the_environment_before_the_file(self):
        file = self.directory.parent / "sweep.yaml"
        file.write_text("models: [mnist_mlp:16, lenet]\nrepeats: 7\nretries: 7\nnum_batches: 7\n")
        done = lockstep(f"--spec={file}", "--repeats=5", "--print_config",
                        environment={"LOCKSTEP_REPEATS": "6", "LOCKSTEP_RETRIES": "6"})
        config = json.loads(done.stdout)
        self.assertEqual([config[key] for key in ("repeats", "retries", "num_batches")],
                         [5, 6, "7"])
        self.assertEqual(config["models"], ["mnist_mlp:16", "lenet:32"])

    def test_dry_run_prints_commands_and_runs_none(self):
        done = self.sweep(*TINY, "--repeats=2", "--dry_run")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        for line in lines:
            self.assertIn(f"{PROGRAM} run --model=mnist_mlp", line)
        self.assertFalse(self.directory.exists())
        self.assertRegex(done.stderr, r"note: launches: 4; about [\d.]+ s: an estimate from the cost of "
                                      "the networks and the speed of this machine's cores")
        self.assertEqual(self.sweep(*TINY, "--repeats=1").returncode, 0)
        done = self.sweep(*TINY, "--repeats=2", "--dry_run")
        self.assertRegex(done.stderr, r"note: launches: 2; about [\d.]+ s: an estimate from what 2 of 2 "
                                      "points measured before")

    def test_leaves_the_limit_out_where_it_cannot_be_measured(self):
        flags = ["--models=mnist_mlp:16", "--devices=1,2", "--oversubscribe", "--num_batches=2",
                 "--num_warmup_batches=0", "--repeats=1", f"--train_dir={self.directory}.train"]
        done = self.sweep(*flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: the limit without exchange is not measured: "
                      "--variable_update=independent trains 2 networks", done.stderr)
        self.assertEqual([row["strategy"] for row in self.results()], ["replicated"] * 2)

    def test_says_that_servers_do_not_apply(self):
        done = self.sweep(*TINY, "--num_ps=1", "--strategies=replicated", "--print_config")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: --num_ps=1 has no effect: none of --strategies=replicated has "
                      "parameter servers", done.stderr)

    def test_measures_the_program_that_was_started_whatever_becomes_of_its_file(self):
        program = self.directory.parent / "bin" / "lockstep"
        program.parent.mkdir()
        shutil.copy(PROGRAM, program)
        process = subprocess.Popen(
            [program, "sweep", *TINY, "--repeats=2", f"--result_dir={self.directory}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_for(lambda: list(self.directory.glob("points/*")))
        new = program.with_name("new")
        new.write_text("not a program any more")
        new.rename(program)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual([row["status"] for row in self.results()], ["measured"] * 2)
        self.assertFalse((self.directory / "program").exists())

    def test_says_what_to_try_where_a_host_cannot_be_reached(self):
        programs = self.directory.parent / "bin"
        programs.mkdir()
        (programs / "ssh").write_text("#!/bin/sh\necho ssh: no route to host >&2\nexit 255\n")
        (programs / "ssh").chmod(0o755)
        done = self.sweep("-m=mnist_mlp:16", "--hosts=node9:1", environment={"PATH": f"{programs}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("host node9 cannot be reached by ssh: ssh: no route to host", done.stderr)
        self.assertIn("hint: try: ssh node9 true; lockstep doctor --hosts=node9 checks more", done.stderr)

    def test_writes_its_results_where_no_launch_could_be_started(self):
        done = self.sweep(*TINY, "--launcher=mpi", "--hosts=localhost:2", "--retries=0",
                          environment={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual([row["status"] for row in self.results()], ["failed"] * 2)
        self.assertIn("cannot execute mpirun", done.stdout)

    def test_measures_nothing_twice_and_loses_nothing_when_it_is_killed(self):
        """The controller is killed at random moments and resumed, until at last it gets through;
        some results are cut short, as a power failure might."""
        random.seed(5)
        kept = {}
        for kill in range(20):
            resume = ["--resume"] if (self.directory / "sweep.json").exists() else TINY
            process = self.start(*resume, "--repeats=1000")
            enough = len(kept) + kill % 2  # every other time it gets somewhere first
            self.wait_for(lambda: len(self.launches()) >= enough)
            time.sleep(random.uniform(0, 0.3))
            self.assertIsNone(process.poll())
            process.kill()
            process.wait()
            self.wait_for(lambda: not processes_of(self.directory))
            launches = self.launches()
            for launch, inode in kept.items():
                self.assertEqual(launches.get(launch), inode, "a finished launch was run again")
            kept = launches
            if kill % 5 == 4:
                victim = random.choice(sorted(kept))
                os.truncate(self.directory / victim / "run.json", random.randrange(4000))
                del kept[victim]
        rounds = rounds_of(kept) + 1
        done = self.sweep("--resume", f"--repeats={rounds}")
        self.assertEqual(done.returncode, 0, done.stderr)
        launches = self.launches()
        self.assertEqual(len(launches), 2 * rounds)
        self.assertLessEqual(kept.items(), launches.items(), "a finished launch was run again")
        self.assertEqual([row["launches"] for row in self.results()], [str(rounds)] * 2)

    def test_goes_on_when_a_full_disk_has_room_again(self):
        with SmallDisk(self.directory.parent) as disk:
            here, there = disk.seen_from_here(self.directory), self.directory
            process = self.start(*TINY, "--repeats=1000", "--retries=0", within=disk.within())
            self.directory = here
            self.wait_for(lambda: len(self.launches()) >= 3)
            disk.fill()
            stdout, stderr = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 3, stderr)
            errors = [line for line in stderr.splitlines() if line.startswith("error: ")]
            self.assertEqual(len(errors), 1, stderr)
            self.assertRegex(errors[0], "cannot write .*/results.csv: No space left on device")
            for point in TINY_POINTS:
                self.assertRegex(stdout, f"failed: {point}: .*No space left on device")
            kept = self.launches()
            self.assertGreaterEqual(len(kept), 3)

            disk.free()
            rounds = rounds_of(kept) + 1
            self.directory = there
            process = self.start("--resume", f"--repeats={rounds}", within=disk.within())
            _, stderr = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, stderr)
            self.directory = here
            self.assertLessEqual(kept.items(), self.launches().items(), "a launch was run again")
            self.assertEqual([(row["status"], row["launches"]) for row in self.results()],
                             [("measured", str(rounds))] * 2)

    def test_interrupted_it_keeps_what_it_has_and_goes_on_later(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number=number):
                self.directory = self.directory.parent / str(code)
                flags = [flag for flag in TINY if "num_batches" not in flag]
                process = self.start(*flags, "--num_batches=30000", "--repeats=1",
                                     "--models=mnist_mlp:16,lenet:64")
                self.wait_for(lambda: list(self.directory.glob("points/*/*.running/samples.0")))
                process.send_signal(number)
                stdout, stderr = process.communicate(timeout=20)
                self.assertEqual(process.returncode, code, stderr)
                self.assertIn("--resume", stderr)
                self.assertIn("not measured", stdout)
                self.assertFalse(processes_of(self.directory))
                self.assertEqual([row["status"] for row in self.results()].count("not_measured"),
                                 4 - len(self.launches()))
                # Nothing looks as if it still ran.
                self.assertFalse(list(self.directory.glob("points/*/*.running")))
                seen = subprocess.run([PROGRAM, "watch", self.directory, "--once"], capture_output=True,
                                      text=True, timeout=20).stdout
                self.assertRegex(seen, r"^\[\d+/4\] stopped before its end\n")

    def test_goes_on_without_a_point_that_fails_and_says_why(self):
        done = self.sweep("--models=vgg19:20000,mnist_mlp:16", "--devices=1", "--num_batches=3",
                          "--repeats=2", "--conv_algorithm=direct")
        self.assertEqual(done.returncode, 5, done.stderr)
        failed, measured = self.results()
        self.assertEqual((failed["status"], failed["images_per_s"]), ("failed", ""))
        self.assertIn("of memory", failed["notes"])
        self.assertIn(f"failed: vgg19-b20000-d1-replicated: {failed['notes']}", done.stdout)
        self.assertNotIn("is tried again", done.stderr)  # it would not fit then, either
        self.assertEqual((measured["status"], measured["launches"]), ("measured", "2"))

    def test_tries_a_launch_again_before_it_gives_up(self):
        done = self.sweep("--models=lenet:4", "--devices=1", "--num_batches=5", "--repeats=2",
                          "--init_learning_rate=1e30")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(done.stderr.count("is tried again: the loss is nan"), 1)
        self.assertEqual(done.stderr.count("launch 1: failed: the loss is nan"), 1)
        self.assertIn("the loss is nan", self.results()[0]["notes"])
        self.assertTrue(list(self.directory.glob("points/*/1.failed/local.log")))

    def test_ends_a_launch_that_takes_too_long(self):
        done = self.sweep("--models=lenet:64", "--devices=1", "--num_batches=100000",
                          "--repeats=1", "--point_time_limit=1", "--retries=0")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("it had not ended after 1.0 s", self.results()[0]["notes"])
        self.assertFalse(processes_of(self.directory))

    def test_a_rank_that_is_killed_is_launched_again(self):
        flags = [flag for flag in TINY if "num_batches" not in flag]
        process = self.start(*flags, "--num_batches=2000", "--repeats=1")
        self.wait_for(lambda: list(self.directory.glob("points/*/*.running/samples.0")))
        for pid in processes_of(f"{self.directory}/points"):
            os.kill(int(pid), signal.SIGKILL)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertIn("is tried again: local was ended by signal 9", stderr)
        self.assertEqual([row["status"] for row in self.results()], ["measured"] * 2)

    def test_measures_again_what_is_no_whole_result(self):
        self.assertEqual(self.sweep(*TINY, "--repeats=1").returncode, 0)
        before = self.launches()
        damaged = self.directory / "points" / TINY_POINTS[0] / "1" / "run.json"
        damaged.write_text(damaged.read_text()[:700])
        done = self.sweep("--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"launch 1 of {TINY_POINTS[0]} is measured again", done.stderr)
        after = self.launches()
        self.assertEqual(set(after), set(before))
        untouched = f"points/{TINY_POINTS[1]}/1"
        self.assertEqual(after[untouched], before[untouched])

    def test_refuses_a_directory_of_another_sweep(self):
        self.assertEqual(self.sweep(*TINY, "--repeats=1").returncode, 0)
        before = self.launches()
        for arguments, message in ((TINY + ["--repeats=1"], "holds this sweep already"),
                                   (["--resume", "--devices=1"], "holds another sweep"),
                                   (["--models=lenet"], "holds another sweep")):
            done = self.sweep(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
        self.assertEqual(self.launches(), before)

    def test_refuses_what_cannot_run_before_anything_does(self):
        for arguments, words in (
                (["--devices=50000"], ["50000", "core"]),
                (["--devices=0"], ["not a number of devices"]),
                (["--models=lenet:x"], ["batch size"]),
                (["--models=lenett"], ["lenett", "did you mean", "lenet"]),
                (["--strategies=rings"], ["expected one of"]),
                (["--launcher=locl"], ["did you mean local?"]),
                (["--models=lenet:3", "--devices=1,2", "--oversubscribe", "--scaling=strong"],
                 ["3", "divided evenly by 2"]),
                (["--staged_vars", "--devices=1"], ["lenet-b32-d1", "parameter_server only"]),
                (["--all_reduce_spec=bogus", "--devices=1"], ["lenet-b32-d1", "bogus"]),
                (["--all_reduce_spec=bogus", "--devices=1", "--dry_run"], ["bogus"]),
                (["--all_reduce_spec=bogus", "--devices=1", "--print_config"], ["bogus"]),
                (["--all_reduce_spec=bogus", "--hosts=node9:1", "--dry_run"], ["bogus"]),
                (["--devices=2000000"], ["at most 65536"]),
                (["--devices=2147483647", "--oversubscribe"], ["at most 65536"]),
                (["--strategies=parameter_server", "--num_ps=2147483647"], ["0 to 65536"]),
                (["--worker_hosts=a,b"], ["launcher"]),
                (["--spec=/nowhere/sweep.yaml"], ["cannot read /nowhere/sweep.yaml"]),
                (["--resume"], ["sweep.json"])):
            with self.subTest(arguments=arguments):
                models = [] if any("--models" in word for word in arguments) else ["-m", "lenet"]
                done = self.sweep(*models, *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
                self.assertFalse(self.directory.exists())

    def test_refuses_a_directory_that_cannot_be_written(self):
        done = lockstep(*TINY, "--result_dir=/proc/nowhere")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("cannot make the directory /proc/nowhere", done.stderr)

    def test_starts_nothing_after_its_time(self):
        done = self.sweep(*TINY, "--repeats=500", "--max_time=0.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the time is up", done.stderr)
        self.assertLess(sum(int(row["launches"]) for row in self.results()), 100)


if __name__ == "__main__":
    unittest.main(verbosity=2)
